"""The live page's models and formulas: the browser computes what the library does."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from live_pages import DECODERS, LENGTHS, STATIC, keep_untrained, unpacked, untrained, write_scripts
from sklearn.linear_model import Ridge

from claimbook.records.errors import InputError
from icllib.models import Gaussian
from icllib.streams import Stream
from icllib.tasks import AffineFunctions
from icllib.theory import gradient_descent, riccati
from icllib.theory.scaling_laws import theory_exponents
from icllib.training import load
from icllib.training.weights import find_weights, training_key
from papers import live_models as live
from papers.solvable_attention.laws import VariedInTheLimit

PROMPTS = 20
PREDICT = """prompts => live.models.map(live.unpack).map(model =>
    prompts.map(({ points, queries }) => Array.from(live.predict(model, points, queries))))"""


@pytest.fixture
def kept(monkeypatch, results, tmp_path):
    """Untrained decoders as the page's models: the script that they were exported to."""
    keep_untrained(monkeypatch, results)
    monkeypatch.setattr(live, "PROMPTS", 4)
    live.export(tmp_path / "models.js")
    return tmp_path / "models.js"


@pytest.fixture
def run_script(browser, tmp_path):
    """Runs JavaScript beside the page's own; returns what it returns."""
    def run(code, argument=None, models=STATIC / "models.js"):
        scripts = (models, *(STATIC / f"{name}.js" for name in ("model", "data", "theory")))
        with browser.tab() as page:
            page.goto(write_scripts(tmp_path, *scripts))
            return page.evaluate(code, argument)
    return run


def prompts(queries: int = 5):
    """xs, ys (PROMPTS, points) of lines at sigma 1 to 10, of 1 to 39 points, and queries; for both."""
    numbers = np.random.default_rng(0)
    for prompt in range(PROMPTS):
        n, sigma = int(numbers.integers(1, 40)), 1 + prompt % 10
        xs, (a, b) = numbers.normal(size=n), sigma * numbers.normal(size=2)
        yield xs, a * xs + b + 0.1 * numbers.normal(size=n), numbers.normal(size=queries)


def for_browser():
    """The same as the scripts take them."""
    return [{"points": [{"x": x, "y": y} for x, y in zip(xs.tolist(), ys.tolist())],
             "queries": [{"x": x, "pairs": len(xs)} for x in queries.tolist()]}
            for xs, ys, queries in prompts()]


def as_tensors(xs, ys, queries):
    """A prompt for each query: xs (1, queries, points + 1, 1) and ys (1, queries, points + 1)."""
    xs = [np.append(xs, query) for query in queries]
    ys = [np.append(ys, 0)] * len(queries)
    return torch.tensor(np.array(xs))[None, ..., None], torch.tensor(np.array(ys))[None]


@torch.no_grad()
def answers(module) -> np.ndarray:
    """What PyTorch answers to the same prompts in double precision: (PROMPTS, queries)."""
    return np.array([module.double()(*as_tensors(*prompt), (len(prompt[0]),))[0, :, 0].numpy()
                     for prompt in prompts()])


def test_the_browser_computes_what_pytorch_does(run_script, kept):
    found = run_script(PREDICT, for_browser(), kept)
    for model, by_browser in zip(live.read(kept), found, strict=True):
        module = load(live.models()[model["name"]][0]).module.double()
        module.load_state_dict({name: values[None] for name, values in unpacked(model).items()})
        expected = answers(module)
        assert np.abs(expected).std() > 0.1  # or any answers would do
        assert np.abs(np.array(by_browser) - expected).max() < 1e-9, model["name"]


def test_16_bits_move_a_model_by_a_hundredth_of_its_own_error(run_script):
    stream, ids = Stream.of([1], "16 bits"), torch.arange(256)[None]
    prompt = AffineFunctions().sample(stream, ids, max(LENGTHS) + 1)
    at_1 = for_browser()[::10]  # sigma = 1
    for model, by_browser in zip(live.read(), run_script(PREDICT, at_1), strict=True):
        trained = load(live.models()[model["name"]][model["place"]])
        with torch.no_grad():
            guesses = trained.predict(prompt.xs, prompt.ys, (max(LENGTHS),))[..., 0]
        own_error = (guesses - prompt.ys[..., -1]).square().mean().sqrt()
        gaps = np.square(by_browser - answers(trained.module)[::10])
        assert np.sqrt(gaps.mean()) < 1e-2 * own_error, model["name"]


def test_queries_of_all_lengths_share_a_pass(run_script, kept):
    code = """points => live.models.map(live.unpack).map(model => {
        const queries = points.slice(1).map(({ x }, k) => ({ x, pairs: k + 1 }));
        const alone = queries.map(query => live.predict(model, points.slice(0, query.pairs), [query])[0]);
        return [Array.from(live.predict(model, points, queries)), alone]; })"""
    found = run_script(code, for_browser()[1]["points"], kept)
    for name, (together, alone) in zip(DECODERS, found):
        assert np.allclose(together, alone, atol=1e-9) == (name != "prefix"), name


def test_attention_is_what_the_model_weighs(run_script, kept):
    code = """({ points, queries }) => live.models.map(live.unpack).map(model => {
        const rows = [];
        live.predict(model, points, queries.slice(0, 1), (...seen) => rows.push([...seen[3]]));
        return rows; })"""
    prompt = list(prompts())[3]
    found = run_script(code, for_browser()[3], kept)
    for model, by_browser in zip(live.read(kept), found):
        module, seen = load(live.models()[model["name"]][0]).module.double(), []
        for block in module.blocks:
            block.scoring.register_forward_pre_hook(lambda scoring, given: seen.append(
                scoring.weights(*given[:2], given[3])[0, 0, :, -1]))
        with torch.no_grad():
            module(*as_tensors(*prompt[:2], prompt[2][:1]), (len(prompt[0]),))
        expected = torch.stack(seen).flatten(0, 1).numpy()  # (layers heads, tokens)
        assert np.allclose(by_browser, expected[:, :len(by_browser[0])], atol=1e-4), model["name"]


def test_the_committed_models_are_those_of_the_kept_weights():
    kept = [name for name, runs in live.models().items() if any(map(find_weights, runs))]
    assert [model["name"] for model in live.read()] == kept, "run: python -m papers"
    for model in live.read():
        run = live.models()[model["name"]][model["place"]]
        state = {part: values[0].numpy() for part, values in load(run).module.state_dict().items()}
        assert model["key"] == training_key(run)
        assert model["weights"] == live.packed(state)["weights"]


@pytest.mark.parametrize("name, value, told", [
    ("LEARNED", dict.fromkeys(live.LEARNED, 0.005), "softmax: "),
    ("models", lambda: {"softmax": [untrained(replace(DECODERS["softmax"], width=16))]}, "models: ")])
def test_a_model_that_has_not_learned_or_has_no_weights_is_not_exported(
        kept, monkeypatch, tmp_path, name, value, told):
    monkeypatch.setattr(live, name, value)
    with pytest.raises(InputError, match=told):
        live.export(tmp_path / "others.js")
    assert not (tmp_path / "others.js").exists()


@pytest.mark.parametrize("options", [{"scoring": Gaussian()}, {"normalize_stream": True},
                                     {"tokens": "inputs"}, {"mask": "block-causal", "tokens": "joint"}])
def test_a_model_that_the_browser_cannot_run_is_refused(options):
    with pytest.raises(InputError, match="run: "):
        live.architecture(untrained(replace(DECODERS["softmax"], **options)))


def test_a_band_has_eight_of_ten_errors():
    errors = np.random.default_rng(0).exponential(size=(10, 1000, 3))
    low, high = np.moveaxis(live.bands(errors), -1, 0)[..., None, :]
    assert np.abs(((low < errors) & (errors < high)).mean(axis=1) - 0.8).max() < 0.02


def test_ridge_is_scikit_learns(run_script, penalty=0.01):
    code = """([prompts, penalty]) => prompts.map(({ points, queries }) =>
        queries.map(({ x }) => live.ridge(points, penalty)(x)))"""
    found = run_script(code, [for_browser(), penalty])
    for (xs, ys, queries), by_browser in zip(prompts(), found):
        lines = np.stack((xs, np.ones_like(xs)), axis=1)
        model = Ridge(alpha=penalty, fit_intercept=False, solver="svd").fit(lines, ys)
        expected = queries * model.coef_[0] + model.coef_[1]
        assert np.abs(np.array(by_browser) - expected).max() < 1e-10 * max(1, np.abs(ys).max())


@pytest.mark.parametrize("d, n, mean", [(2, 2, 0.0), (16, 40, 3.0)])
def test_layers_are_those_of_the_theory(run_script, d, n, mean):
    torch.manual_seed(0)
    xs = 2 * torch.rand(n, d, dtype=torch.float64) - 1 + mean
    w = torch.randn(d, dtype=torch.float64)
    ys = xs @ w
    step = 0.5 * float(gradient_descent.largest_prefix_step(xs))
    code = """([xs, ys, step]) => [live.prefixWeights(xs, ys, step, 20),
        live.causalWeights(xs, ys, step, 20), live.onlineWeights(xs, ys),
        Object.values(live.largestSteps(xs))]"""
    prefix, causal, online, steps = run_script(code, [xs.tolist(), ys.tolist(), step])
    expected = gradient_descent.gradient_descent(xs, ys, step, 20)
    assert np.allclose(prefix, expected, rtol=1e-10, atol=1e-10)
    expected = gradient_descent.causal_gradient_descent(xs, ys, step, 20)
    assert np.allclose(causal, expected, rtol=1e-10, atol=1e-10)
    expected = gradient_descent.causal_stationary_weights(xs, ys)[-1]
    assert np.allclose(online, expected, rtol=1e-6, atol=1e-6)
    assert np.allclose(steps, [gradient_descent.largest_prefix_step(xs),
                               gradient_descent.largest_causal_step(xs)], rtol=1e-3)


def test_the_error_on_queries_is_its_mean_over_many(run_script):
    found = run_script("() => live.queryError([1, -2, 0.5], [0.2, 0.3, 0.1], 1.5)")
    queries = np.random.default_rng(0).uniform(-1, 1, (10**6, 3)) + 1.5
    gaps = queries @ (np.array([1, -2, 0.5]) - [0.2, 0.3, 0.1])
    assert math.isclose(found, np.square(gaps).mean(), rel_tol=1e-2)


def test_an_answer_over_time_is_the_closed_form(run_script):
    times = np.geomspace(1e-3, 1e3, 13)
    found = run_script("times => times.map(t => live.answer(t, 0.1, 0.7, 0.4))", times.tolist())
    assert np.allclose(found, riccati.closed_form(times, 0.4, 0, 0.7, 0.4)[2], rtol=1e-12)


@pytest.mark.parametrize("alpha, beta, gamma", [(1.8, 0.5, 0.5), (2.1, 0.5, 0.0)])
def test_exponents_are_those_of_the_book(run_script, alpha, beta, gamma):
    code = """settings => { const curves = live.laws(live.tasksOf(...settings)); return [
        Object.entries(curves).map(([law, curve]) => live.slope(curve, live.WINDOWS[law]).slope),
        Object.values(live.exponents(...settings)), curves.time.map(([, loss]) => loss)]; }"""
    found, formula, losses = run_script(code, [alpha, beta, gamma])
    book = VariedInTheLimit(alpha, beta, gamma).measure()
    laws = ("size", "time", "data", "compute")
    assert np.allclose(found, [book[f"{law}_exponent"][0] for law in laws], atol=2e-3)
    assert np.allclose(losses, book["time_loss"], rtol=1e-3)
    assert np.allclose(formula, list(theory_exponents(alpha, beta, gamma).values()), rtol=1e-12)
