"""What each task draws, against plain loops, closed forms and laws."""

import math

import numpy as np
import pytest
import torch
from scipy import stats

from claimbook.records.errors import InputError
from icllib.baselines import DiscreteMMSE
from icllib.streams import Stream
from icllib.tasks import (
    AffineFunctions, DecisionTree, FunctionPool, LinearClassification, LinearRegression, Quantifier,
    ReluNetwork, SigmoidRegression, SourceCapacityRegression, SparseFeatureRegression, SparseLinear,
    TwoNoiseLevels, networks)
from icllib.theory import riccati

from standard_errors import STREAM, within_four_standard_errors

IDS, DOUBLE = torch.tensor([[4, 8, 9]]), torch.float64
MANY = torch.arange(20_000)[None]


@pytest.mark.parametrize("dtype", (torch.float32, DOUBLE))
def test_prompts_of_one_level_are_those_of_the_mixture(dtype):
    task, ids = TwoNoiseLevels(20, weight_std=20**-0.5), torch.arange(100)[None]
    mixture, levels = task.sample(STREAM, ids, 5, dtype), task.levels(STREAM, ids)
    assert within_four_standard_errors(task.levels(STREAM, MANY), 0.5)
    for level, noise_std in enumerate(task.noise_stds):
        alone = task.at_level(level)
        assert (alone.noise_std, alone.weight_std) == (noise_std, task.weight_std)
        for ours, expected in zip(mixture, alone.sample(STREAM, ids, 5, dtype)):
            assert torch.equal(ours[levels == level], expected[levels == level])


@pytest.mark.parametrize("active", [6, 4])
def test_support_is_a_uniform_subset_of_the_active_coordinates(active):
    prompt = SparseLinear(6, nonzero=3).sample(STREAM, MANY, active, DOUBLE, torch.tensor(active))
    weights = torch.linalg.solve(prompt.xs[0, ..., :active], prompt.ys[0])
    support = weights.abs() > 1e-6
    assert (support.sum(-1) == 3).double().mean() > 0.999  # but for ill-conditioned prompts
    for i in range(active):
        assert within_four_standard_errors(support[:, i], 3 / active)
        for j in range(i):
            assert within_four_standard_errors(support[:, i] & support[:, j], 3 * 2 / (active * (active - 1)))
    values = weights[support]
    assert within_four_standard_errors(values[values.abs() < 5] ** 2, 1)


@pytest.mark.parametrize("centred", (True, False))
def test_sigmoid_regression_equals_a_plain_loop(centred):
    prompt = SigmoidRegression(16, centred).sample(STREAM, IDS, 6, DOUBLE)
    uniform = STREAM.uniform(IDS, "xs", (6, 16), DOUBLE)[0].tolist()
    weights = STREAM.normal(IDS, "weights", (16,), DOUBLE)[0].tolist()
    for b in range(3):
        for i in range(6):
            point = [2 * u - 1 for u in uniform[b][i]]
            label = 1 / (1 + math.exp(-sum(w * x for w, x in zip(weights[b], point)))) - (0.5 if centred else 0)
            assert prompt.xs[0, b, i].tolist() == pytest.approx(point, abs=1e-14)
            assert prompt.ys[0, b, i].item() == pytest.approx(label, abs=1e-13)
    assert torch.equal(prompt.ys, prompt.means)


@pytest.mark.parametrize("first, sharing", [(None, 1), (50.0, 1), (None, 4)])
def test_affine_functions_equal_a_plain_loop(first, sharing):
    task = AffineFunctions(2.0, 3.0, first, sharing)
    prompt = task.sample(STREAM, IDS, 6, DOUBLE)
    draws = STREAM.normal(IDS, "xs", (6, 1), DOUBLE)[0].tolist()
    for b, id in enumerate(IDS[0].tolist()):
        function = STREAM.normal(torch.tensor([[id // sharing]]), "function", (2,), DOUBLE)
        a, c = (3 * number for number in function[0, 0].tolist())
        for i in range(6):
            x = draws[b][i][0] * (first if first is not None and i == 0 else 2.0)
            assert prompt.xs[0, b, i, 0].item() == pytest.approx(x, rel=1e-13)
            assert prompt.ys[0, b, i].item() == pytest.approx(a * x + c, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("inputs, mean", [("normal", 0.0), ("normal", 1.5), ("uniform", 2.0)])
def test_sample_equals_a_plain_loop(inputs, mean):
    task = LinearRegression(3, noise_std=0.3, weight_std=0.5, inputs=inputs, input_mean=mean)
    ids, dtype = torch.tensor([[4, 8]]), torch.float64
    prompt = task.sample(STREAM, ids, 6, dtype)
    xs = (STREAM.normal(ids, "xs", (6, 3), dtype) if inputs == "normal"
          else 2 * STREAM.uniform(ids, "xs", (6, 3), dtype) - 1)
    weights, noise = (STREAM.normal(ids, name, size, dtype)
                      for name, size in (("weights", (3,)), ("noise", (6,))))
    for b in range(2):
        for i in range(6):
            point = [xs[0, b, i, k].item() + mean for k in range(3)]
            label = sum(0.5 * weights[0, b, k].item() * point[k] for k in range(3))
            assert prompt.xs[0, b, i].tolist() == pytest.approx(point, abs=1e-14)
            assert prompt.means[0, b, i].item() == pytest.approx(label, abs=1e-14)
            label += 0.3 * noise[0, b, i].item()
            assert prompt.ys[0, b, i].item() == pytest.approx(label, abs=1e-14)


def two_normal(values):
    """The distribution function of one normal number in ten with three times the deviation, of variance 1."""
    return 0.9 * stats.norm.cdf(values * 1.8**0.5) + 0.1 * stats.norm.cdf(values * 1.8**0.5 / 3)


LAWS = {  # of variance 1
    "normal": stats.norm.cdf, "uniform": stats.uniform(-3**0.5, 2 * 3**0.5).cdf,
    "laplace": stats.laplace(scale=0.5**0.5).cdf, "exponential": stats.expon(loc=-1).cdf,
    "student": stats.t(4, scale=0.5**0.5).cdf, "mixture": two_normal}


@pytest.mark.parametrize("law", LAWS)
def test_inputs_weights_and_noise_have_the_laws_of_scipy(law):
    task = LinearRegression(1, 0.5, 2.0, law, 0.0, law, law, degrees=4)
    xs, ys, means = task.sample(STREAM, torch.arange(10_000)[None], 1, torch.float64)
    inputs = xs[0, :, 0, 0] * (3**0.5 if law == "uniform" else 1)
    for numbers in (inputs, means[0, :, 0] / xs[0, :, 0, 0] / 2, (ys - means)[0, :, 0] / 0.5):
        assert stats.kstest(numbers.numpy(), LAWS[law]).pvalue > 1e-3
    if law != "student":  # whose fourth moment is infinite here
        assert within_four_standard_errors(ys**2, task.label_variance)


def test_autoregressive_inputs_and_noise_follow_each_other():
    task = LinearRegression(2, 0.5, inputs="autoregressive", noise="autoregressive")
    xs, ys, means = task.sample(STREAM, torch.arange(4000)[None], 4)
    for numbers in (xs, 2 * (ys - means)):
        for apart in (0, 1, 2):
            product = numbers[:, :, 3] * numbers[:, :, 3 - apart]
            assert within_four_standard_errors(product, 0.9**apart)


@pytest.mark.parametrize("law", LAWS)
def test_a_pool_has_so_many_weights_of_every_law_and_new_inputs(law):
    pool = FunctionPool(LinearRegression(1, 1e-9, weights=law, inputs=law), 2)
    xs, ys, _ = pool.sample(STREAM, torch.arange(200)[None], 1, torch.float64)
    slopes = (ys / xs[..., 0])[0, :, 0]
    assert len(np.unique(slopes.numpy().round(4))) == 2
    assert len(xs.unique()) == 200
    known = DiscreteMMSE(pool).weights("cpu")[:, 0].sort().values
    assert torch.allclose(torch.stack((slopes.min(), slopes.max())), known, atol=1e-4)


@pytest.mark.parametrize("settings, name", [({"weights": "autoregressive"}, "weights"), ({"noise": "cauchy"}, "noise"),
                                            ({"degrees": 2}, "degrees")])
def test_laws_without_a_variance_or_an_order_are_refused(settings, name):
    with pytest.raises(InputError, match=name):
        LinearRegression(2, **settings)


def test_a_posterior_mean_of_other_noise_is_refused():
    with pytest.raises(InputError, match="noise"):
        DiscreteMMSE(FunctionPool(LinearRegression(2, 0.5, noise="laplace"), 3))


def angle(one, other):
    return torch.acos(torch.cosine_similarity(one, other, dim=-1))


@pytest.mark.parametrize("cached", (5, 35, 70))  # parts of points, of one prompt, of two
def test_relu_networks_in_parts_are_the_same_to_the_bit(monkeypatch, cached):
    task = ReluNetwork(3, width=5)
    whole = task.sample(STREAM, IDS, 7)
    monkeypatch.setattr(networks, "CACHED", cached)
    assert torch.equal(task.sample(STREAM, IDS, 7).ys, whole.ys)


def test_relu_networks_have_the_arc_cosine_kernel():
    """E[y y'] given x, x' (Cho and Saul, 2009), at the default scale."""
    prompt = ReluNetwork(4, width=3).sample(STREAM, MANY, 2, DOUBLE)
    one, other = prompt.xs[0, :, 0], prompt.xs[0, :, 1]
    theta = angle(one, other)
    kernel = (one.norm(dim=-1) * other.norm(dim=-1) / math.pi
              * (theta.sin() + (math.pi - theta) * theta.cos()))
    assert within_four_standard_errors(prompt.ys[0, :, 0] * prompt.ys[0, :, 1] - kernel, 0)
    assert within_four_standard_errors(prompt.ys[0, :, 0] ** 2 - one.square().sum(-1), 0)


def descend(point, tested, leaves, depth, node=0):
    if depth == 0:
        return leaves[node - len(tested)]
    child = 2 * node + (2 if point[tested[node]] > 0 else 1)
    return descend(point, tested, leaves, depth - 1, child)


@pytest.mark.parametrize("d, depth, active", [(1, 1, 1), (3, 2, 3), (20, 4, 20), (20, 4, 5)])  # the others are 0
def test_decision_tree_equals_recursion(d, depth, active):
    prompt = DecisionTree(d, depth).sample(STREAM, IDS, 30, DOUBLE, active=torch.tensor(active))
    tested = STREAM.integers(IDS, "tested", d, (2**depth - 1,))[0].tolist()
    leaves = STREAM.normal(IDS, "leaves", (2**depth,), DOUBLE)[0].tolist()
    for b in range(3):
        for i in range(30):
            point = prompt.xs[0, b, i].tolist()
            assert prompt.ys[0, b, i].item() == descend(point, tested[b], leaves[b], depth)
    assert torch.equal(prompt.ys, prompt.means)


def test_two_classes_separate_points_by_their_angle():
    """A random hyperplane through 0 separates x and x' with probability angle / pi."""
    prompt = LinearClassification(4, classes=2).sample(STREAM, MANY, 2)
    apart = (prompt.ys[0, :, 0, 0] != prompt.ys[0, :, 1, 0]).double()
    theta = angle(prompt.xs[0, :, 0], prompt.xs[0, :, 1])
    assert within_four_standard_errors(apart - theta / math.pi, 0)
    # The mean is 1/2 under any symmetric law; the dependence on the angle is not.
    assert within_four_standard_errors((apart - theta / math.pi) * (theta - math.pi / 2), 0)


QUANTIFIERS = [Quantifier(quantifier, 2.0, law) for quantifier in ("every", "some")
         for law in ("independent", "balanced")]
TRUTH = {"every": all, "some": any}
NAME = lambda task: f"{task.quantifier} {task.law}"


@pytest.mark.parametrize("task", QUANTIFIERS, ids=NAME)
def test_labels_are_all_or_any_of_the_numbers_so_far(task):
    prompt = task.sample(STREAM, torch.arange(200)[None], 9)
    for xs, ys in zip(prompt.xs[0, ..., 0].tolist(), prompt.ys[0].tolist()):
        truths = [TRUTH[task.quantifier](x > 0 for x in xs[: i + 1]) for i in range(9)]
        assert ys == [float(truth) for truth in truths]


@pytest.mark.parametrize("law", ["independent", "balanced"])
@pytest.mark.parametrize("quantifier, sign", [("every", 1), ("some", -1)])
def test_inputs_equal_a_plain_loop(quantifier, sign, law):
    ids = torch.arange(40)[None]
    xs = Quantifier(quantifier, 3.0, law).sample(STREAM, ids, 7, torch.float64).xs[0, ..., 0]
    draws = STREAM.normal(ids, "xs", (7,), torch.float64)[0].tolist()
    settled = STREAM.integers(ids, "settled", 8)[0].tolist()
    assert set(settled) == set(range(8))  # 7: never
    for b in range(40):
        for i in range(7):
            expected = 3 * draws[b][i]
            if law == "balanced" and i <= settled[b]:
                expected = (sign if i < settled[b] else -sign) * abs(expected)
            assert xs[b, i].item() == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("task", QUANTIFIERS, ids=NAME)
def test_base_rates(task):
    n, rates = 6, task.base_rates(6)
    ys = task.sample(STREAM, MANY, n).ys[0]
    for k in range(n):
        assert within_four_standard_errors(ys[:, k], rates[k])


@pytest.mark.parametrize("quantifier, sign", [("every", 1), ("some", -1)])
@pytest.mark.parametrize("n", (1, 2, 40))
def test_base_rates_are_half_on_average_if_balanced_and_vanish_if_not(quantifier, sign, n):
    balanced = Quantifier(quantifier, law="balanced").base_rates(n)
    assert sum(balanced) / n == pytest.approx(0.5, abs=1e-14)
    assert balanced[-1] == pytest.approx(1 / (n + 1) if sign == 1 else n / (n + 1))
    independent = Quantifier(quantifier).base_rates(n)
    assert independent[-1] == (2**-n if sign == 1 else 1 - 2**-n)


TWELVE = torch.arange(12)[None]


def type_of(id, tasks, alpha):
    """The task type of one prompt, by walking along the cumulative shares."""
    point = STREAM.uniform(torch.tensor([[id]]), "type", (), DOUBLE).item()
    for s, share in enumerate(riccati.task_shares(tasks, alpha), start=1):
        point -= share
        if point < 0:
            return s


@pytest.mark.parametrize("task", [SparseFeatureRegression(6, alpha=1.8),
                                  SourceCapacityRegression(6, alpha=1.2)])
def test_task_types_follow_a_power_law(task):
    types = task.types(STREAM, MANY)
    assert types[0, :50].tolist() == [type_of(id, 6, task.alpha) for id in range(50)]
    for s, share in enumerate(riccati.task_shares(6, task.alpha), start=1):
        assert within_four_standard_errors(types == s, share)


@pytest.mark.parametrize("task", [
    SparseFeatureRegression(5, strength=-2.0),
    SparseFeatureRegression(5, alpha=1.1, gamma=0.4, beta=0.7),
    SparseFeatureRegression(5, alpha=1.1, beta=1.5, feature_noise=2.0),
    SparseFeatureRegression(3, positive_share=0.25),
])
def test_sparse_features_equal_a_plain_loop(task):
    n = 8
    prompt = task.sample(STREAM, TWELVE, n, DOUBLE)
    uniform = STREAM.uniform(TWELVE, "signs", (n,))[0].tolist()
    zeta = STREAM.normal(TWELVE, "zeta", (n, task.tasks), DOUBLE)[0].tolist()
    for b, id in enumerate(TWELVE[0].tolist()):
        s = type_of(id, task.tasks, task.alpha)
        context = max(round(7 * s**-task.beta), 1)
        for i in range(n):
            expected, label = [0.0] * task.tasks, 0.0
            if i < context or i == n - 1:
                sign = 1 if uniform[b][i] < task.positive_share else -1
                expected = [task.feature_noise / context * zeta[b][i][k] for k in range(task.tasks)]
                expected[s - 1] += sign
                label = task.strength * s**-task.gamma * sign
            assert prompt.xs[0, b, i].tolist() == pytest.approx(expected, abs=1e-14)
            assert prompt.ys[0, b, i].item() == pytest.approx(label, abs=1e-14)


def test_a_data_matrix_gives_the_context_matrix_of_the_theory():
    """Phi Phi^T, with the query's label set to 0, is H_s of Eq. 7: psi H0 and the query's own."""
    task = SparseFeatureRegression(4, alpha=1.1, strength=0.7)
    prompt = task.sample(STREAM, TWELVE, 31, DOUBLE)
    labels = prompt.ys[0].clone()
    labels[:, -1] = 0
    phi = torch.cat((prompt.xs[0], labels[..., None]), dim=-1).mT  # (B, N_s + 1, psi + 1)
    for b, s in enumerate(task.types(STREAM, TWELVE)[0].tolist()):
        expected = np.zeros((5, 5))
        expected[np.ix_([s - 1, 4], [s - 1, 4])] = riccati.context_matrix(30, 0.7)
        np.testing.assert_allclose((phi[b] @ phi[b].T).numpy(), expected, atol=1e-12)


def test_source_capacity_equals_a_plain_loop():
    task, n = SourceCapacityRegression(5, alpha=1.1, tau=3.0, strength_seed=7), 6
    prompt = task.sample(STREAM, TWELVE, n, DOUBLE)
    draws = STREAM.normal(TWELVE, "xs", (n, 5), DOUBLE)[0].tolist()
    for b, id in enumerate(TWELVE[0].tolist()):
        s = type_of(id, 5, task.alpha)
        strengths = Stream.of([7], "strengths").normal(torch.tensor([[s]]), "strengths", (5,),
                                                       DOUBLE)[0, 0].tolist()
        order = [*range(s, 6), *range(1, s)]  # coordinates from the largest eigenvalue down
        for i in range(n):
            expected = [0.0] * 5
            for k, coordinate in enumerate(order, start=1):
                expected[coordinate - 1] = (k**-3.0) ** 0.5 * draws[b][i][coordinate - 1]
            label = sum(strength * x for strength, x in zip(strengths, expected))
            assert prompt.xs[0, b, i].tolist() == pytest.approx(expected, abs=1e-13)
            assert prompt.ys[0, b, i].item() == pytest.approx(label, abs=1e-13)
    types = torch.arange(1, 6).expand(2, -1)  # whose strengths are the same whatever seeds the prompts have
    assert torch.equal(*task.strengths(Stream.of([3, 4], "training"), types))
