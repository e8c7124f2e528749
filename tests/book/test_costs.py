"""The table of costs, against sums made in another way."""

from icllib.book import costs
from icllib.models import Transformer
from icllib.results import Record, find_record
from icllib.tasks import AffineFunctions
from icllib.training import Recipe, Run


def test_missing_runs_are_those_without_a_record_each_once():
    missing = costs.missing_runs("signed_averaging")["paper"]
    assert not any(find_record(run, "signed_averaging") for run in missing)
    assert len(set(missing)) == len(missing)
    assert missing


def test_nothing_is_missing_where_all_is_recorded():
    assert costs.missing_runs("solvable_attention")["cpu"] == []
    assert costs.estimate([], "gpu", 1.0) == 0


def test_the_speed_of_records_is_their_work_over_their_seconds(monkeypatch):
    model = Transformer(1, 1, 8, tokens="separate")
    made = []
    for steps, seconds, fleet, device in ((500, 0.1, 1, "NVIDIA H200"), (10, 2.0, 1, "2 CPU cores"),
                                          (30, 12.0, 4, "2 CPU cores")):  # 3 seconds of its own
        run = Run(AffineFunctions(), model, Recipe((0, 1), steps, batch=4), None, seed=0)
        made.append(Record.of(run, {"error": 1.0}, {
            "processor_seconds": seconds, "fleet": fleet, "device": device}))
    monkeypatch.setattr(costs, "PAPERS", ("one",))
    monkeypatch.setattr(costs, "records_of", lambda pages: made)
    forward = model.multiplications(1, run.recipe.layout[0])  # the backward pass costs twice that
    speed = costs.recorded_speed()
    assert speed == 3 * 4 * forward * (10 + 30) / (2.0 + 3.0)
    assert costs.estimate([run], "cpu", speed) == 3 * 4 * forward * 30 / speed / 3600
