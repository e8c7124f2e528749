"""The table of costs, against sums made in another way."""

from claimbook.records import find_record
from claimbook.website import costs


def test_missing_runs_are_those_without_a_record_each_once():
    missing = costs.missing_runs("signed_averaging")["paper"]
    assert not any(find_record(run, "signed_averaging") for run in missing)
    assert missing and len(set(missing)) == len(missing)
    assert costs.missing_runs("solvable_attention")["cpu"] == [] and costs.estimate([], "gpu") == "0"
