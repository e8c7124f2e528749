"""The table of costs, against sums made in another way."""

from dataclasses import replace

from icllib.book import costs
from icllib.models import Transformer
from icllib.results import Record, find_record
from icllib.tasks import AffineFunctions
from icllib.training import Recipe, Run
from icllib.training.weights import model_of


def test_missing_runs_are_those_without_a_record_each_once():
    missing = costs.missing_runs("signed_averaging")["paper"]
    assert not any(find_record(run, "signed_averaging") for run in missing)
    assert missing and len(set(map(model_of, missing))) == len(missing)  # however often it is measured


def test_nothing_is_missing_where_all_is_recorded():
    assert costs.missing_runs("solvable_attention")["cpu"] == []
    assert costs.estimate([], "gpu", {}) == 0


def test_the_speed_of_records_is_their_work_over_their_seconds_by_kind_of_model(monkeypatch):
    narrow, wide = (Transformer(1, 1, width, tokens="separate") for width in (8, 16))
    made = []
    for model, steps, seconds, fleet, device in (
            (narrow, 500, 0.1, 1, "NVIDIA H200"), (narrow, 10, 2.0, 1, "2 CPU cores"),
            (narrow, 30, 12.0, 4, "2 CPU cores"), (wide, 10, 1.0, 1, "2 CPU cores")):
        run = Run(AffineFunctions(), model, Recipe((0, 1), steps, batch=4), None, seed=0)
        made.append(Record.of(run, {"error": 1.0}, {
            "processor_seconds": seconds, "fleet": fleet, "device": device}))
    monkeypatch.setattr(costs, "papers", lambda: {"one": None})
    monkeypatch.setattr(costs, "records_of", lambda pages: made)
    # the backward pass costs twice the forward one
    in_step = {model: 3 * 4 * model.multiplications(1, run.recipe.layout[0])
               for model in (narrow, wide)}
    speeds = costs.recorded_speeds()
    assert speeds[Transformer, 8] == in_step[narrow] * (10 + 30) / (2.0 + 12.0 / 4)
    assert speeds[Transformer, 16] == in_step[wide] * 10 / 1.0
    assert speeds[None] == (in_step[narrow] * (10 + 30) + in_step[wide] * 10) / (5.0 + 1.0)
    own, other = run, replace(run, model=Transformer(1, 1, 4, tokens="separate"))
    assert costs.estimate([own], "cpu", speeds) == in_step[wide] * 10 / speeds[Transformer, 16] / 3600
    assert costs.estimate([other], "cpu", speeds) == costs.work(other) / speeds[None] / 3600


def test_without_records_a_cost_is_not_known(monkeypatch):
    monkeypatch.setattr(costs, "records_of", lambda pages: [])
    assert costs.recorded_speeds() == {}
    run = Run(AffineFunctions(), Transformer(1, 1, 8), Recipe((1,), 1, batch=4), None, seed=0)
    assert costs.rounded(costs.estimate([run], "cpu", {})) == "not known"
