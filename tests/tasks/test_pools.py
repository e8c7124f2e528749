"""Pools of functions, mixtures and inputs with few coordinates against plain loops and their laws."""

import math

import pytest
import torch
from standard_errors import STREAM

from icllib.baselines import DiscreteMMSE
from icllib.models import Transformer
from icllib.streams import Stream
from icllib.tasks import (AffineFunctions, DecisionTree, FunctionPool, LinearClassification, LinearRegression,
                          Mixture, ReluNetwork, SigmoidRegression, SparseLinear, TwoNoiseLevels, sample_each)
from icllib.training import Curriculum, Recipe, train

DOUBLE, MANY = torch.float64, torch.arange(10_000)[None]
LINEAR = LinearRegression(3, noise_std=0.5)


def weights_of(xs, means):
    """The weights of each prompt, from as many points as coordinates: (B, d)."""
    return torch.linalg.solve(xs[0], means[0])


def test_a_pool_equals_a_plain_loop():
    pool, ids = FunctionPool(LINEAR, 5, seed=9), torch.tensor([[4, 8, 9, 10]])
    prompt = pool.sample(STREAM, ids, 6)
    drawn_once = Stream.of([9], "pool").normal(torch.arange(5)[None], "weights", (3,))[0]
    fresh = LINEAR.sample(STREAM, ids, 6)  # whose inputs and noise the prompts have
    for place in range(4):
        word = STREAM.words(ids, "function of the pool", 1)[0, place, 0].item()
        weights = drawn_once[word * 5 >> 32].tolist()
        for point in range(6):
            x = prompt.xs[0, place, point].tolist()
            mean = sum(w * one for w, one in zip(weights, x))
            noise = (fresh.ys - fresh.means)[0, place, point].item()
            assert x == fresh.xs[0, place, point].tolist()
            assert prompt.ys[0, place, point].item() == pytest.approx(mean + noise, abs=1e-5)


def test_training_and_evaluation_share_the_functions_and_no_inputs():
    pool = FunctionPool(LinearRegression(2), 1)
    prompts = [pool.sample(Stream.of([seed], purpose), torch.arange(3)[None], 2, dtype)
               for seed, purpose, dtype in ((0, "training", DOUBLE), (7, "training", DOUBLE),
                                            (0, "evaluation", torch.float32))]
    first, *others = (weights_of(xs.double(), means.double()) for xs, _, means in prompts)
    for other in others:
        torch.testing.assert_close(other, first[:1].expand(3, -1), atol=1e-3, rtol=0)
    assert not torch.isclose(prompts[0].xs, prompts[1].xs).any()


@pytest.mark.parametrize("task", [
    AffineFunctions(prompts_per_function=2), LinearClassification(3), ReluNetwork(3, 4),
    DecisionTree(3, 2), SigmoidRegression(3), TwoNoiseLevels(3)], ids=lambda task: type(task).__name__)
def test_functions_of_every_kind_of_a_pool_of_one_are_the_same(task):
    """The label of a point is then a function of the point, whatever prompt it stands in."""
    pool, ids = FunctionPool(task, 1), torch.arange(6)[None]
    alone = task.of_function
    prompt = pool.sample(STREAM, ids, 4)
    stream = pool.stream(STREAM)
    own = task.sample(Stream.of([0], "pool"), torch.zeros_like(ids), 4)
    assert all(torch.equal(stream.words(ids, name, 3), Stream.of([0], "pool").words(ids, name, 3))
               for name in alone)
    assert len(own.means[0].unique(dim=0)) == 1 and len(prompt.xs[0].unique(dim=0)) == 6
    if isinstance(task, AffineFunctions):
        slopes = prompt.means.diff() / prompt.xs[..., 0].diff()
        torch.testing.assert_close(slopes, slopes[:, :1, :1].expand_as(slopes), rtol=1e-3, atol=1e-3)


def test_the_posterior_mean_over_a_pool_equals_a_plain_sum():
    pool = FunctionPool(LINEAR, 6, seed=2)
    xs, ys, _ = pool.sample(STREAM, torch.arange(4)[None], 5, DOUBLE)
    best = DiscreteMMSE(pool)
    functions = best.weights("cpu").tolist()
    found = best.predict(xs, ys, (0, 4))[0]
    product = lambda w, x: sum(one * other for one, other in zip(w, x))
    for b in range(4):
        for k, n in enumerate((0, 4)):
            chances = [math.exp(-sum((ys[0, b, i].item() - product(w, xs[0, b, i].tolist())) ** 2
                                     for i in range(n)) / (2 * 0.5**2)) for w in functions]
            expected = sum(p * product(w, xs[0, b, n].tolist())
                           for p, w in zip(chances, functions)) / sum(chances)
            assert found[b, k].item() == pytest.approx(expected, rel=1e-6)


def test_a_mixture_equals_a_plain_choice():
    parts = LinearRegression(3, 0.5), SparseLinear(3, 1), LinearRegression(3, inputs="uniform")
    mixture, ids = Mixture(parts, (1, 2, 1)), torch.arange(50)[None]
    prompt = mixture.sample(STREAM, ids, 4, DOUBLE)
    each = [part.sample(STREAM, ids, 4, DOUBLE) for part in parts]
    for place in range(50):
        number = STREAM.uniform(ids, "part of the mixture", (), DOUBLE)[0, place].item()
        which = 0 if number < 0.25 else 1 if number < 0.75 else 2
        for ours, expected in zip(prompt, each[which]):
            assert torch.equal(ours[0, place], expected[0, place])


def test_a_mixture_of_classes_has_one_hot_labels():
    mixture = Mixture((LinearClassification(3, 4), LinearClassification(3, 4)))
    assert mixture.classes == 4 and mixture.sample(STREAM, MANY[:, :2], 5).ys.shape == (1, 2, 5, 4)


CUT = [LinearRegression(5, 0.5, input_mean=1.0), LinearRegression(5, inputs="uniform"),
       TwoNoiseLevels(5), SparseLinear(5, 2), SigmoidRegression(5), ReluNetwork(5, 4),
       DecisionTree(5, 2), LinearClassification(5), FunctionPool(SparseLinear(5, 2), 3),
       Mixture((LinearRegression(5), ReluNetwork(5)))]


@pytest.mark.parametrize("task", CUT, ids=lambda task: type(task).__name__)
def test_the_other_coordinates_are_zero_before_labels_are_made(task):
    ids = torch.arange(300)[None]
    whole, cut = (task.sample(STREAM, ids, 4, DOUBLE, active) for active in (None, torch.tensor(3)))
    assert torch.equal(cut.xs[..., :3], whole.xs[..., :3]) and not cut.xs[..., 3:].any()
    assert not torch.equal(cut.means, whole.means)
    all_of_them = task.sample(STREAM, ids, 4, DOUBLE, torch.tensor(9))
    assert all(torch.equal(*pair) for pair in zip(all_of_them, whole))


def test_a_curriculum_over_dimensions_equals_a_plain_loop():
    """Both curricula of Garg et al., for two members of their own tasks, step by step."""
    recipe = Recipe(tuple(range(5)), steps=7, batch=3, learning_rate=2**-7, precision="fp64",
                    curriculum=Curriculum(3, 1, 4), dimensions=Curriculum(1, 2, 3))
    task, model = SparseLinear(4, 2), Transformer(1, 2, 8, tokens="separate")
    module, stream = model.build([3], 4, 4).double(), Stream.of([3], "training")
    optimizer = torch.optim.Adam(module.parameters(), lr=2**-7)
    for step in range(7):
        dims, points = 1 + 2 * (step // 3), 3 + step // 4
        ids = torch.arange(3 * step, 3 * step + 3)[None]
        xs, ys, _ = task.sample(stream, ids, 5, DOUBLE, torch.tensor(dims))
        assert not xs[..., dims:].any() and xs[..., : min(dims, 4)].all()
        lengths = tuple(range(points))
        loss = (module(xs[:, :, :points], ys[:, :, :points], lengths) - ys[..., :points]).square()
        optimizer.zero_grad()
        loss.mean().backward()
        optimizer.step()
    trained = train(task, model, recipe, [5, 3])
    for name, values in module.state_dict().items():
        if not name.endswith("qkv.bias"):  # softmax ignores key biases
            torch.testing.assert_close(trained.state_dict()[name][1:], values, rtol=0, atol=1e-9)


def test_members_of_different_tasks_have_the_same_coordinates():
    tasks, ids = [LinearRegression(4), SparseLinear(4, 1)], torch.arange(3).expand(2, -1)
    prompt = sample_each(tasks, Stream.of([0, 1], "training"), ids, 3, active=torch.tensor(2))
    assert prompt.xs[..., :2].all() and not prompt.xs[..., 2:].any()
