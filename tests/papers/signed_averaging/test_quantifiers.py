import math

import numpy as np
import pytest
import torch

from icllib.models import SignedAveraging, Softmax, Transformer
from icllib.tasks import Quantifier
from icllib.training.run import Trained
from papers.signed_averaging import quantifiers
from papers.signed_averaging.quantifiers import AttentionMaps, Cell, QuantifierErrors, SIZES, last_attention

LAWS = ("independent", "balanced")
TASKS = [Quantifier(quantifier, law=law) for quantifier in ("every", "some") for law in LAWS]
by_task = pytest.mark.parametrize("task", TASKS, ids=lambda task: f"{task.quantifier} {task.law}")


class Erratic:
    """Right, except where the number lies in one of many narrow strips; remembers its prompts."""

    def __init__(self):
        self.seen = []

    def predict(self, xs, ys, lengths):
        self.seen.append((xs, ys))
        flipped = (xs[..., 0] * 7).floor() % 10 == 3
        return torch.where(flipped, 0.5 - ys, ys - 0.5)


@by_task
def test_counts_are_those_of_a_loop(task):
    evaluation, erratic = QuantifierErrors((1, 5), (4, 9), 10, seed=2), Erratic()
    found = evaluation.measure([task], erratic)
    for i in range(2):
        prompts = [(x, y) for xs, ys in erratic.seen for x, y in zip(xs[0, ..., 0], ys[0])]
        by_length = {n: [p for p in prompts if len(p[0]) == n] for n in (4, 9)}
        own = {n: rows[i * 10 : i * 10 + 10] for n, rows in by_length.items()}
        if task.law == "independent":
            own[4] = own[9]
        for k, n in enumerate((4, 9)):
            flips = [[math.floor(x * 7) % 10 == 3 for x in xs[:n].tolist()] for xs, _ in own[n]]
            wrong = sum(any(row[2:]) for row in flips)
            assert found["wrong"][0, i, k] == pytest.approx(wrong / 10, abs=1e-12) and 0 < wrong
            positions = sum(sum(row[2:]) for row in flips) / (10 * (n - 2))
            assert found["wrong_positions"][0, i, k] == pytest.approx(positions, abs=1e-12)
        at = np.array(flips).mean(0)
        np.testing.assert_allclose(found["wrong_at"][0, i], at, atol=1e-12)


def test_models_see_the_same_sequences_and_sigmas_others():
    evaluation, erratic = QuantifierErrors((1, 5), (6,), 4), Erratic()
    evaluation.measure([TASKS[0], TASKS[2]], erratic)
    small, large = (xs for xs, _ in erratic.seen)
    assert torch.equal(small[0], small[1]) and torch.equal(large[0], large[1])
    assert 3 < large.std() < 8
    ratios = large[0, ..., 0][:, None] / small[0, ..., 0]
    assert not (ratios - 5).abs().max(-1).values.lt(1e-3).any()


def by_hand(module, tokens):
    """The map of a one-layer model with two heads, from its parameters: (2, T, T)."""
    value = lambda parameter: parameter.detach().double().numpy()[0]
    hidden = tokens[:, None] * value(module.embed.weight) + value(module.embed.bias)
    hidden = hidden + value(module.positions)[: len(tokens)]
    normal = (hidden - hidden.mean(1, keepdims=True)) / np.sqrt(hidden.var(1, keepdims=True) + 1e-5)
    block = module.blocks[0]
    q, k, _ = np.split(normal @ value(block.qkv.weight) + value(block.qkv.bias), 3, axis=1)
    maps = []
    for head in range(2):
        own = slice(head * 4, head * 4 + 4)
        z = q[:, own] @ k[:, own].T / 2
        f = np.exp(z)
        if hasattr(block.scoring, "log_b"):
            n, b = value(block.scoring.n)[head], value(block.scoring.b)[head]
            f = (1 + b * np.abs(z)) ** (np.sign(z) * n)
        f = np.tril(f)
        maps.append(f / f.sum(1, keepdims=True))
    return np.array(maps)


@pytest.mark.parametrize("scoring", [Softmax(), SignedAveraging(1.8, 2.0)], ids=["softmax", "SSA"])
def test_the_map_of_the_last_layer_is_the_one_by_hand(scoring):
    module = Transformer(1, 2, 8, scoring, tokens="separate").build([3], 1, 3)
    with torch.no_grad():
        module.blocks[0].qkv.weight.mul_(40)  # so that weights differ
    found = AttentionMaps(((1.0, -2.0, 3.0, 70.0),)).measure([TASKS[0]], Trained(module))
    expected = by_hand(module, np.array([1.0, 1, -2, 0, 3, 0, 70]))
    np.testing.assert_allclose(found["attention"][0, 0], expected, atol=1e-5)
    assert np.ptp(expected[:, -1]) > 0.1
    assert found["log_odds"].shape == (1, 1, 4)


def test_the_map_is_that_of_the_last_layer():
    module = Transformer(2, 2, 8, tokens="separate").build([0], 1, 4)
    xs, ys = torch.randn(1, 1, 4, 1), torch.zeros(1, 1, 4)
    with torch.no_grad():
        module.blocks[1].qkv.weight.zero_()
        weights = last_attention(module, xs, ys)[1]
    for row in range(7):
        assert torch.allclose(weights[..., row, : row + 1], torch.tensor(1 / (row + 1)))


def test_the_paper_s_settings():
    """Section 3, Appendix A and the captions of Figures 4 and 5."""
    run = Cell("every", quantifiers.AS_PRINTED, "SSA").run(SIZES["paper"], 1)
    assert run.model == Transformer(12, 8, 256, SignedAveraging(1.5, 1.0), tokens="separate",
                                    positions_up_to=200)
    recipe = run.recipe
    assert (recipe.steps, recipe.batch, recipe.learning_rate) == (500_000, 64, 1e-4)
    assert (recipe.loss, recipe.schedule, recipe.lengths) == ("cross-entropy", "constant", tuple(range(40)))
    curriculum = recipe.curriculum
    assert (curriculum.start, curriculum.increment, curriculum.every) == (3, 2, 2000)
    assert int(recipe.length_weights(torch.tensor(0)).count_nonzero()) == 3
    errors, maps = run.evaluation.parts
    assert errors.sigmas == tuple(range(1, 31)) and errors.sequences == 6400 and run.seed == 1
    assert errors.lengths == tuple(range(10, 201, 10)) and maps.examples[0] == (1, -2, 3, 70)
