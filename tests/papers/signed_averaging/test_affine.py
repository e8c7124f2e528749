from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from claimbook.records import Record
from icllib.models import QASSMax, SignedAveraging, Softmax, Transformer
from icllib.streams import Stream
from icllib.tasks import AffineFunctions
from icllib.training import Recipe, records as records_of, train
from papers.signed_averaging import affine, comparisons
from papers.signed_averaging.affine import (
    DEVIANT, LearnedExponents, LineAnswers, SHAPES, SIZES, ShiftedErrors, affine_run, decoder)


@dataclass
class Answers:
    """A predictor: `of(xs, ys, n)` from the labels before the query alone."""

    of: object

    def predict(self, xs, ys, lengths):
        found = []
        for n in lengths:
            assert n < xs.shape[2]
            seen = ys[:, :, :n]  # a label that is not there yet cannot be used
            found.append(self.of(xs[:, :, : n + 1, 0], seen))
        return torch.stack(found, dim=-1)


ZERO = Answers(lambda xs, ys: 0 * xs[..., -1])
FIRST_LABEL = Answers(lambda xs, ys: ys[..., 0])
LAST_LABEL = Answers(lambda xs, ys: ys[..., -1] if ys.shape[-1] else 0 * xs[..., -1])
INPUT = Answers(lambda xs, ys: 2 * xs[..., -1])
MANY = {"functions": 8000, "prompts": 1, "points": 6}


@pytest.mark.parametrize("predictor, expected", [
    (INPUT, lambda i, f, first: f**2 * (i**2 + 1) + 4 * i**2),
    (FIRST_LABEL, lambda i, f, first: f**2 * (i**2 + first**2))])
def test_errors_of_simple_predictors_are_their_closed_forms(predictor, expected):
    shifts = ShiftedErrors((1, 3), (0.5, 2), (1, 4, 5), (1, 10), **MANY)
    found = shifts.measure([None], predictor)
    assert found["error_grid"].shape == (1, 2, 3)
    near = lambda value: pytest.approx(value, rel=0.08)  # 8,000 functions
    assert found["error"][0].tolist() == near([expected(1, f, 1) for f in (1, 3)])
    assert found["error_deviant"][0].tolist() == near([expected(1, 1, s) for s in (1, 10)])
    assert found["error_grid"][0].tolist() == [near([expected(i, f, i) for f in (1, 4, 5)]) for i in (0.5, 2)]


def test_an_error_is_a_plain_loop_over_functions_prompts_and_points():
    shifts = ShiftedErrors((2,), functions=3, prompts=4, points=7, seed=5)
    total, slopes = [], set()
    task = AffineFunctions(1.0, 2.0, 1.0, prompts_per_function=4)
    stream = Stream.of([5], "evaluation at 1, 2, 1")
    for prompt in range(12):
        sampled = task.sample(stream, torch.tensor([[prompt]]), 7)
        xs, ys = sampled.xs[0, 0, :, 0].tolist(), sampled.ys[0, 0].tolist()
        slopes.add(round((ys[1] - ys[0]) / (xs[1] - xs[0]), 3))
        for k in range(3, 8):  # the paper's k counts from 1
            total.append((ys[k - 2] - ys[k - 1]) ** 2)  # predicts the label before
    assert len(slopes) == 3 and len(total) == 12 * 5
    found = shifts.measure([None, None], LAST_LABEL)["error"]
    assert found.shape == (2, 1)  # all members meet the same prompts
    assert found.flatten().tolist() == pytest.approx([np.mean(total)] * 2, rel=1e-5)


def test_a_law_has_the_same_prompts_wherever_it_is_measured():
    small = {"functions": 5, "prompts": 2}
    every = ShiftedErrors((1, 2, 3), (1, 2), (3, 4), (1, 9), **small).measure([None], ZERO)
    alone = ShiftedErrors((3,), **small).measure([None], ZERO)
    assert set(alone) == {"error"} and alone["error"][0, 0] == every["error"][0, 2]
    assert every["error_grid"][0, 0, 0] == every["error"][0, 2]
    assert every["error_deviant"][0, 0] == every["error"][0, 0]
    assert every["error"][0, 1] != pytest.approx(4 * every["error"][0, 0])  # no scaled copy
    other = ShiftedErrors((3,), seed=1, **small).measure([None], ZERO)
    assert other["error"] != alone["error"]


def test_lines_are_asked_after_pairs_of_the_training_law():
    seen = []
    watcher = Answers(lambda xs, ys: (seen.append((xs, ys)), ys.mean(-1))[1])
    found = LineAnswers((2,), (50, 60), pairs=39, prompts=64).measure([None], watcher)["answer"]
    contexts = torch.cat([xs[0, 0, :-1] for xs, _ in seen[:64]])
    assert len(contexts) == 39 * 64 and [xs[0, :, -1].tolist() for xs, _ in seen[:1]] == [[50, 60]]
    assert abs(contexts.mean()) < 0.06 and abs(contexts.std() - 1) < 0.05
    assert all(torch.equal(ys, 2 * xs[..., :-1]) for xs, ys in seen[:64])
    assert found[0, 0].tolist() == pytest.approx([2 * contexts.mean().item()] * 2, abs=1e-5)


def test_the_deviant_prompt_is_that_of_the_text():
    answers = LineAnswers(prompts=1).measure([None], LAST_LABEL)["deviant_answers"][0]
    assert answers.tolist() == pytest.approx([0, *DEVIANT[:-1]])
    inputs = LineAnswers(prompts=1).measure([None], INPUT)["deviant_answers"][0]
    assert inputs.tolist() == pytest.approx([200, -2.18, 1.56, 0.52, 0.84])


def trained(scoring, steps):
    model = Transformer(2, 2, 8, scoring, tokens="separate")
    return train(AffineFunctions(), model, Recipe((0, 3), steps, 4, 1e-2), [0, 1], [None] * 2)


def test_exponents_start_as_told_and_are_learned():
    measure = lambda module: LearnedExponents().measure([None], SimpleNamespace(module=module))
    start = measure(Transformer(3, 2, 8, SignedAveraging(2.0, 0.5)).build([0], 1, 3))
    assert start["n"].shape == start["b"].shape == (1, 3, 2)
    assert start["n"] == pytest.approx(2.0) and start["b"] == pytest.approx(0.5)
    module = trained(SignedAveraging(), 5)
    learned = measure(module)
    excess = module.blocks[1].scoring.excess.detach().double().numpy()
    assert learned["n"][:, 1] == pytest.approx(1 + np.log1p(np.exp(excess)))
    assert (abs(learned["n"] - 1.5) > 1e-3).all() and (abs(learned["b"] - 1) > 1e-3).all()
    assert measure(trained(Softmax(), 1)) == {}
    assert measure(Transformer(1, 2, 8, attention=False).build([0], 1, 3)) == {}


def test_the_paper_s_settings():
    """Section 3 and Appendices A.1 and B; models without a part are those of Table 6."""
    run = affine_run(SIZES["paper"], decoder(SIZES["paper"], SignedAveraging()), 2)
    recipe, curriculum = run.recipe, run.recipe.curriculum
    assert run.model == Transformer(12, 8, 256, SignedAveraging(1.5, 1.0), "separate")
    assert (recipe.steps, recipe.batch, recipe.learning_rate) == (500_000, 64, 1e-4)
    assert (recipe.schedule, recipe.warmup, recipe.weight_decay) == ("constant", 0.0, 0.0)
    assert recipe.lengths == tuple(range(40)) and run.pretraining_tasks is None
    assert (curriculum.start, curriculum.increment, curriculum.every) == (3, 2, 2000)
    assert run.task == AffineFunctions() and run.seed == 2
    errors = run.evaluation.parts[0]
    assert (errors.functions, errors.prompts, errors.points) == (100, 64, 40)
    assert errors.function_stds == run.along.evaluation.function_stds == tuple(range(1, 11))
    assert run.along.steps == (31_250, 62_500, 125_000, 250_000, 500_000)
    assert affine_run(SIZES["paper"], run.model, 0, curriculum=False).recipe.curriculum is None
    assert [shape.name for shape in SHAPES] == list(comparisons.TABLE_6)
    deep = affine.Shape(18, 8).runs("paper")[2]
    assert (deep.model, deep.task) == (Transformer(18, 8, 256, tokens="separate"), run.task)
    two_of_32 = SHAPES[-2].runs("cpu")[0].model
    assert (two_of_32.layers, two_of_32.heads, two_of_32.perceptron) == (2, 32, False)


GOLDEN = {"error": [4.09505, 235.672], "answer": 0.00573407, "error_along": 4.09505}


def test_golden_numbers_of_a_small_run(results):
    """Whoever moves them raises the version of what moved."""
    size = SIZES["smoke"]
    run = affine_run(size, decoder(size, SignedAveraging()), 3)
    record = records_of(lambda profile: [run], "smoke", page="signed_averaging/test")[0]
    found = {"error": record["error"][[0, -1]].tolist(), "answer": record["answer"][2, -1],
             "error_along": record["error_along"][-1, 0]}
    assert found == {name: pytest.approx(value, rel=1e-3) for name, value in GOLDEN.items()}


def test_a_function_has_the_next_seeds_that_others_lack(results):
    runs = affine.scorings_on_affine_functions("cpu")
    ours = [run for run in runs if isinstance(run.model.scoring, QASSMax)]
    whole = [run for run in runs if run.seed < 3 and run not in ours]
    for run in [*whole, runs[3], runs[9]]:
        Record.of(run, {"error": [float(run.seed)]}, {"profile": "cpu"}).save(
            results / "signed_averaging/page")
    found = comparisons.of_every_function(
        affine.scorings_on_affine_functions, "stored", "signed_averaging/page")
    assert [(affine.scoring_of(record.component), record.component.seed) for record in found] == [
        (name, seed) for name in affine.NAMES if name != "QASSMax" for seed in range(3 + (name == "SSA"))]
