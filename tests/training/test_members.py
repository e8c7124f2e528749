"""A fleet is its members: to rounding in fp32, to 1e-12 in fp64."""

import re
from dataclasses import replace

import pytest
import torch

from claimbook.records import find_record
from claimbook.records.errors import InputError
from icllib.evaluate import ErrorByLength
from icllib.models import MLP, Relu, SignedAveraging, Softmax, Transformer
from icllib.tasks import LinearRegression, SparseLinear
from icllib.training import Fleet, Recipe, Run, Trained, jobs
from icllib.training.engine import run_steps
from small_fleet import RECIPE, runs

MODELS = [MLP(8), Transformer(2, 2, 8), Transformer(1, 2, 8, scoring=SignedAveraging()),
          Transformer(1, 2, 8, tokens="separate")]
SEEDS, TASK_COUNTS, RATES = [3, 1, 2**32 - 1], [10, None, 30], [2**-10, 2**-9, 2**-8]


def trained(tasks, model, recipe, seeds, counts, rates=None):
    fleet = Fleet(tasks, model, recipe, seeds, counts, "cpu", rates)
    run_steps(fleet)
    return fleet


@pytest.mark.parametrize("precision, tolerance", [("fp32", 1e-5), ("fp64", 1e-12)])
@pytest.mark.parametrize("model", MODELS, ids=str)
def test_sixty_steps_of_a_fleet_equal_single_runs(model, precision, tolerance):
    """Whose tasks, seeds, numbers of stored prompts and learning rates differ."""
    tasks = [LinearRegression(3, 0.1), SparseLinear(3, 2), LinearRegression(3, 0.1)]
    recipe = Recipe((2, 4), 60, 8, RATES[0], "cosine", 0.1, weight_decay=0.1, precision=precision)
    together = trained(tasks, model, recipe, SEEDS, TASK_COUNTS, RATES)
    for member, (task, seed, count, rate) in enumerate(zip(tasks, SEEDS, TASK_COUNTS, RATES)):
        alone = trained([task], model, replace(recipe, learning_rate=rate), [seed], [count])
        assert torch.allclose(together.losses[:60, member], alone.losses[:60, 0], atol=1e-5)
        prompt = alone.sample()
        answers = [fleet.module(prompt.xs.expand(size, -1, -1, -1), prompt.ys.expand(size, -1, -1),
                                (2, 4)) for fleet, size in ((together, 3), (alone, 1))]
        assert (answers[0][member] - answers[1][0]).abs().max() < tolerance


@pytest.mark.parametrize("trainable", [True, False])
def test_members_with_their_own_scoring_parameters_equal_single_runs(trainable):
    models = [Transformer(1, 2, 8, scoring=SignedAveraging(n, b, trainable))
              for n, b in ((1.5, 1.0), (2.0, 0.5), (3.0, 0.1))]
    tasks = [LinearRegression(3)] * 3
    recipe = Recipe((2, 4), 30, 8, learning_rate=1e-2, precision="fp64")
    together = Fleet(tasks, models[0], recipe, SEEDS, [None] * 3, models=models)
    run_steps(together)
    for member, model in enumerate(models):
        alone = Fleet(tasks[:1], model, recipe, [SEEDS[member]], [None])
        run_steps(alone)
        assert torch.allclose(together.losses[:30, member], alone.losses[:30, 0], rtol=1e-5)
        ours, theirs = (fleet.module.blocks[0].scoring for fleet in (together, alone))
        assert torch.allclose(ours.n[member], theirs.n[0], atol=1e-10)


@pytest.mark.parametrize("given, message", [
    ({"pretraining_tasks": [None, 1.5]}, "pretraining_tasks: "),
    ({"pretraining_tasks": [None]}, r"pretraining_tasks: .* each of 2 seeds, got \[None\]"),
    ({"learning_rates": [1e-3, -1.0]}, "learning_rates: "),
    ({"models": [MLP(8)]}, r"models: .* each of 2 seeds, got \[MLP"),
    ({"tasks": LinearRegression(3)}, "tasks: .* each of 2 seeds, got LinearRegression"),
    ({"models": [Transformer(1, 2, 8, scoring=Softmax()), Transformer(1, 2, 8, scoring=Relu())]}, "models: "),
    ({"tasks": [LinearRegression(3), LinearRegression(2)]}, "tasks: "),
    ({"snapshots": (500,)}, "snapshots: ")])
def test_what_is_given_per_member_must_fit_the_members(given, message):
    sound = {"tasks": [LinearRegression(3)] * 2, "model": MLP(8), "recipe": Recipe((2,), 1),
             "seeds": [0, 1], "pretraining_tasks": [None, 5]}
    Fleet(**sound)
    with pytest.raises(InputError, match=message):
        Fleet(**sound | given)


def test_runs_that_differ_in_scoring_parameters_or_rate_share_a_fleet():
    def run(rate=1e-3, n=1.5, trainable=True, width=8):
        model = Transformer(1, 2, width, scoring=SignedAveraging(n, 1.0, trainable))
        recipe = Recipe((2,), 10, learning_rate=rate)
        return Run(LinearRegression(3), model, recipe, ErrorByLength((2,)))

    assert run().shape == run(rate=1.0).shape == run(n=2.0).shape
    assert len({run().shape, run(trainable=False).shape, run(width=16).shape}) == 3


def test_a_member_that_diverges_is_recorded_and_the_others_do_not_notice(folders):
    wild = replace(RECIPE, learning_rate=1e30, steps=60)
    tame = replace(RECIPE, steps=60)
    together = [*runs(tame, seeds=(0,)), *runs(wild, seeds=(1,)), *runs(tame, seeds=(2,))]
    jobs.train_and_save(together, "smoke", folders)
    records = [find_record(run, "test") for run in together]
    assert [record.provenance.get("diverged", False) for record in records] == [False, True, False]
    alone = Fleet([LinearRegression(2, 0.1)] * 2, MLP(8), tame, [0, 2], [20, 20])
    run_steps(alone)
    errors = ErrorByLength((1, 3), 64).measure([LinearRegression(2, 0.1)] * 2,
                                               jobs.Trained(alone.module))["error"]
    for record, expected in zip((records[0], records[2]), errors):
        assert record.metrics["error"] == pytest.approx(expected.tolist(), rel=1e-4)


def test_a_fleet_prints_its_members_and_in_notebooks_its_weights():
    fleet = Trained(Transformer(1, 2, 8).build((0, 1), 2, 3))
    parameters = dict(fleet.module.named_parameters())
    first, second = repr(fleet).splitlines()
    assert first == f"Trained: 2 members of {sum(own[0].numel() for own in parameters.values()):,} parameters each"
    assert "width=8" in second
    cells = re.findall("<t[hd]>(.+?)</t[hd]>", fleet._repr_html_())
    assert cells == ["shape", *(cell for name, own in parameters.items()
                                for cell in (name, " x ".join(str(size) for size in own[0].shape)))]
