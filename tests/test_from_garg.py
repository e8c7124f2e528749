"""Public configurations, as the how-to page writes them: their laws, and a few steps of each."""

import re
from dataclasses import replace

import pytest
import torch

from claimbook.records import PROJECT, from_settings, settings
from icllib.evaluate import ErrorByLength, OnTask, Together
from icllib.streams import Stream
from icllib.tasks import LinearRegression
from icllib.training import Trained, train

PAGE = (PROJECT / "book/howto/coming_from_garg.md").read_text("utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
RUNS = {}
for block in BLOCKS[:-1]:  # the last one trains
    exec(block, RUNS)
RUNS = RUNS["runs"]
STREAM, IDS = Stream.of([0], "training"), torch.arange(4000)[None]
SQUARES = {  # E y^2 of d coordinates, from the definitions of the public code
    "linear_regression.yaml": lambda d: d, "sparse_linear_regression.yaml": lambda d: 3,
    "relu_2nn_regression.yaml": lambda d: d, "decision_tree.yaml": lambda d: 1,
    "toy.yaml": lambda d: d, "noisy_linear_regression": lambda d: d + 0.25,
    "num_training_examples": lambda d: d, "mixture": lambda d: (d + 3) / 2,
    "icl/configs/example.py": lambda d: d + 0.25}
POOLED = {"num_tasks": (64, 0)}  # functions and seed


def pool_squares(name, d):
    """E y^2 given the functions of a pool: the mean of |w|^2 over them."""
    functions, seed = POOLED[name]
    weights = Stream.of([seed], "pool").normal(torch.arange(functions)[None], "weights", (20,))
    return weights[0, :, :d].square().sum(dim=1).mean()


def test_the_page_has_ten_configurations_of_at_most_fifteen_lines():
    assert RUNS.keys() == SQUARES.keys() | POOLED.keys() and len(RUNS) == 10
    assert max(len(block.splitlines()) for block in BLOCKS) <= 15


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize("step, coordinates", [(0, 5), (1999, 5), (2000, 6), (29_999, 19), (30_000, 20)])
def test_samplers_have_the_moments_of_the_closed_forms(name, step, coordinates):
    run = RUNS[name]
    d = coordinates if run.recipe.dimensions else run.task.dimension
    xs, ys, _ = run.task.sample(STREAM, IDS, 1, active=run.recipe.active(torch.tensor(step)))
    near = lambda values, expected: abs(values.mean() - expected) < 4.5 * values.std() / len(IDS[0])**0.5
    assert near(ys[0, :, 0], 0)
    expected = pool_squares(name, d) if name in POOLED else SQUARES[name](d)
    assert near(ys[0, :, 0] ** 2, expected)
    inputs = xs[0, :, 0]
    assert near(inputs[:, :d].square().mean(dim=1), 1) and near(inputs[:, :d].mean(dim=1), 0)
    assert not inputs[:, d:].any()


@pytest.mark.parametrize("name", RUNS)
def test_a_few_steps_of_each(name):
    run = RUNS[name]
    assert from_settings(settings(run)) == run
    points = max(run.recipe.lengths)
    model = replace(run.model, layers=1, heads=2, width=16)
    recipe = replace(run.recipe, steps=3, batch=2)
    trained = Trained(train(run.task, model, recipe, [0], [run.pretraining_tasks]))
    assert all(values.isfinite().all() for values in trained.module.state_dict().values())
    errors = ErrorByLength(range(points + 1), prompts=4)
    evaluation = errors
    if isinstance(run.evaluation, Together):
        own = run.evaluation.parts[1]
        assert isinstance(own, OnTask) and own.task == LinearRegression(8, noise_std=0.5)
        evaluation = Together((errors, replace(own, evaluation=errors)))
    metrics = evaluation.measure(run.task, trained)
    assert {"error", "excess"} <= metrics.keys()
    assert metrics["error"].shape == (1, points + 1) and (metrics["error"] > 0).all()
    assert ("latent_error" in metrics) == isinstance(run.evaluation, Together)


def test_the_points_of_a_curriculum_are_those_of_the_public_loop():
    """n_points after each update, as `curriculum.py` of Garg et al. computes it."""
    for name, end in (("linear_regression.yaml", 41), ("decision_tree.yaml", 101)):
        recipe, own = RUNS[name].recipe, RUNS[name].recipe.curriculum
        counted, steps = own.start, 40_000
        for step in range(0, steps, 500):
            if step and step % own.every == 0:
                counted = min(counted + own.increment, end)
            weights = recipe.length_weights(torch.tensor(step))
            assert (weights > 0).tolist() == [length < counted for length in range(end)]
            assert weights.sum().item() == pytest.approx(end)
