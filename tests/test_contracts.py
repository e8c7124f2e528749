"""Each argument of what is public, with wrong values of every kind: an InputError, or an answer without NaN."""

import dataclasses
import importlib
import inspect
import math
import re

import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch
from sklearn import linear_model

import claimbook
import icllib
import icllib.court
from claimbook import records as results
from claimbook.claims import Claim, find_claim, gates, load_claims, rule
from claimbook.claims.decisions import decide
from claimbook.commands.run import run_page
from claimbook.pages import plotting
from claimbook.records.errors import InputError, OutOfTime
from icllib import attention, baselines, evaluate, models, tasks, theory, training
from icllib.data import DataFile
from icllib.models import language, signed_language, stacked
from icllib.streams import Stream
from icllib.tasks import laws
from icllib.theory import (
    any_length, first_order, full_model, gradient_descent, kaczmarz, noisy_features, perceptron, riccati,
    scaling_laws, scoring, softmax_attention)

WRONG = {"None": None, "text": "text", "NaN": math.nan, "infinity": math.inf, "below": -1,
         "half": torch.ones(2, dtype=torch.half), "whole of numpy": np.int64(3),
         "float of numpy": np.float32(0.5), "rank 6": torch.ones(1, 1, 1, 1, 1, 1), "empty": [],
         "empty tensor": torch.ones(0), "no device": "cuda:99", "device elsewhere": "hpu", "dict": {}, "object": object(),
         "class": int, "complex": 1j, "ragged": [[1, 2], [3]], "type": torch.float16}
HUGE = {"huge": 10**400}  # for settings: a function may well be asked for more than there is room
LENGTHS = (1, 3)
MEASURE, TASK = evaluate.ErrorByLength(LENGTHS, prompts=4), tasks.LinearRegression(3, 0.5)
STREAM, IDS = Stream.of([0], "training"), torch.arange(4)[None]
SIZED = dict(dimension=3)
ARGUMENTS = {  # what a component needs, where all others have a default
    "LinearRegression": SIZED, "DecisionTree": SIZED, "LinearClassification": SIZED, "ReluNetwork": SIZED,
    "SigmoidRegression": SIZED, "SparseLinear": SIZED | {"nonzero": 2}, "TwoNoiseLevels": SIZED,
    "Quantifier": {"quantifier": "every"}, "BagOfWords": {"dimension": 9, "words": 3}, "QASSMax": {"size": 4},
    "SelfAdjusting": {"normalized": True}, "MixedHeads": {"parts": ((models.Softmax(), 1),)},
    "MixtureRidge": {"noise_stds": (0.1, 0.5), "weight_std": 1.0}, "Ridge": {"penalty": 1.0},
    "DiscreteMMSE": {"task": tasks.FunctionPool(TASK, 4)}, "FunctionPool": dict(task=TASK, functions=4),
    "Mixture": {"parts": (TASK, tasks.SparseLinear(3, 2))}, "OneStepGD": {"task": TASK},
    "StudentNetwork": {"steps": 2}, "RidgeSweep": {"penalties": (0.1, 1.0)},
    "ErrorByLength": {"lengths": LENGTHS}, "ErrorByNoiseLevel": {"lengths": LENGTHS},
    "OnTask": dict(task=TASK, evaluation=MEASURE, name="other"), "TrainingError": {"lengths": LENGTHS},
    "Together": {"parts": (MEASURE,)}, "Recipe": {"lengths": LENGTHS, "steps": 2},
    "Curriculum": dict(start=2, increment=1, every=1), "Along": {"steps": (1,), "evaluation": MEASURE},
    "Module": {"make": lambda dimension: torch.nn.Linear(dimension, 1)},
    "Run": dict(task=TASK, model=models.MLP(4), recipe=training.Recipe(LENGTHS, 2), evaluation=MEASURE)}
PUBLIC = [getattr(module, name) for module in (tasks, models, baselines, training) for name in module.__all__]
PUBLIC += [own for _, own in inspect.getmembers(evaluate, dataclasses.is_dataclass)
           if own.__module__ == evaluate.__name__]
# MaskedSentences needs files of its own: tests/tasks/test_sentences.py.
COMPONENTS = {kind.__name__: kind for kind in PUBLIC
              if dataclasses.is_dataclass(kind) and kind is not tasks.MaskedSentences}
DECODER = models.Transformer(1, 1, 4).build([0], 3, 3)
GPT2 = models.to_gpt2(DECODER)
XS = torch.randn(1, 6, 3, generator=torch.Generator().manual_seed(0))


def made(function):
    """Calls it for what it refuses alone: a module, table or figure has no NaN to look for."""
    return lambda **own: function(**own) is None


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
    for name in (*SMALL, "ScalarRegression")}
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
        train=OF_RELU | dict(learning_rate=0.1, steps=2, kept=[0], biases=True))}
CALLS |= {f"{module.__name__.rpartition('.')[2]}.{name}": (getattr(module, name), sound)
          for module, functions in TRAINED.items() for name, sound in functions.items()}
CALLS |= {"Weights.of": (SOFTMAX.of, dict(tasks=[0, 1])), "Contexts.of": (CONTEXTS.of, dict(tasks=[0, 1]))}
SETTINGS = dict(alpha=1.8, beta=0.5, gamma=0.5, large_strength=True, tasks=4, first=2.0, n=2.0, b=1.5, dimension=8,
                input_mean=1.0, noise_std=0.1, pairs=3, start=0.2, strength=1.0, rate=0.5, psi=2.0, g0=0.1, h0=0.1,
                t=1.0, xs=[1.0, 2.0, 4.0], ys=[3.0, 2.0, 1.0], window=(0, 9))
CALLS |= {function.__name__: (function, {own: SETTINGS[own] for own in inspect.signature(function).parameters})
          for function in (
              scaling_laws.theory_exponents, scaling_laws.allocation_exponents, scaling_laws.laplace_ratio,
              scaling_laws.fit_exponent, riccati.task_shares, riccati.context_lengths,
              riccati.strengths, riccati.half_times, riccati.closed_form, riccati.context_matrix, scoring.crossing,
              kaczmarz.direction_moments, kaczmarz.covariance_map, kaczmarz.noise_part, kaczmarz.mean_map,
              kaczmarz.query_weights, kaczmarz.expected_errors, kaczmarz.expected_errors_by_position,
              kaczmarz.error_rates, kaczmarz.noise_floor, gradient_descent.expected_kaczmarz_error)}
RECORD = claimbook.records.Record({"seed": 0}, {}, {"error": [1.0]}, dict(
    profile="cpu", wall_seconds=1.0, device="CPU", torch="2", date="2026", commit="c", dirty=False))
OF_A_RUN = claimbook.records.Record.of(training.Run(**ARGUMENTS["Run"]), {"error": [0.1] * len(LENGTHS)}, {})
POINTS = np.random.default_rng(0).normal(size=(6, 2))
SOUND = dict(runs_of_profile=lambda profile: [], profile="smoke", page="a/b", limits=None)  # no runs
RIDGE = icllib.InContextRegressor(baselines.Ridge(1.0)).fit(POINTS, POINTS[:, 0])
CALLS |= {
    "from_garg": (lambda path: None if path is STREAM else icllib.from_garg(path), dict(path=STREAM)),
    "recipe_for": (icllib.recipe_for, dict(task=icllib.court.LINES, model=icllib.court.SETTINGS["lines"].model)),
    "drawn": (lambda **own: laws.drawn(**own, stream=STREAM, ids=IDS, name="xs", shape=(3,), dtype=torch.float32),
              dict(law="student", degrees=5)),
    "to_gpt2": (made(models.to_gpt2), dict(module=DECODER, member=0)),
    "from_gpt2": (lambda **own: models.from_gpt2(backbone=GPT2.backbone, **own) and None,
                  dict(read_in=GPT2.read_in, read_out=GPT2.read_out, tokens="joint")),
    "StackedRMSNorm": (made(stacked.StackedRMSNorm), dict(width=4, initializer=stacked.Initializer([0]))),
    "load": (lambda source: None if source is STREAM else icllib.load(source), dict(source=STREAM)),
    "records": (lambda **own: None if own == SOUND else icllib.records(**own), SOUND),
    "every_profile": (icllib.every_profile, dict(runs_of_profile=lambda profile: [], page="a/b")),
    "train": (lambda **own: icllib.train(TASK, models.MLP(4), training.Recipe(LENGTHS, 1), **own),
              dict(seeds=[0], deadline=None)),
    "values": (lambda **own: claimbook.values(**own).tolist(), dict(records=[OF_A_RUN], metric="error")),
    "Page": (claimbook.Page, dict(name="a/b")), "Limits": (icllib.Limits, {}),
    "provenance_line": (claimbook.provenance_line, dict(records=[RECORD], page="a/b")),
    "shown_profile": (claimbook.shown_profile, dict(records=[RECORD])),
    "settings_table": (claimbook.settings_table, dict(run=TASK, assumed=())),
    "settings_of": (claimbook.settings_of, dict(runs_of_page=lambda profile: [TASK], profile="cpu", assumed=(), place=0)),
    "InContextRegressor": (lambda **own: icllib.InContextRegressor(**own).fit(POINTS, POINTS[:, 0]),
                           dict(model=baselines.Ridge(1.0), standardize=True)),
    "InContextClassifier": (lambda labels: icllib.InContextClassifier(baselines.Ridge(1.0), labels).fit(
        POINTS, POINTS[:, 0] > 0), dict(labels="signs")),
    "fit": (lambda **own: RIDGE.__sklearn_clone__().fit(**own), dict(X=POINTS, y=POINTS[:, 0])),
    "predict": (RIDGE.predict, dict(X=POINTS))}
DRAW, RUN = stacked.Initializer([0]), training.Run(**ARGUMENTS["Run"])
MODULE = models.MLP(4).build([0], 3, 3)
CLAIM, SAMPLES = find_claim("causal_lm.1"), [0.1, 0.2, 0.3]
TABLE = plotting.series("left", "ours", [1, 2], [[0.1, 0.2], [0.3, 0.4]], "cpu")
AXES, MATRIX = plt.figure().subplots(), plotting.pd.DataFrame([[1.0, 0.0]])
PARAMETER = torch.nn.Parameter(torch.ones(1, 3, 2))
CALLS |= {
    "unseen": (made(evaluate.unseen),
               dict(evaluation=MEASURE, predictor=None, members=2, device="cpu", purpose="evaluation")),
    "Claim": (made(Claim), vars(CLAIM)), "load_claims": (made(load_claims), dict(paper="causal_lm")),
    "find_claim": (made(find_claim), dict(claim_id="causal_lm.1")),
    "Gate": (gates.Gate, dict(statistic="error", source="ours", at_most=1.1)),
    "Scope": (gates.Scope, dict(profiles=["gpu"], because="24 layers")),
    "Competence": (gates.Competence, dict(printed=8e-5, source="Table 1")),
    "decide": (lambda **own: decide(**own).verdict, dict(
        claim=CLAIM, evidence={CLAIM.parts[0]: SAMPLES}, profile="cpu", gate=None, control={CLAIM.parts[0]: SAMPLES})),
    "decide.evidence": (lambda samples: decide(CLAIM, {CLAIM.parts[0]: samples}, "cpu").verdict,
                        dict(samples=SAMPLES)),
    "interval": (rule.interval, dict(samples=SAMPLES, scale="log", level=0.9)),
    "prediction_interval": (rule.prediction_interval, dict(samples=SAMPLES, scale="linear")),
    "direction": (rule.direction, dict(samples=SAMPLES, region=(0.0, 1.0), scale="log", strict=True)),
    "absent": (rule.absent, dict(samples=SAMPLES, kind="ratio of errors", printed=0.1)),
    "size": (rule.size, dict(samples=SAMPLES, printed=0.1, scale="log", null=1.0)),
    "lead": (rule.lead, dict(better=18, pairs=20, denied=False)), "words_of": (rule.words_of, dict(states=["yes", "no"])),
    "DataFile": (DataFile, dict(name="a", sha256="b")),
    "sample_each": (tasks.sample_each, dict(tasks=[TASK], stream=STREAM, ids=IDS, n=4, dtype=torch.float32)),
    "Trained": (made(training.Trained), dict(module=MODULE, stream=STREAM)),
    "Trained.predict": (training.Trained(MODULE).predict, dict(xs=XS[None], ys=YS[None], lengths=LENGTHS)),
    "Fleet": (made(training.Fleet), dict(
        tasks=[TASK], model=models.MLP(4), recipe=training.Recipe(LENGTHS, 1), seeds=[0], pretraining_tasks=[None],
        device="cpu", learning_rates=[0.1], models=[models.MLP(4)], snapshots=(1,))),
    "run_steps": (lambda fleet: training.run_steps(fleet), dict(
        fleet=training.Fleet([TASK], models.MLP(4), training.Recipe(LENGTHS, 1), [0], [None]))),
    "untrained": (made(training.untrained), dict(
        records=[], evaluation=MEASURE, seeds=1)),
    "load_record": (lambda path: None if path is STREAM else results.load_record(path), dict(path=STREAM)),
    "find_record": (results.find_record, dict(run=RUN, paper="none")),
    "from_settings": (lambda value: results.from_settings({"type": "tasks.LinearRegression", "dimension": value}),
                      dict(value=3)),
    "with_queries": (attention.with_queries, dict(pairs_mask=attention.causal_pairs(3), lengths=[1, 3],
                                                  attend_to_self=False)),
    "check_rows": (attention.check_rows, dict(mask=attention.causal_pairs(3))),
    "Initializer": (made(stacked.Initializer), dict(seeds=[0], device="cpu", uniform_start=False)),
    "Initializer.normal": (DRAW.normal, dict(name="a", shape=(2,), std=0.1)),
    "Initializer.uniform": (DRAW.uniform, dict(name="a", shape=(2,), bound=0.1)),
    "Initializer.constant": (DRAW.constant, dict(value=0.1, shape=(2,))),
    "StackedLinear": (made(stacked.StackedLinear), dict(
        weight=PARAMETER, bias=torch.nn.Parameter(torch.ones(1, 2)))),
    "linear": (made(stacked.linear), dict(draw=DRAW, name="a", fan_in=3, fan_out=2, std=0.1)),
    "uniform_linear": (made(stacked.uniform_linear), dict(draw=DRAW, name="a", fan_in=3, fan_out=2)),
    "StackedLayerNorm": (made(stacked.StackedLayerNorm), dict(width=3, initializer=DRAW)),
    "series": (made(plotting.series), dict(
        panel="left", name="ours", xs=[1, 2], samples=[[0.1, 0.2]], profile="cpu", within=(0, 1), scale="log")),
    "band": (made(plotting.band), dict(
        panel="left", name="ours", xs=[1], ys=[0.1], lows=[0.1], highs=[0.2], seeds=3, profile="cpu")),
    "rows_of": (made(plotting.rows_of), dict(table=TABLE, panel="left", name="ours")),
    "draw": (plotting.draw, dict(axes=AXES, table=TABLE, panel="left", name="ours")),
    "dots": (plotting.dots, dict(axes=AXES, xs=[1], samples=[[1.0]])),
    "draw_rows": (plotting.draw_rows, dict(axes=AXES, table=TABLE, panel="left", name="ours")),
    "legend_below": (made(plotting.legend_below), dict(axes=AXES, columns=2, side="left")),
    "numbers": (made(plotting.numbers), dict(table=TABLE, panels=["left"], xs=[1], digits=2, x="pairs")),
    "as_svg": (made(plotting.as_svg), dict(figure=plt.figure())),
    "largest": (theory.largest, dict(deviation=XS)),
    "matrix": (plotting.matrix, dict(axes=AXES, values=MATRIX, digits=2)),
    "heat_map": (made(plotting.heat_map), dict(axes=AXES, values=MATRIX)),
    "run_page": (lambda **own: None if own["page"] is STREAM else run_page(**own), dict(
        page=STREAM, profile="smoke", parameters={}, limits=icllib.Limits())),
    "load_signed_averaging": (lambda **own: None if own["folder"] is STREAM else
                              signed_language.load_signed_averaging(**own), dict(folder=STREAM, kind=None))}


def decoder():
    from transformers import GPT2Config, GPT2LMHeadModel

    return GPT2LMHeadModel(GPT2Config(vocab_size=8, n_embd=4, n_layer=1, n_head=2, bos_token_id=1, eos_token_id=None))


def within_prefixes(model=None, lengths=2):
    with language.prefix_attention(decoder() if model is None else model, lengths):
        pass


CALLS |= {
    "prefix_attention": (within_prefixes, dict(lengths=2)),
    "prefix_attention.model": (lambda model: within_prefixes(decoder() if model is None else model), dict(model=decoder())),
    "use_signed_averaging": (lambda **own: signed_language.use_signed_averaging(decoder(), **own) and None,
                             dict(n=1.5, b=1.0, trainable=True))}
# Documented and not called with wrong values, and why.
NOT_CALLED = {
    "names, ledger": "take nothing", "LASSO_PENALTIES": "numbers", "InputError, OutOfTime": "errors",
    "Decision, Size, DirectionMoments, Record": "made by functions that are called here",
    "denominators, divide": "parts of closed forms that are called here",
    "Computation, Plain, Task, Model, Scoring, Mask, Predictor, Evaluation": "for others to fill in", "compare": "tests/test_court.py", "MaskedSentences": "tests/tasks/test_sentences.py",
    "Prompt, MaskedBatch": "tuples that every step makes, checked by `sample_each` and `prompts`",
    "side_by_side": "every step asks it with the lengths of a recipe or an evaluation, which check them",
    "scores, signed_log, softmax, by_absolute_sum": "in every step of a compiled model, which was checked",
    "Stream": "made by Stream.of", "results_folder, use_style, show_as_svg": "take nothing",
    "states_by_holm": "takes functions, which the rule itself makes",
    "settings": "takes what a run can hold, else tells: tests/claimbook/records/test_records.py"}
# What X and y have to be is told by scikit-learn, as by its own estimators.
OF_SCIKIT_LEARN = {"fit": (ValueError, TypeError), "predict": (ValueError, TypeError)}


def has_nan(value) -> bool:
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, list | tuple):
        return any(map(has_nan, value))
    if dataclasses.is_dataclass(value):
        return any(has_nan(getattr(value, field.name)) for field in dataclasses.fields(value))
    return isinstance(value, float | torch.Tensor | np.ndarray) and bool(torch.as_tensor(value).isnan().any())


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


def documented():
    """The names on the pages of the library, those of whole modules too."""
    for path in sorted((results.PROJECT / "book/library").glob("*.rst")):
        text = path.read_text("utf-8")
        yield from re.findall(r"^\.\. auto(?:function|class|data|exception):: (?:\w+\.)*(\w+)$", text, re.MULTILINE)
        for name, members in re.findall(r"^\.\. automodule:: (\S+)\n   :members:(.*)$", text, re.MULTILINE):
            module = importlib.import_module(name)
            own = [name for name, kind in vars(module).items()
                   if getattr(kind, "__module__", "") == module.__name__ and name[0] != "_"]
            prefix = f"{name.rpartition('.')[2]}." if name.startswith("icllib.theory.") else ""
            yield from (prefix + one for one in (members.split(", ") if members.strip() else own))


def test_what_is_documented_is_called_here_with_wrong_values():
    """Or the list says why not."""
    called = {*CALLS} | {f"{function.__module__.rpartition('.')[2]}.{function.__name__}" for function, _ in CALLS.values()}
    told = {name for names in NOT_CALLED for name in names.split(", ")}
    names = {name.strip() for name in documented()}
    assert len(names) > 150
    assert not {name for name in names if name not in called and name.rpartition(".")[2] not in told}


class Said:
    """A predictor that answers so, whatever it is asked."""

    def __init__(self, answers):
        self.answers = answers

    def predict(self, xs, ys, lengths):
        return self.answers


page = lambda: claimbook.Page("causal_lm/propositions")
TWO, NOISY = Stream.of([0, 1], "training"), evaluate.ErrorByNoiseLevel(LENGTHS, prompts=4)
ONE_NUMBER = torch.nn.Module()
ONE_NUMBER.own = torch.nn.Parameter(torch.ones(()))
COMBINED = {  # values that are sound by themselves, and what is said
    "more pairs than a mask can have": (lambda: attention.causal_pairs(10**12), "pairs: expected an integer from 0 to"),
    "a number of pairs that no tensor has": (lambda: attention.full_pairs(10**30), "pairs: expected an integer from 0 to"),
    "more pairs in blocks": (lambda: attention.block_causal_pairs(10**12, 2), "pairs: expected an integer from 0 to"),
    "ids of one model, two seeds": (lambda: TASK.sample(TWO, IDS, 4), r"ids: expected \(2, B\), .* got \(1, 4\)"),
    "ids of two models, one seed": (lambda: TASK.sample(STREAM, IDS.expand(2, 4), 4), r"ids: expected \(1, B\)"),
    "ids of no model": (lambda: TASK.sample(STREAM, IDS[0], 4), r"ids: expected \(1, B\), .* got \(4,\)"),
    "tasks of two models, one seed": (lambda: tasks.sample_each([TASK, tasks.LinearRegression(3)], STREAM, IDS.expand(2, 4), 4),
                                      r"ids: expected \(1, B\)"),
    "noise levels of a task that has none": (lambda: training.Run(TASK, models.MLP(4), training.Recipe(LENGTHS, 1), NOISY),
                                             "expected an object with at_level"),
    "noise levels of another task": (lambda: training.Run(
        TASK, models.MLP(4), training.Recipe(LENGTHS, 1), evaluate.OnTask(TASK, NOISY, "other")), "with at_level"),
    "a warm-up of all steps": (lambda: training.Recipe(LENGTHS, 2, warmup=1.0), r"warmup: expected a fraction in \[0, 1\)"),
    "two measures of one name": (lambda: evaluate.Together((MEASURE, evaluate.ErrorByLength((2,)))), "parts: expected metrics of diff"),
    "figures that are no tables": (lambda: page().save_figure([1]), "tables: expected DataFrame"),
    "evidence that is no list": (lambda: page().decide("causal_lm.1", {CLAIM.parts[0]: 5}, "cpu"), "one number of evidence for each"),
    "evidence that is no mapping": (lambda: page().decide("causal_lm.1", 5, "cpu"), "evidence: expected dict, got 5"),
    "a gate that is no list": (lambda: page().decide("causal_lm.1", {CLAIM.parts[0]: SAMPLES}, "cpu", control=5), "control: expected dict"),
    "a number for a model": (lambda: training.Trained(ONE_NUMBER), "module: expected one with parameters"),
    "answers that are no tensor": (lambda: icllib.InContextRegressor(Said([0.0])).fit(POINTS, POINTS[:, 0]).predict(POINTS),
                                   "predictions: expected a tensor"),
    "answers that are whole numbers": (lambda: icllib.InContextRegressor(Said(torch.ones(1, 1, 1, dtype=int))).fit(
        POINTS, POINTS[:, 0]).predict(POINTS), "predictions: expected floating-point numbers"),
    "answers to other queries": (lambda: icllib.InContextRegressor(Said(torch.ones(1, 1))).fit(POINTS, POINTS[:, 0]).predict(POINTS),
                                 "predictions: expected a shape that ends in"),
    "a predictor of scikit-learn": (lambda: MEASURE.measure(TASK, linear_model.LinearRegression()), "predictor: "),
    "tasks of two dimensions": (lambda: MEASURE.measure((TASK, tasks.LinearRegression(4)), baselines.Zero()), "tasks: "),
    "a choice of thousands of letters": (lambda: load_claims("x" * 5000), "paper: expected one of .{,400}$"),
}


@pytest.mark.parametrize("name", COMBINED)
def test_values_that_do_not_go_together_are_told(name, output):
    call, message = COMBINED[name]
    with pytest.raises(InputError, match=message):
        call()


def test_a_block_that_is_longer_than_the_pairs_is_one_block():
    assert torch.equal(attention.block_causal_pairs(3, 10**30), attention.full_pairs(3))
