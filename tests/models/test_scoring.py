"""Scorings against plain loops, literal formulas and independent algorithms, and what every one keeps."""

import math

import pytest
import torch

from icllib import attention
from icllib.attention import causal_pairs
from icllib.models import Transformer
from icllib.models.scoring import (
    CosFormer, Entmax, Gaussian, MixedHeads, QASSMax, Relu, SSMax, SelfAdjusting, SignedAveraging, Softmax,
    Sparsemax, Square, Tanh, Uniform)
from icllib.models.stacked import Initializer
from icllib.tasks import LinearRegression
from icllib.training import Fleet, Recipe
from icllib.training.engine import run_steps

HALF = MixedHeads(((Softmax(), 2), (Uniform(), 2)))
FOUR = MixedHeads(((Tanh(), 1), (Uniform(), 1), (Relu(), 1), (Square(), 1)))
SCORINGS = (Softmax(), Softmax(5.0), SignedAveraging(), SignedAveraging(2.0, 0.5, False),
            SelfAdjusting(False), SelfAdjusting(True), Sparsemax(), Entmax(), Relu(), Square(),
            Tanh(), Uniform(), CosFormer(), Gaussian(), HALF, FOUR,
            SSMax(), QASSMax(4, 3))
TOKENS, HEADS = 7, 4
MASK = causal_pairs(TOKENS)
by_name = pytest.mark.parametrize("scoring", SCORINGS, ids=str)


def build(scoring, heads=HEADS, seeds=(5, 11)):
    """A module for two members in double precision, its parameters away from their start."""
    module = scoring.build(Initializer(seeds), heads).double()
    generator = torch.Generator().manual_seed(3)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter += torch.randn(parameter.shape, generator=generator, dtype=torch.float64)
    return module


def draw(heads=HEADS, tokens=TOKENS, dtype=torch.float64, size=1.5):
    """q, k, v of two members, two prompts and four dimensions."""
    generator = torch.Generator().manual_seed(1)
    return [size * torch.randn(2, 2, heads, tokens, 4, generator=generator, dtype=dtype) for _ in range(3)]


def ratio(values):
    total = sum(values)
    return [value / total if total else 0.0 for value in values]


def signed_ratio(values):
    return [value / sum(abs(other) for other in values) for value in values]


def softmax_row(z):
    return ratio([math.exp(value) for value in z])


def gated_row(z):
    low, high = min([*z, 0.0]), max([*z, 0.0])
    return [(value - low) / (high - low) * weight for value, weight in zip(z, softmax_row(z))]


def bisected_row(z, alpha):
    """alpha-entmax with its threshold found by bisection."""
    x = [(alpha - 1) * value for value in z]
    weights_at = lambda tau: [max(value - tau, 0) ** (1 / (alpha - 1)) for value in x]
    low, high = max(x) - 1, max(x)
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if sum(weights_at(middle)) > 1 else (low, middle)
    return weights_at(low)


ROWS = {
    Softmax(): softmax_row,
    Softmax(5.0): lambda z: softmax_row([value / 5 for value in z]),
    SelfAdjusting(False): lambda z: [a * b for a, b in zip(z, softmax_row(z))],
    SelfAdjusting(True): gated_row,
    Sparsemax(): lambda z: bisected_row(z, 2),
    Entmax(): lambda z: bisected_row(z, 1.5),
    Entmax(2): lambda z: bisected_row(z, 2),
    Relu(): lambda z: ratio([max(value, 0.0) for value in z]),
    Square(): lambda z: ratio([value * value for value in z]),
    Tanh(): lambda z: signed_ratio([math.tanh(value) for value in z]),
    Uniform(): lambda z: [1 / len(z) for _ in z],
    Gaussian(): softmax_row,
}


def dot(a, b):
    return sum(x * y for x, y in zip(a.tolist(), b.tolist()))


def scaled(q, k, i, j):
    return dot(q, k) / math.sqrt(len(q))


def looped(q, k, v, mask, weigh, score=scaled):
    """Mixed values, one row of visible tokens at a time."""
    mixed = torch.zeros_like(v)
    for place in torch.cartesian_prod(*map(torch.arange, q.shape[:3])).tolist():
        for i in range(q.shape[3]):
            own = tuple(place)
            visible = [j for j in range(q.shape[3]) if mask[i, j]]
            row = weigh([score(q[own][i], k[own][j], i, j) for j in visible])
            mixed[own][i] = sum(weight * v[own][j] for weight, j in zip(row, visible))
    return mixed


SCATTERED = causal_pairs(TOKENS) ^ torch.rand(
    TOKENS, TOKENS, generator=torch.Generator().manual_seed(2)).lt(0.3).fill_diagonal_(False)


MASKS = pytest.mark.parametrize("mask", [MASK, attention.full_pairs(TOKENS), SCATTERED])


@MASKS
def test_equals_plain_loops(mask):
    gaussian = lambda q, k, i, j: -float((q / len(q) ** 0.5 - k).square().sum()) / 2
    for scoring, weigh in ROWS.items():
        q, k, v = draw()
        expected = looped(q, k, v, mask, weigh, gaussian if scoring == Gaussian() else scaled)
        torch.testing.assert_close(build(scoring)(q, k, v, mask), expected, atol=1e-12, rtol=1e-12)


@pytest.mark.parametrize("places", [None, [0, 1, 2, 3, 4, 2, 3]])
def test_cosformer_equals_plain_loops(places):
    q, k, v = draw()
    own = places or list(range(TOKENS))
    score = lambda q, k, i, j: dot(q.relu(), k.relu()) * math.cos(
        math.pi * (own[i] - own[j]) / (2 * (max(own) + 1)))
    expected = looped(q, k, v, MASK, ratio, score)
    given = None if places is None else torch.tensor(places)
    torch.testing.assert_close(build(CosFormer())(q, k, v, MASK, given), expected, atol=1e-12, rtol=1e-12)


@by_name
def test_values_are_mixed_with_the_weights_of_the_map(scoring):
    module, (q, k, v) = build(scoring), draw()
    torch.testing.assert_close(module.weights(q, k, MASK) @ v, module(q, k, v, MASK), atol=1e-12, rtol=0)


PER_HEAD = {  # the rule of a row, by numbers that every head of every member has of its own
    SignedAveraging(): lambda z, n, b: ratio([(1 + b * abs(x)) ** math.copysign(n, x) for x in z]),
    SSMax(): lambda z, s: ratio([len(z) ** (s * x) for x in z])}  # as its author writes it


@MASKS
@pytest.mark.parametrize("scoring", PER_HEAD, ids=str)
def test_numbers_of_a_head_are_used_by_that_head(scoring, mask):
    module, (q, k, v) = build(scoring), draw()
    ours = module(q, k, v, mask)
    numbers = [module.n, module.b] if isinstance(scoring, SignedAveraging) else [module.s]
    assert all(len({*own.flatten().tolist()}) == 8 for own in numbers)
    for member, head in ((0, 0), (0, 2), (1, 3)):
        own = (slice(member, member + 1), slice(None), slice(head, head + 1))
        of_head = [each[member, head].item() for each in numbers]
        expected = looped(q[own], k[own], v[own], mask, lambda z: PER_HEAD[scoring](z, *of_head))
        torch.testing.assert_close(ours[own], expected, atol=1e-12, rtol=0)


@MASKS
def test_query_aware_scalable_softmax_equals_plain_loops(mask):
    """One query at a time through perceptrons of torch.nn, with the module's numbers."""
    module, (q, k, v) = build(QASSMax(4)), draw()
    counts = mask.sum(-1)
    for member in range(2):
        parts = {}
        for name, part in (("base", module.base), ("gate", module.gate)):
            parts[name] = torch.nn.Sequential(*(
                torch.nn.GELU() if index == 1 else torch.nn.Linear(*part[index].weight.shape[1:])
                for index in range(3))).double()
            for index in (0, 2):
                parts[name][index].weight.data = part[index].weight[member].T
                parts[name][index].bias.data = part[index].bias[member]
        scaled = q[member].clone()
        for b, head, t in torch.cartesian_prod(*map(torch.arange, q.shape[1:4])).tolist():
            base = parts["base"](counts[t].double().log()[None])[4 * head : 4 * head + 4]
            scaled[b, head, t] *= base * (1 + torch.tanh(parts["gate"](q[member, b, head, t])))
        own = slice(member, member + 1)
        expected = looped(scaled[None].detach(), k[own], v[own], mask, softmax_row)
        torch.testing.assert_close(module(q, k, v, mask)[own], expected, atol=1e-12, rtol=0)


def test_learned_numbers_start_at_their_settings_and_stay_in_range():
    module = SignedAveraging(1.5, 1.0).build(Initializer([0, 1]), 3)
    assert module.n.dtype == module.b.dtype == torch.float32 and module.n.shape == (2, 3)
    torch.testing.assert_close(module.n, torch.full((2, 3), 1.5), atol=1e-6, rtol=0)
    assert torch.equal(module.b, torch.ones(2, 3))
    for shift in (-50.0, 50.0):
        with torch.no_grad():
            module.excess.fill_(shift), module.log_b.fill_(shift)
        assert (module.n >= 1).all() and (module.b > 0).all()
    assert SSMax().build(Initializer([0]), 2).s.tolist() == [[pytest.approx(0.43)] * 2]


def test_signed_log_has_slope_n_b_at_zero():
    z = torch.zeros(3, dtype=torch.float64, requires_grad=True)
    n, b = torch.tensor([1.0, 1.5, 3.0]), torch.tensor([2.0, 1.0, 0.25])
    for point in (0.0, -0.0):
        z.data.fill_(point)
        slope, = torch.autograd.grad(attention.signed_log(z, n, b).sum(), z)
        assert slope.tolist() == [2.0, 1.5, 0.75]


@pytest.mark.parametrize("alpha, theirs", [(2, "sparsemax"), (1.5, "entmax15")])
@pytest.mark.parametrize("size", [0.01, 1.0, 30.0])
def test_projections_equal_the_entmax_package(alpha, theirs, size):
    """Weights and gradients, the package being given the visible entries only."""
    package = pytest.importorskip("entmax")
    generator = torch.Generator().manual_seed(4)
    z = (size * torch.randn(5, TOKENS, TOKENS, generator=generator, dtype=torch.float64))
    z.requires_grad_()
    seed = torch.randn(5, TOKENS, TOKENS, generator=generator, dtype=torch.float64)
    ours = attention.entmax(z, MASK, alpha)
    gradient, = torch.autograd.grad((ours * seed).sum(), z)
    expected = torch.zeros_like(ours)
    for row in range(TOKENS):
        expected[:, row, : row + 1] = getattr(package, theirs)(z[:, row, : row + 1], dim=-1)
    expected_gradient, = torch.autograd.grad((expected * seed).sum(), z)
    torch.testing.assert_close(ours, expected, atol=1e-12, rtol=0)
    torch.testing.assert_close(gradient, expected_gradient, atol=1e-12, rtol=0)


@pytest.mark.parametrize("alpha", [1.5, 2])
@pytest.mark.parametrize("z", [[0.0] * 5, [3.0, 3.0, -1.0, 3.0, 2.9], [1e6, 0.0, -1e6, 1e6, 5.0]])
def test_projections_of_ties_and_of_large_scores(alpha, z):
    weights = attention.entmax(torch.tensor([z]), torch.ones(1, 5, dtype=torch.bool), alpha)
    assert weights[0].tolist() == pytest.approx(bisected_row(z, alpha), abs=1e-6)


@pytest.mark.parametrize("alpha", [1.5, 2])
@pytest.mark.parametrize("spacing", [0.9, 0.99])
def test_projections_of_long_rows_as_on_a_gpu(alpha, spacing, monkeypatch):
    """All steps are taken, since a GPU does not look whether fewer are enough."""
    monkeypatch.setattr(attention, "NEWTON_ENOUGH", -1)
    z = [-spacing**place for place in range(400)]
    weights = attention.entmax(torch.tensor([z]), torch.ones(1, 400, dtype=torch.bool), alpha)
    assert weights[0].tolist() == pytest.approx(bisected_row(z, alpha), abs=1e-6)


@by_name
def test_hidden_tokens_change_no_bit(scoring):
    module, (q, k, v) = build(scoring).float(), draw(dtype=torch.float32)
    before = module(q, k, v, MASK)
    k, v = k.clone(), v.clone()
    k[..., 4:, :], v[..., 4:, :] = 1e3, -1e3
    after = module(q, k, v, MASK)
    assert torch.equal(after[..., :4, :], before[..., :4, :])
    assert not torch.equal(after[..., 4:, :], before[..., 4:, :])


@by_name
def test_hidden_tokens_get_no_weight_and_no_gradient(scoring):
    module, (q, k, v) = build(scoring), [tensor.requires_grad_() for tensor in draw()]
    weights = module.weights(q, k, MASK).expand(2, 2, HEADS, TOKENS, TOKENS)
    assert not weights[..., ~MASK].any()
    module(q, k, v, MASK)[..., :4, :].square().sum().backward()
    assert not k.grad[..., 4:, :].any() if k.grad is not None else scoring == Uniform()
    assert not v.grad[..., 4:, :].any() and v.grad[..., :4, :].any()


@by_name
def test_heads_and_members_do_not_mix(scoring):
    module, inputs = build(scoring), draw()
    before = module(*inputs, MASK)
    for place in ((1, slice(None), 2), (0, slice(None), 0)):  # a head of a member
        changed = [tensor.clone() for tensor in inputs]
        for tensor in changed:
            tensor[place] += 1
        moved = (module(*changed, MASK) != before).flatten(3).any(-1)
        assert moved[place].all() and moved.sum() == 2  # that head, in both prompts


@by_name
def test_prompts_may_have_masks_of_their_own(scoring):
    """As in an encoder, whose sentences are padded: one row of a mask for each prompt."""
    module, (q, k, v) = build(scoring), draw()
    masks = torch.arange(TOKENS) < torch.tensor([3, TOKENS])[:, None]  # (B, T)
    together = module.weights(q, k, masks[None, :, None, None]) @ v
    for prompt, mask in enumerate(masks):
        own = [tensor[:, prompt : prompt + 1] for tensor in (q, k, v)]
        alone = module.weights(*own[:2], mask.expand(TOKENS, -1)) @ own[2]
        torch.testing.assert_close(together[:, prompt].expand_as(alone[:, 0]), alone[:, 0],
                                   atol=1e-12, rtol=0)


@pytest.mark.parametrize("mixed", [HALF, FOUR], ids=str)
def test_mixed_heads_equal_their_parts(mixed):
    inputs, start = draw(), 0
    together = build(mixed)(*inputs, MASK)
    for part, size in mixed.parts:
        own = slice(start, start + size)
        alone = build(part, size)(*(tensor[:, :, own] for tensor in inputs), MASK)
        torch.testing.assert_close(together[:, :, own], alone, atol=1e-12, rtol=0)
        start += size
    assert start == HEADS


@by_name
def test_gradients_equal_finite_differences(scoring):
    module = build(scoring)
    inputs = [tensor[:1, :1].repeat(2, 1, 1, 1, 1).requires_grad_() for tensor in draw(tokens=3)]
    call = lambda q, k, v, *parameters: module(q, k, v, causal_pairs(3))
    assert torch.autograd.gradcheck(call, (*inputs, *module.parameters()))


@by_name
@pytest.mark.parametrize("size", [0.0, 1e-3, 1e3])
def test_scores_of_any_size_give_finite_numbers(scoring, size):
    """In float32, with scores up to 1e6."""
    module = build(scoring).float()
    inputs = [tensor.requires_grad_() for tensor in draw(dtype=torch.float32, size=size)]
    mixed = module(*inputs, MASK)
    mixed.square().mean().backward()
    assert mixed.isfinite().all()
    for tensor in (*inputs, *module.parameters()):
        assert tensor.grad is None or tensor.grad.isfinite().all()


@by_name
def test_a_member_that_diverges_stops_no_other(scoring):
    task, model = LinearRegression(2), Transformer(1, HEADS, 4 * HEADS, scoring)
    fleet = Fleet([task] * 2, model, Recipe((3,), steps=8, batch=2), [0, 1], [None] * 2,
                  learning_rates=[1e-3, 1e30])
    run_steps(fleet)
    assert fleet.alive.tolist() == [True, False]
    assert all(values[0].isfinite().all() for values in fleet.parameters)
