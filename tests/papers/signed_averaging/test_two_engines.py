"""The plain loop and our engine are one model, one loss and one optimizer; only their random numbers
differ."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from icllib.streams import Stream
from icllib.tasks import AffineFunctions, LinearRegression, Quantifier
from icllib.training import Fleet
from papers.signed_averaging import another_engine, two_engines
from papers.signed_averaging.affine import PointErrors, ShiftedErrors
from papers.signed_averaging.another_engine import Decoder, PlainLoop, prompts
from papers.signed_averaging.two_engines import ratio

pytest.importorskip("transformers")
PLAIN = [run for run in two_engines.runs("smoke") if isinstance(run, PlainLoop)]


def in_double(run):
    return replace(run, recipe=replace(run.recipe, precision="fp64"))


def one_fleet(run):
    return Fleet([run.task], run.model, run.recipe, [run.seed], [run.pretraining_tasks])


def same_start(run, module, signs=False):
    """A plain decoder with the weights of our module."""
    decoder, copied = Decoder(run, "normal", signs).double(), lambda values: values.detach().clone()
    gpt2 = decoder.gpt2
    gpt2.wpe.weight.data[: module.positions.shape[1]] = copied(module.positions[0])
    norms = [(gpt2.ln_f, module.final_norm)]
    layers = [(decoder.read_in, module.embed, True), (decoder.read_out, module.read_out, True)]
    for theirs, ours in zip(gpt2.h, module.blocks, strict=True):
        norms += [(theirs.ln_1, ours.attention_norm), (theirs.ln_2, ours.mlp_norm)]
        layers += [(theirs.attn.c_attn, ours.qkv, False), (theirs.attn.c_proj, ours.project, False),
                   (theirs.mlp.c_fc, ours.expand, False), (theirs.mlp.c_proj, ours.contract, False)]
    for theirs, ours, turned in layers:
        weight = copied(ours.weight[0])
        theirs.weight.data, theirs.bias.data = weight.T if turned else weight, copied(ours.bias[0])
    for theirs, ours in norms:
        theirs.weight.data, theirs.bias.data = copied(ours.gain[0, 0, 0]), copied(ours.bias[0, 0, 0])
    return decoder


@pytest.mark.parametrize("plain", PLAIN[::2], ids=lambda plain: type(plain.run.task).__name__)
def test_both_engines_take_the_same_steps(plain, monkeypatch):
    """From one start, on the prompts of our engine, with the curriculum and the rate of the recipe."""
    run = in_double(replace(plain.run, pretraining_tasks=None))
    fleet, fed = one_fleet(run), one_fleet(run)
    decoder, losses = same_start(run, fleet.module), []

    def ours(task, count, points):
        prompt = fed.sample()
        fed.step += 1
        return prompt.xs[0], prompt.ys[0]

    for name in ("mse_loss", "binary_cross_entropy_with_logits"):
        loss = getattr(another_engine, name)
        noted = lambda *values, loss=loss: losses.append(loss(*values)) or losses[-1]
        monkeypatch.setattr(another_engine, name, noted)
    monkeypatch.setattr(another_engine, "prompts", ours)
    exact = another_engine.rate  # our engine keeps the rates in single precision
    monkeypatch.setattr(another_engine, "rate", lambda *at: torch.tensor(exact(*at)).item())
    another_engine.train(decoder, run)
    for _ in range(run.recipe.steps):
        fleet.take_step()
    expected = fleet.losses[: run.recipe.steps, 0].double()
    torch.testing.assert_close(torch.stack(losses).detach(), expected, atol=0, rtol=1e-6)  # kept in fp32
    xs, ys = prompts(run.task, 8, run.recipe.points)
    xs, ys, (lengths, places) = xs.double(), ys.double(), run.recipe.layout
    answers = fleet.module(xs[None], ys[None], lengths, places)[0]
    lengths = tuple(dict.fromkeys(lengths))
    torch.testing.assert_close(decoder(xs, ys, lengths, places), answers, atol=1e-9, rtol=0)
    assert not torch.allclose(one_fleet(run).module(xs[None], ys[None], *run.recipe.layout), answers)


@pytest.mark.parametrize("task", [AffineFunctions(2.0, 3.0), Quantifier("every"), Quantifier("some"),
                                  LinearRegression(4, 0.5, 0.5), LinearRegression(4, inputs="uniform")],
                         ids=str)
def test_prompts_have_the_moments_of_ours(task):
    torch.manual_seed(0)
    if isinstance(task, AffineFunctions):
        task = replace(task, input_std=1.0)
    xs, ys = prompts(task, 20_000, 5)
    ids = torch.arange(20_000)[None]
    ours = task.sample(Stream.of([0], "training"), ids, 5)
    for values, expected in ((xs, ours.xs[0]), (ys, ours.ys[0])):
        assert values.shape == expected.shape
        for power in (1, 2):
            means = [(own.double() ** power).mean(0) for own in (values, expected)]
            spread = (expected.double() ** power).std(0) / 100  # of a difference of such means
            assert ((means[0] - means[1]).abs() < 5 * spread + 1e-9).all()
    products = [(own_x[..., 0].double() * own_y.double()).mean(0) for own_x, own_y in
                ((xs, ys), (ours.xs[0], ours.ys[0]))]
    assert (products[0] - products[1]).abs().max() < 0.3


def test_starts_and_signs():
    run = PLAIN[0].run
    torch.manual_seed(0)
    wide = replace(run, model=replace(run.model, width=512, heads=2))
    normal, linear = (Decoder(wide, start, False) for start in ("normal", "linear"))
    assert normal.read_in.weight.std().item() == pytest.approx(0.02, rel=0.2)
    assert linear.read_in.weight.abs().max() > 0.9  # U(+-1) for one input
    assert linear.gpt2.wpe.weight.std().item() == pytest.approx(0.02, rel=0.1)
    xs, ys = torch.randn(3, 5, 1), torch.randint(2, (3, 5)).float()
    signed = Decoder(wide, "normal", True)
    signed.load_state_dict(normal.state_dict())
    places = range(5)
    answers = normal.double()(xs.double(), 2 * ys.double() - 1, places, places)
    torch.testing.assert_close(signed.double()(xs.double(), ys.double(), places, places), answers)


def test_stored_prompts_are_all_seen_once_in_each_pass(monkeypatch):
    plain = next(plain for plain in PLAIN if plain.run.recipe.queries > 1)
    run = replace(plain.run, pretraining_tasks=6, recipe=replace(plain.run.recipe, steps=6, batch=2))
    seen = []

    class Noted(Decoder):
        def forward(self, xs, ys, lengths, places):
            seen.append(xs[:, 0, 0])
            return super().forward(xs, ys, lengths, places)

    another_engine.train(Noted(run, "normal", False), run)
    first, second = torch.cat(seen[:3]), torch.cat(seen[3:])
    assert len(set(first.tolist())) == 6
    assert set(first.tolist()) == set(second.tolist())


def test_errors_at_points_are_those_of_equation_2():
    """Their mean from the third point on is what ShiftedErrors measures under the same law, but for
    its functions and prompts."""
    class Echo:
        def predict(self, xs, ys, lengths):
            return 0 * ys[:, :, list(lengths)]

    measured = PointErrors((2.0,), 4096).measure([AffineFunctions()], Echo())["error_at"]
    assert measured.shape == (1, 1, 40)
    expected = ShiftedErrors((2,), functions=4096, prompts=1).measure([AffineFunctions()], Echo())
    assert measured[0, 0, 2:].mean() == pytest.approx(expected["error"][0, 0], rel=0.1)
    assert measured.mean() == pytest.approx(4 * 2, rel=0.1)  # the labels' variance
    deviant = PointErrors((), 4096, first_stds=(1, 10)).measure([AffineFunctions()], Echo())["error_at_deviant"]
    assert deviant[0, 1, 0] == pytest.approx(1 + 100, rel=0.2) and deviant[0, 1, 1:].mean() == pytest.approx(2, rel=0.1)
    assert deviant[0, 0].mean() == pytest.approx(2, rel=0.1)


def test_ratio_of_geometric_means():
    first, second = np.exp([1.0, 2.0, 3.0, 4.0]), np.exp([0.0, 1.0, 2.0, 3.0])
    mean, low, high = ratio(first, second)
    assert mean == pytest.approx(np.e)
    reach = 2.4469 * (5 / 3 / 4 * 2) ** 0.5  # t of six degrees of freedom
    assert (low, high) == pytest.approx((np.exp(1 - reach), np.exp(1 + reach)), rel=1e-4)
