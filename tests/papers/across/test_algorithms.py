"""What trained networks do with their pairs: against closed forms, autograd, other code and each other."""

import numpy as np
import pandas as pd
import pytest
import torch
from scipy.stats import ttest_1samp
from sklearn.linear_model import Ridge

from icllib.baselines import ExponentialSmoother
from icllib.models import Gaussian, Transformer
from icllib.streams import Stream
from icllib.tasks import LinearRegression, SparseFeatureRegression
from icllib.theory import gradient_descent as theory
from icllib.training import Trained
from papers.across import fixed_point, nearest_algorithm, one_pass, single_change, time_law

UNIFORM = LinearRegression(8, inputs="uniform")


def drawn(task, n: int, prompts: int = 64, seed: int = 3):
    return task.sample(Stream.of([seed], "test"), torch.arange(prompts)[None], n + 1, torch.float64)


class Exact:
    """Least squares as a predictor of one member, which autograd sees through."""

    members = 1

    def predict(self, xs, ys, lengths):
        n, = lengths
        weights = torch.linalg.pinv(xs[..., :n, :]) @ ys[..., :n, None]
        return (xs[..., n, :] * weights[..., 0]).sum(-1, keepdim=True)


# ---- how much each label weighs ---------------------------------------------------------------


def test_weights_of_one_pass_are_the_slopes_of_its_answer():
    xs, ys, _ = drawn(UNIFORM, 6)
    ys = ys.clone().requires_grad_()
    end = theory.online_gradient_descent(xs[..., :6, :], ys[..., :6])[-1]
    slopes, = torch.autograd.grad((end * xs[..., 6, :]).sum(), ys)
    found = one_pass.one_pass_weights(xs[..., :6, :], xs[..., 6, :])
    torch.testing.assert_close(found, slopes[..., :6])


def test_influences_are_those_of_known_predictors():
    found = one_pass.LabelInfluence(20, 2000).measure([UNIFORM], Exact())
    np.testing.assert_allclose(found["influence"], found["least_squares"], rtol=1e-3)
    assert found["error"] < 1e-8
    # Each later pair takes 1 - 1/d of the mean square, as inputs of all signs are as likely.
    steps = found["one_pass"][0, 1:] / found["one_pass"][0, :-1]
    assert np.exp(np.log(steps).mean()) == pytest.approx(8 / 7, rel=0.03)


# ---- loops ------------------------------------------------------------------------------------


def looped(repeats: int) -> Trained:
    """Two untrained models with one layer, applied so many times."""
    model = Transformer(repeats, 2, 8, Gaussian(), shared_layers=True, mask="prefix", uniform_start=True)
    return Trained(model.build([0, 1], 8, 5))


def test_loops_beyond_training_are_those_of_a_deeper_model():
    measure = fixed_point.ByLoop(loops=7, pairs=5, prompts=16)
    found = measure.measure([UNIFORM] * 2, model := looped(3))
    deeper = measure.measure([UNIFORM] * 2, looped(7))
    assert model.module.repeats == 3
    for name, curve in deeper.items():
        np.testing.assert_allclose(found[name], curve, rtol=1e-5)
    assert not np.allclose(found["error"][:, 2], found["error"][:, 6], rtol=1e-3)


def test_hand_set_loops_are_gradient_descent():
    hand_set = fixed_point.HandSetLoops("prefix", loops=4, prompts=32)
    prompt = fixed_point.draw_prompts(UNIFORM, hand_set.seed, 32, 21)
    xs, ys = prompt.xs[:, :20], prompt.ys[:, :20]
    answers = (theory.gradient_descent(xs, ys, fixed_point.STEP_SIZE, 4) * prompt.xs[:, -1]).sum(-1)
    size = prompt.ys[:, -1].square().mean()
    found = hand_set.measure()
    np.testing.assert_allclose(found["error"], (answers[1:] - prompt.ys[:, -1]).square().mean(1) / size)
    np.testing.assert_allclose(found["moved"], answers.diff(dim=0).square().mean(1) / size)


# ---- algorithms -------------------------------------------------------------------------------


@pytest.mark.parametrize("task", [UNIFORM, LinearRegression(4, 0.3, 0.7)], ids=["uniform", "normal"])
def test_algorithms_are_those_of_other_code(task):
    prompt = drawn(task, 12)
    xs, ys = prompt.xs[0], prompt.ys[0]
    found = dict(zip(nearest_algorithm.ALGORITHMS, nearest_algorithm.answers_of(xs, ys, task).numpy()))
    penalty = max((task.noise_std / task.weight_std) ** 2, 1e-9)
    for own, pairs, labels in zip(found["ridge"], xs.numpy(), ys.numpy()):
        model = Ridge(alpha=penalty, fit_intercept=False).fit(pairs[:-1], labels[:-1])
        assert own == pytest.approx(model.predict(pairs[-1:])[0], abs=1e-5)
    one = 1.6 / (1 if task.inputs == "uniform" else 3) / 12 * torch.einsum("bnd,bn,bd->b", xs[:, :-1], ys[:, :-1], xs[:, -1])
    np.testing.assert_allclose(found["one step"], one, rtol=1e-6)
    if task.inputs == "normal":
        smoother = ExponentialSmoother().predict(xs, ys, (12,))[:, 0]
        np.testing.assert_allclose(found["kernel"], smoother, rtol=1e-6)


def test_the_probe_names_hand_set_layers_and_not_under_the_other_mask():
    for mask, other in (("prefix", "causal"), ("causal", "prefix")):
        own = nearest_algorithm.HandSetDistances(mask, prompts=512, seed=7).measure()["layer_distance"]
        table = pd.DataFrame(own, columns=nearest_algorithm.ALGORITHMS,
                             index=pd.Index(range(1, 6), name="layer"))
        assert nearest_algorithm.share_named(table, mask) == 1
        assert nearest_algorithm.share_named(table, other) == 0.2  # one step is one step under both


def test_a_probe_is_fitted_on_half_of_the_prompts_to_the_query_s_state_after_each_layer():
    trained = Trained(Transformer(2, 2, 16, mask="prefix", uniform_start=True).build([0], 8, 5))
    found = nearest_algorithm.AlgorithmDistances(5, prompts=512).measure([UNIFORM], trained)
    prompt = UNIFORM.sample(Stream.of([nearest_algorithm.SEED], "evaluation"), torch.arange(512)[None], 6)
    known = nearest_algorithm.answers_of(prompt.xs[0], prompt.ys[0], UNIFORM).numpy()
    with torch.no_grad():
        layers = list(trained.module.states(prompt.xs, prompt.ys, (5,)))
    for layer, states in enumerate(layers):
        states = np.column_stack([states[0, :, 0].double().numpy(), np.ones(512)])
        weights = np.linalg.lstsq(states[:256], prompt.means[0, :256, 5].double().numpy(), rcond=None)[0]
        answers = states[256:] @ weights
        expected = [1 - np.corrcoef(own[256:], answers)[0, 1] ** 2 for own in known]
        np.testing.assert_allclose(found["layer_distance"][0, layer], expected, rtol=1e-3)


def test_least_squares_does_not_feel_narrowed_inputs_and_gradient_descent_does():
    narrowed = nearest_algorithm.NarrowedInputs(8, inputs="uniform")
    xs, ys, means = drawn(narrowed, 20, 500)
    assert xs[..., :4].var().item() == pytest.approx(1 / 12, rel=0.05)
    assert xs[..., 4:].var().item() == pytest.approx(1 / 3, rel=0.05)
    weights = theory.least_squares(xs, means)
    torch.testing.assert_close((xs * weights[..., None, :]).sum(-1), means)
    wide = drawn(UNIFORM, 20, 500)
    left = [theory.gradient_descent(own.xs, own.ys, 1.6, 5)[-1] - theory.least_squares(own.xs, own.ys)
            for own in (wide, drawn(narrowed, 20, 500))]
    assert left[1][..., :4].square().mean() > 3 * left[0][..., :4].square().mean()


# ---- the time law -----------------------------------------------------------------------------


class Share:
    """Answers this share of the right label on the tasks up to a rank, and 0 beyond."""

    members = 1

    def __init__(self, share, most):
        self.share, self.most = share, most

    def predict(self, xs, ys, lengths):
        n, = lengths
        known = xs[..., n, : self.most].abs().sum(-1)
        return (self.share * known * ys[..., n])[..., None]


def test_the_loss_is_weighted_by_the_shares_of_tasks():
    task = SparseFeatureRegression(50, 1.8)
    shares = np.arange(1, 51) ** -1.8
    shares /= shares.sum()
    found = time_law.LossByTask().measure([task], Share(0.5, 10))
    expected = 0.5**2 / 2 * (0.25 * shares[:10].sum() + shares[10:].sum())
    assert found["loss"] == pytest.approx(expected) and found["first_loss"] == pytest.approx(0.5**2 / 8)


def test_half_times_and_exponents_are_those_of_a_power_law():
    stops = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]
    losses = pd.DataFrame([np.array(stops) ** -0.6], columns=stops)
    curve, = time_law.in_half_times(losses, losses).values()  # below a half at 4
    assert curve.index[2] == 1 and time_law.exponent(curve) == pytest.approx(-0.6)
    for last, told in ((50, -0.6), (49, np.nan)):  # half of WINDOW is enough
        times = np.array([5, 10, 20, last])
        assert time_law.exponent(pd.Series(times**-0.6, times)) == pytest.approx(told, nan_ok=True)


@pytest.mark.parametrize("alpha", time_law.ALPHAS)
def test_the_solvable_model_has_its_law_with_many_tasks(alpha):
    assert time_law.exponent(time_law.solvable(alpha, 5000)) == pytest.approx(-(alpha - 1) / alpha, abs=0.01)
    alone = time_law.solvable(alpha, 1)  # time is counted in half times of the first task
    assert np.interp(1, alone.index, alone) == pytest.approx(alone.iloc[0] / 2, rel=0.04)


# ---- single changes ---------------------------------------------------------------------------


def test_the_noise_floor_is_where_a_mean_is_just_told_from_none():
    logs = np.array([0.3, -0.1, 0.4, -0.6, 0.0])
    floor = single_change.noise_floor(pd.Series(np.exp(logs)))
    spread = np.sqrt((logs**2).mean())
    around = np.log(floor) + spread * np.array([1, 1, -1, -1, 0]) * np.sqrt(5 / 4) * np.sqrt(4 / 5)
    assert ttest_1samp(around, 0).pvalue == pytest.approx(0.05, abs=1e-6)
