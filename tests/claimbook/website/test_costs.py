"""The table of costs, against sums made in another way."""

from dataclasses import dataclass

from claimbook.records import Component, find_record
from claimbook.website import costs
from icllib.tasks import AffineFunctions
from icllib.training import Recipe, Run


def test_missing_runs_are_those_without_a_record_each_once():
    missing = costs.missing_runs("signed_averaging")["paper"]
    assert not any(find_record(run, "signed_averaging") for run in missing)
    assert missing and len(set(missing)) == len(missing)


def test_nothing_is_missing_where_all_is_recorded():
    assert costs.missing_runs("solvable_attention")["cpu"] == []
    assert costs.estimate([], "gpu") == 0


def test_a_model_that_does_not_count_its_work_has_no_known_cost():
    run = Run(AffineFunctions(), Uncounted(), Recipe((1,), 1, batch=4), None, seed=0)
    assert costs.hours_in_words(costs.estimate([run], "cpu")) == "not known"


@dataclass(frozen=True)
class Uncounted(Component):
    """A model that does not count its multiply-adds."""

    def build(self, *arguments):
        raise NotImplementedError
