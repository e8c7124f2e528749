"""Contracts at the door: each argument of what is public, with wrong values of every kind.

What is refused is refused by an InputError; what is taken gives no NaN.
"""

import dataclasses
import inspect
import math

import numpy as np
import pytest
import torch

import icllib
from icllib import attention, baselines, evaluate, models, tasks, training
from icllib.errors import InputError, OutOfTime
from icllib.streams import Stream
from icllib.theory import (
    any_length, first_order, full_model, gradient_descent, kaczmarz, noisy_features, perceptron, riccati,
    scaling_laws, scoring, softmax_attention)

WRONG = {"None": None, "text": "text", "NaN": math.nan, "infinity": math.inf, "below": -1,
         "half": torch.ones(2, dtype=torch.half), "whole of numpy": np.int64(3),
         "float of numpy": np.float32(0.5), "rank 6": torch.ones(1, 1, 1, 1, 1, 1), "empty": [],
         "empty tensor": torch.ones(0), "no device": "cuda:99", "dict": {}, "object": object(),
         "class": int, "complex": 1j, "ragged": [[1, 2], [3]], "type": torch.float16}
HUGE = {"huge": 10**400}  # for settings: a function may well be asked for more than there is room
LENGTHS = (1, 3)
MEASURE, TASK = evaluate.ErrorByLength(LENGTHS, prompts=4), tasks.LinearRegression(3, 0.5)
STREAM, IDS = Stream.of([0], "training"), torch.arange(4)[None]
SIZED = dict(dimension=3)
ARGUMENTS = {  # what a component needs, where all others have a default
    "LinearRegression": SIZED, "DecisionTree": SIZED, "LinearClassification": SIZED,
    "ReluNetwork": SIZED, "SigmoidRegression": SIZED, "SparseLinear": SIZED | {"nonzero": 2},
    "TwoNoiseLevels": SIZED, "Quantifier": {"quantifier": "every"},
    "BagOfWords": {"dimension": 9, "words": 3}, "QASSMax": {"size": 4},
    "SelfAdjusting": {"normalized": True}, "MixedHeads": {"parts": ((models.Softmax(), 1),)},
    "MixtureRidge": {"noise_stds": (0.1, 0.5), "weight_std": 1.0}, "Ridge": {"penalty": 1.0},
    "DiscreteMMSE": {"task": tasks.FunctionPool(TASK, 4)}, "FunctionPool": dict(task=TASK, functions=4),
    "Mixture": {"parts": (TASK, tasks.SparseLinear(3, 2))},
    "OneStepGD": {"task": TASK}, "StudentNetwork": {"steps": 2}, "RidgeSweep": {"penalties": (0.1, 1.0)},
    "ErrorByLength": {"lengths": LENGTHS}, "ErrorByNoiseLevel": {"lengths": LENGTHS},
    "OnTask": dict(task=TASK, evaluation=MEASURE, name="other"),
    "TrainingError": {"lengths": LENGTHS}, "Together": {"parts": (MEASURE,)},
    "Recipe": {"lengths": LENGTHS, "steps": 2}, "Curriculum": dict(start=2, increment=1, every=1),
    "Along": {"steps": (1,), "evaluation": MEASURE},
    "Run": dict(task=TASK, model=models.MLP(4), recipe=training.Recipe(LENGTHS, 2), evaluation=MEASURE)}
PUBLIC = [getattr(module, name) for module in (tasks, models, baselines, training)
          for name in module.__all__]
PUBLIC += [own for _, own in inspect.getmembers(evaluate, dataclasses.is_dataclass)
           if own.__module__ == evaluate.__name__]
# MaskedSentences needs files of its own: tests/tasks/test_sentences.py.
COMPONENTS = {kind.__name__: kind for kind in PUBLIC
              if dataclasses.is_dataclass(kind) and kind is not tasks.MaskedSentences}
XS = torch.randn(1, 6, 3, generator=torch.Generator().manual_seed(0))
CALLS = {  # function and arguments
    "Stream.of": (Stream.of, dict(seeds=[0], purpose="training", device="cpu")),
    "uniform": (STREAM.uniform, dict(ids=IDS, name="xs", dtype=torch.float32)),
    "normal": (STREAM.normal, dict(ids=IDS, name="xs", dtype=torch.float32)),
    "integers": (STREAM.integers, dict(ids=IDS, name="xs", high=3)),
    "words": (STREAM.words, dict(ids=IDS, name="xs", count=3)),
    "causal_pairs": (attention.causal_pairs, dict(pairs=3)),
    "full_pairs": (attention.full_pairs, dict(pairs=3)),
    "block_causal_pairs": (attention.block_causal_pairs, dict(pairs=3, block=2)),
    "check_alpha": (attention.check_alpha, dict(alpha=2)),
    "measure": (MEASURE.measure, dict(tasks=TASK, predictor=baselines.LeastSquares(), device="cpu")),
    "Ridge.bayes": (baselines.Ridge.bayes, dict(task=TASK)),
    "MixtureRidge.bayes": (baselines.MixtureRidge.bayes, dict(task=tasks.TwoNoiseLevels(3))),
} | {f"{name}.sample": (kind(**ARGUMENTS.get(name, {})).sample,
                        dict(stream=STREAM, ids=IDS, n=4, dtype=torch.float32))
     for name, kind in COMPONENTS.items() if hasattr(kind, "sample")}
CALLS |= {name: (kind, ARGUMENTS.get(name, {})) for name, kind in COMPONENTS.items()}
YS = XS[..., 0]
PREDICTORS = {name: kind for name, kind in COMPONENTS.items() if hasattr(kind, "predict")}
CALLS |= {f"{name}.predict": (kind(**ARGUMENTS.get(name, {})).predict, dict(
    xs=XS[None] if name == "RidgeSweep" else XS, ys=YS[None] if name == "RidgeSweep" else YS, lengths=LENGTHS))
    for name, kind in PREDICTORS.items()}
SMALL = dict(Transformer=dict(layers=1, heads=1, width=4), MLP=dict(width=4), SGPT=dict(layers=1, width=4),
             Encoder=dict(layers=1, heads=1, width=4, feed_forward=4), FeatureMLP=dict(width=4))
CALLS |= {f"{name}.build": (getattr(models, name)(**SMALL.get(name, {})).build, dict(
    seeds=[0], dimension=3, max_pairs=3, device="cpu"))
    for name in (*SMALL, "LinearAttention", "ScalarRegression")}
# What theory takes of a prompt, and the settings beside it.
THEORY = dict(xs=XS, ys=YS, mask=torch.ones(6, 6), step_size=0.1, layers=2, pairs=5, steps=2, start=torch.zeros(3),
              by_position=True)
CALLS |= {name: (function, {own: THEORY[own] for own in inspect.signature(function).parameters})
          for name, function in inspect.getmembers(gradient_descent, inspect.isfunction)
          if function.__module__ == gradient_descent.__name__
          and name not in ("_check_step", "expected_kaczmarz_error")}
# What it takes besides: numbers and curves, prompts, and the weights of the models that it trains.
FEATURES = tasks.SparseFeatureRegression(tasks=3)
PROMPT = FEATURES.sample(STREAM, IDS, n=6, dtype=torch.float64)
DATA = full_model.data_of(PROMPT, FEATURES.types(STREAM, IDS)[0], np.full(4, 0.25))
V, W, SHARES = np.full((3, 4), 0.1), np.full((4, 3), 0.1), np.full(3, 1 / 3)
STARTS = dict(v0=np.full((3, 2), 0.1), w0=np.full((3, 2), 0.1), strength=0.5, shares=SHARES)
LAW = dict(shares=SHARES, strength=0.5, psi=9.0, g0=0.04, h0=0.0)
SOFTMAX = softmax_attention.random_weights(tasks=3, width=2, scale=0.1, seed=0)
CONTEXTS = softmax_attention.contexts([2, 3, 4], 0.5)
OF_ROWS = dict(weights=SOFTMAX, model=torch.zeros(3, dtype=torch.int64), shares=torch.ones(3) / 3, strength=0.5,
               prompts=CONTEXTS)
RELU = perceptron.random_perceptron(tasks=3, width=2, read_out=1.0, seed=0)
OF_RELU = dict(weights=RELU, features=torch.ones(1, 3), shares=torch.full((1, 2, 3), 1 / 6), strength=0.5)
TRAINED = {
    riccati: dict(
        zeroth_order_matrix=dict(strength=0.5), quadratic_forms=dict(v=np.ones(2), w=np.ones(2), psi=2.0, strength=0.5),
        forward_euler=dict(g0=0.1, h0=0.1, strength=0.5, rate=1.0, step=0.1, steps=3),
        integrate_flow=STARTS | dict(matrix=np.ones((1, 2, 2)), times=[0.0, 0.1]),
        flow_outputs=STARTS | dict(psi=2.0, times=[0.0, 0.1]),
        loss=dict(shares=SHARES, outputs=np.ones((2, 3)), strength=0.5),
        gradient_descent_outputs=STARTS | dict(psi=2.0, learning_rate=0.1, steps=3, kept=[0, 3])),
    any_length: dict(time_to_reach=dict(output=0.4, v0=np.full(2, 0.1), w0=np.full(2, 0.1), psi=10, strength=0.5,
                                        share=0.4)),
    first_order: dict(first_order=dict(t=1.0, v=np.full(2, 0.1), w=np.full(2, 0.2), psi=10, strength=0.5, share=0.4)),
    full_model: dict(
        Data=vars(DATA), data_matrices=dict(prompt=PROMPT),
        data_of=dict(prompt=PROMPT, types=[1, 2, 3, 1], weights=np.full(4, 0.25)),
        outputs=dict(data=DATA, v=V, w=W),
        gradient_descent=dict(data=DATA, v=V, w=W, learning_rate=0.1, steps=2, trained=(1, 1))),
    noisy_features: dict(expected_losses=dict(v=torch.from_numpy(V), w=torch.from_numpy(W), psi=5, strength=0.5,
                                              variance=0.01)),
    scaling_laws: dict(
        time_power=dict(alpha=1.8, beta=0.5, gamma=0.5, large_strength=True),
        size_losses=dict(shares=SHARES, strength=0.5, sizes=[0, 3], answer=0.1),
        data_losses=dict(shares=SHARES, strength=0.5, start=0.1, counts=[0, 10]),
        time_losses=LAW | dict(times=[0.0, 1.0]), compute_losses=LAW | dict(sizes=[1, 3], budgets=[1.0, 9.0]),
        lower_envelope=dict(sizes=[1, 2], times=[1.0, 2.0], losses=np.ones((2, 2)), budgets=[2.0])),
    scoring: dict(
        power=dict(x=0.5, n=2, b=1.0), derivative=dict(x=0.5, n=2, b=1.0), effective_slope=dict(x=0.5, n=2, b=1.0),
        jacobian=dict(values=np.ones(3), derivatives=np.ones(3)), smallest_rest=dict(top=3.0, bottom=1.0, k=2),
        entropy=dict(weights=SHARES), largest_entropy=dict(top=0.5, k=3), smallest_entropy=dict(top=0.5)),
    softmax_attention: dict(
        Weights=vars(SOFTMAX), Contexts=vars(CONTEXTS), side_by_side=dict(models=[SOFTMAX]),
        random_weights=dict(tasks=3, width=2, scale=0.1, seed=0), losses_and_gradients=OF_ROWS,
        contexts=dict(lengths=[2, 3], positive_share=0.5), context_points=dict(length=3, positive_share=0.5),
        binomial_points=dict(length=99, share=0.5),
        train=OF_ROWS | dict(optimizer=torch.optim.SGD(SOFTMAX.tensors(), lr=0.1), steps=2, kept=[0])),
    perceptron: dict(
        Perceptrons=vars(RELU), random_perceptron=dict(tasks=3, width=2, read_out=1.0, seed=0),
        answers=dict(weights=RELU, features=torch.ones(1, 3)), losses_and_gradients=OF_RELU,
        train=OF_RELU | dict(learning_rate=0.1, steps=2, kept=[0], biases=True)),
}
CALLS |= {f"{module.__name__.rpartition('.')[2]}.{name}": (getattr(module, name), sound)
          for module, functions in TRAINED.items() for name, sound in functions.items()}
CALLS |= {"Weights.of": (SOFTMAX.of, dict(tasks=[0, 1])), "Contexts.of": (CONTEXTS.of, dict(tasks=[0, 1]))}
SETTINGS = dict(alpha=1.8, beta=0.5, gamma=0.5, large_strength=True, tasks=4, first=2.0, n=2.0, b=1.5, dimension=8,
                input_mean=1.0, noise_std=0.1, pairs=3, start=0.2, strength=1.0, rate=0.5, psi=2.0, g0=0.1, h0=0.1,
                t=1.0, xs=[1.0, 2.0, 4.0], ys=[3.0, 2.0, 1.0], window=(0, 9))
CALLS |= {function.__name__: (function, {own: SETTINGS[own] for own in inspect.signature(function).parameters})
          for function in (
              scaling_laws.theory_exponents, scaling_laws.allocation_exponents, scaling_laws.laplace_ratio,
              scaling_laws.fit_exponent, scaling_laws.local_exponents, riccati.task_shares, riccati.context_lengths,
              riccati.strengths, riccati.half_times, riccati.closed_form, riccati.context_matrix, scoring.crossing,
              kaczmarz.direction_moments, kaczmarz.covariance_map, kaczmarz.noise_part, kaczmarz.mean_map,
              kaczmarz.query_weights, kaczmarz.expected_errors, kaczmarz.expected_errors_by_position,
              kaczmarz.error_rates, kaczmarz.noise_floor, gradient_descent.expected_kaczmarz_error)}
RECORD = icllib.results.Record({"seed": 0}, {}, {"error": [1.0]}, dict(
    profile="cpu", wall_seconds=1.0, device="CPU", torch="2", date="2026", commit="c", dirty=False))
POINTS = np.random.default_rng(0).normal(size=(6, 2))
SOUND = dict(runs_of_profile=lambda profile: [], profile="smoke", page="a/b", limits=None)  # no runs
RIDGE = icllib.InContextRegressor(baselines.Ridge(1.0)).fit(POINTS, POINTS[:, 0])
CALLS |= {
    "load": (lambda source: None if source is STREAM else icllib.load(source), dict(source=STREAM)),
    "records": (lambda **own: None if own == SOUND else icllib.records(**own), SOUND),
    "every_profile": (icllib.every_profile, dict(runs_of_profile=lambda profile: [], page="a/b")),
    "train": (lambda **own: icllib.train(TASK, models.MLP(4), training.Recipe(LENGTHS, 1), **own),
              dict(seeds=[0], deadline=None)),
    "samples": (icllib.samples, dict(records=[RECORD], metric="error")),
    "stacked": (icllib.stacked, dict(records=[RECORD], names=["a"], metric="error")),
    "Page": (icllib.Page, dict(name="a/b")),
    "Limits": (icllib.Limits, {}),
    "provenance_line": (icllib.provenance_line, dict(records=[RECORD], page="a/b")),
    "shown_profile": (icllib.shown_profile, dict(records=[RECORD])),
    "settings_table": (icllib.settings_table, dict(run=TASK, assumed=())),
    "settings_of": (icllib.settings_of, dict(runs_of_page=lambda profile: [TASK], profile="cpu", assumed=(), place=0)),
    "InContextRegressor": (lambda **own: icllib.InContextRegressor(**own).fit(POINTS, POINTS[:, 0]),
                           dict(model=baselines.Ridge(1.0), standardize=True)),
    "InContextClassifier": (lambda labels: icllib.InContextClassifier(baselines.Ridge(1.0), labels).fit(
        POINTS, POINTS[:, 0] > 0), dict(labels="signs")),
    "fit": (lambda **own: RIDGE.__sklearn_clone__().fit(**own), dict(X=POINTS, y=POINTS[:, 0])),
    "predict": (RIDGE.predict, dict(X=POINTS))}
# What X and y have to be is told by scikit-learn, as by its own estimators.
OF_SCIKIT_LEARN = {"fit": (ValueError, TypeError), "predict": (ValueError, TypeError)}


def has_nan(value) -> bool:
    """Whether there is a NaN anywhere in it."""
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, list | tuple):
        return any(map(has_nan, value))
    if dataclasses.is_dataclass(value):
        return any(has_nan(getattr(value, field.name)) for field in dataclasses.fields(value))
    return isinstance(value, float | torch.Tensor | np.ndarray) and bool(
        torch.as_tensor(value).isnan().any())


@pytest.mark.parametrize("name", CALLS)
def test_wrong_arguments_are_refused_and_no_nan_is_given(name):
    function, sound = CALLS[name]
    assert not has_nan(function(**sound))
    values = WRONG | HUGE if inspect.isclass(function) else WRONG
    arguments = inspect.signature(function).parameters if inspect.isclass(function) else sound
    wrongly = []
    for argument in arguments:
        for kind, wrong in values.items():
            try:
                if has_nan(function(**sound | {argument: wrong})):
                    wrongly.append((argument, kind, "NaN"))
            except (InputError, OutOfTime, *OF_SCIKIT_LEARN.get(name, ())):
                pass
            except Exception as error:
                wrongly.append((argument, kind, repr(error)[:80]))
    assert not wrongly


def test_a_predictor_of_scikit_learn_and_tasks_of_two_dimensions_are_told():
    from sklearn.linear_model import LinearRegression

    with pytest.raises(InputError, match=r"predictor: expected one with predict\(xs, ys, lengths\), got"):
        MEASURE.measure(TASK, LinearRegression())
    with pytest.raises(InputError, match="tasks: expected one dimension for all, got 3, 4"):
        MEASURE.measure((TASK, tasks.LinearRegression(4)), baselines.LeastSquares())
