"""Measured on the way and on the prompts of training; cross-entropy, contexts of no pair, more positions."""

from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import pytest
import torch
from sklearn.metrics import log_loss

from claimbook.records import find_record
from claimbook.records.errors import InputError
from icllib.evaluate import ErrorByLength, Together, TrainingError
from icllib.models import MLP, FeatureMLP, Transformer
from icllib.tasks import LinearRegression, Quantifier
from icllib.training import Along, Fleet, OutOfTime, Recipe, Run, engine, jobs, records, trainer
from icllib.training.losses import recipe_losses

TASK, ERRORS = LinearRegression(2, 0.1), ErrorByLength((1, 3), 64)
SMALL = Transformer(1, 2, 8, tokens="separate")


def run(seed=0, steps=30, stops=(7, 30)):
    return Run(TASK, MLP(8), Recipe((1, 3), steps, 8, 0.01), ERRORS, seed,
               along=Along(stops, ErrorByLength((3,), 64)))


def test_what_measures_on_the_way_is_asked_for_before_training():
    lacking = replace(run(), along=Along((7,), None))
    with pytest.raises(InputError, match="evaluation: "):
        records(lambda profile: [lacking], "smoke", "test/page")


def test_a_stop_is_a_shorter_training(folders):
    jobs.train_and_save([run(0), run(1)], "smoke", folders)
    jobs.train_and_save([run(1, steps=7, stops=(7,))], "smoke", folders)
    long, short = find_record(run(1), "test"), find_record(run(1, 7, (7,)), "test")
    assert long["error_along"].shape == (2, 1)
    np.testing.assert_allclose(long["error_along"][0], short["error"][1:], rtol=1e-5)
    np.testing.assert_allclose(long["error_along"][1], long["error"][1:], rtol=1e-5)
    assert abs(long["error_along"][0] - long["error_along"][1]) > 1e-4


def test_a_copy_has_the_step_of_the_host():
    fleet = Fleet([TASK], MLP(8), Recipe((1, 3), 30, 8), [0], [None], snapshots=(7, 30))
    fleet.take_step = lambda: None  # as under a pretended driver, where nothing on a device counts
    engine.run_steps(fleet)
    assert list(fleet.kept) == [7, 30]


def test_stops_outlive_an_interruption(folders, monkeypatch):
    jobs.train_and_save([run()], "smoke", folders)
    expected = find_record(run(), "test").metrics
    next(folders.rglob("*.json")).unlink()
    asked = iter(range(100))
    with monkeypatch.context() as patch:
        patch.setattr(jobs, "stop_request", lambda *_: nullcontext(lambda: next(asked) >= 12))
        with pytest.raises(OutOfTime):
            jobs.train_and_save([run()], "smoke", folders)
    taken, take_step = [], Fleet.take_step
    monkeypatch.setattr(Fleet, "take_step", lambda fleet: (taken.append(1), take_step(fleet)))
    jobs.train_and_save([run()], "smoke", folders)
    assert len(taken) < 30 - 7  # the first stop was not trained again
    assert find_record(run(), "test").metrics == expected


def test_the_prompts_of_many_steps_at_once_are_those_of_each():
    fleet = Fleet([TASK, TASK], MLP(8), Recipe((1, 3), 250, 8), [3, 4], [None, 50])
    for step in (0, 1, 99, 100, 230, 7):
        fleet.step.fill_(step)
        alone = engine.prompt_ids(fleet.stream, step, 8, [None, 50])
        assert torch.equal(fleet.ids(), alone)


def test_cross_entropy_is_that_of_scikit_learn():
    prompt = Quantifier("some").sample(engine.Stream.of([0], "training"), torch.arange(50)[None], 5)
    log_odds = 3 * torch.randn(1, 50, 3, generator=torch.Generator().manual_seed(0))
    ours = recipe_losses(lambda *args: log_odds, prompt, Recipe((0, 2, 4), 1, loss="cross-entropy"))
    probabilities = torch.sigmoid(log_odds).flatten().double()
    labels = prompt.ys[:, :, [0, 2, 4]].flatten()
    assert float(ours) == pytest.approx(log_loss(labels, probabilities), rel=1e-5)


def test_more_positions_change_nothing_within_training():
    draw = torch.Generator().manual_seed(0)
    xs, ys = torch.randn(1, 4, 9, 2, generator=draw), torch.randn(1, 4, 9, generator=draw)
    usual = SMALL.build([0], 2, 3)
    longer = Transformer(1, 2, 8, tokens="separate", positions_up_to=8).build([0], 2, 3)
    with torch.no_grad():
        assert torch.equal(usual(xs, ys, (1, 3)), longer(xs, ys, (1, 3)))
        assert longer(xs, ys, (8,)).isfinite().all()


def test_a_model_is_asked_only_what_it_can_answer():
    for model, evaluation, refused in [
        (MLP(8), ErrorByLength((2, 5)), "lengths up to 4"),
        (FeatureMLP(prompt=True), ErrorByLength((5,)), "lengths up to 4"),
        (SMALL, ErrorByLength((5,)), "lengths up to 4"),
        (replace(SMALL, positions_up_to=7), ErrorByLength((8,)), "lengths up to 7"),
        (SMALL, Together((ErrorByLength((5,)),)), "lengths up to 4"),
        (MLP(8), ErrorByLength((2,), by_layer=True), "by_layer: expected a decoder"),
        (SMALL, ErrorByLength((2,), queries=2), "decoder of joint tokens"),
        (replace(SMALL, positions_up_to=7), ErrorByLength((7,)), None),
        (replace(SMALL, positions="none"), ErrorByLength((9,)), None),
        (FeatureMLP(), ErrorByLength((9,)), None), (SMALL, ErrorByLength((4,), by_layer=True), None), ]:
        for on_the_way in [False, True]:
            measured = {"evaluation": ERRORS, "along": Along((3,), evaluation)} if on_the_way else {
                "evaluation": evaluation}
            refuses = pytest.raises(InputError, match=refused) if refused else nullcontext()
            with refuses:
                Run(TASK, model, Recipe((2, 4), 5), **measured)


NOISY, T = LinearRegression(3, 0.5), 12
RECIPE = Recipe((2, 4), steps=6, batch=4)


def rows(prompts):
    """The prompts of each member, in an order that does not depend on when they were drawn."""
    flat = torch.cat([torch.cat((p.xs.flatten(2), p.ys), dim=2) for p in prompts], dim=1)
    return [sorted(member.tolist()) for member in flat]


class Listens:
    def __init__(self, stream):
        self.stream, self.heard = stream, []

    def predict(self, xs, ys, lengths):
        self.heard.append(type("Prompt", (), {"xs": xs, "ys": ys}))
        return torch.zeros(*xs.shape[:2], len(lengths))


def test_its_prompts_are_those_of_an_epoch():
    fleet = Fleet([NOISY] * 2, MLP(8), RECIPE, [3, 5], [T, T])
    trained_on = []
    for _ in range(T // RECIPE.batch):
        trained_on.append(fleet.sample())
        fleet.take_step()
    listens = Listens(fleet.stream)
    found = TrainingError((2, 4), T).measure([NOISY] * 2, listens)
    assert rows(listens.heard) == rows(trained_on)
    ys = torch.cat([prompt.ys for prompt in trained_on], dim=1)
    assert list(found) == ["training_error", "training_excess"]
    np.testing.assert_allclose(found["training_error"], ys[:, :, [2, 4]].square().mean(dim=1), rtol=1e-5)


@pytest.mark.parametrize("changes, evaluation", [
    ({}, TrainingError((2, 4), T + 1)), ({"pretraining_tasks": None}, TrainingError((2, 4), T)),
    ({}, TrainingError((2, 3), T)), ({}, TrainingError((2, 4), T, queries=2)),
    ({"recipe": replace(RECIPE, precision="fp64")}, TrainingError((2, 4), T))])
def test_prompts_that_training_does_not_see_are_refused(changes, evaluation):
    run = Run(NOISY, MLP(8), RECIPE, TrainingError((2, 4), T), pretraining_tasks=T)
    with pytest.raises(InputError, match="evaluation: expected|several queries"):
        replace(run, **changes, evaluation=evaluation)


def test_a_record_holds_both_errors(results):
    measured = Together((ErrorByLength((2, 4), T), TrainingError((2, 4), T)))
    runs = [Run(NOISY, MLP(8), RECIPE, measured, seed, T) for seed in (0, 1)]
    trainer.compute(runs, runs, "smoke", results / "test" / "page")
    metrics = [find_record(run, "test").metrics for run in runs]
    assert all(metric.keys() == {"error", "excess", "training_error", "training_excess"}
               for metric in metrics)
    assert metrics[0]["training_error"] != metrics[1]["training_error"]
