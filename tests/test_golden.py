"""Golden numbers: a component whose numbers move must get a new version.

The numbers were printed by these components once. When a test here fails and the change is meant,
raise the component's `version`, so that old records become stale, and put the new number here.
"""

import dataclasses
import inspect
import re

import numpy as np
import pytest
import torch
from rounding import SINGLE, assert_as_recorded

from claimbook.pages.names import all_pages
from claimbook.pages.page import runs_by_profile, runs_of
from claimbook.records import digest, find_record
from claimbook.records.components import recorded_fields, type_name, types_in
from icllib.baselines import Lasso, LeastSquares, MixtureRidge, Ridge, StudentNetwork, XGBoost
from icllib.evaluate import ErrorByLength, ErrorByNoiseLevel
from icllib.models import MLP, SGPT, Encoder, FeatureMLP, ScalarRegression, Transformer
from icllib.models.features import feature_row
from icllib.streams import Stream
from icllib.tasks import (
    AffineFunctions, BagOfWords, DecisionTree, LinearClassification, LinearRegression, Quantifier, ReluNetwork,
    SigmoidRegression, SourceCapacityRegression, SparseFeatureRegression, SparseLinear, TwoNoiseLevels)
from icllib.training import Recipe, Run, records
from papers.context_scaling import estimators, fig04_three_tasks, scaling
from papers.signed_averaging import another_engine, learned_exponents, table03_babyberta
from papers.signed_averaging.table03_babyberta import MADE, MADE_PROBE
from papers.solvable_attention import (
    fig05_source_capacity, fig06_approximately_sparse, laws, other_architectures, softmax)
from papers.solvable_attention.fig10_softmax_adamw import ADAMW
from papers.solvable_attention.other_architectures import PerceptronTraining
from papers.solvable_attention.softmax import SoftmaxTraining

IDS = torch.arange(3)[None]


def sampled(task):
    """The labels of a prompt, then its last point."""
    prompt = task.sample(Stream.of([5], "training"), IDS, 2)
    return [*prompt.ys[0, 0].flatten().tolist(), *prompt.xs[0, 0, -1].tolist()]


def recorded(run):
    return records(lambda profile: [run], "smoke", page="test/golden")[0]


def train_tiny(model):
    recipe = Recipe((1, 3), steps=30, batch=8, learning_rate=0.01, schedule="cosine", warmup=0.1)
    run = Run(LinearRegression(2, 0.1), model, recipe, ErrorByLength((1, 3), prompts=64), 3, 20)
    return recorded(run)["error"]


def train_encoder():
    """And measure it on the corpus that the project makes itself."""
    recipe = Recipe((12,), 30, batch=8, learning_rate=0.01, schedule="linear", clip=1.0, loss="masked tokens")
    probes = table03_babyberta.GrammarProbes((MADE_PROBE,), pairs=40, held_out=20)
    return recorded(Run(MADE, Encoder(1, 2, 8, 16), recipe, probes))["held_out_loss"]


def features(name):
    """They belong to the versions of FeatureMLP and ScalarRegression."""
    prompt = LinearRegression(2, 0.5).sample(Stream.of([5], "training"), IDS, 4)
    return feature_row(name, prompt.xs, prompt.ys, (3,))[0, 0, 0, 1:]


def errors(task, predictor, lengths=(2, 12), prompts=16):
    return ErrorByLength(lengths, prompts=prompts).measure(task, predictor)["error"][0]


def errors_by_noise_level():
    task = TwoNoiseLevels(8, weight_std=8**-0.5)
    return ErrorByNoiseLevel((10,), prompts=256).measure(task, MixtureRidge.bayes(task))["error"][0, :, 0]


def ends(run):
    """The first and the last loss of a short form of runs that take too long to be repeated here."""
    losses = next(value for name, value in run.measure().items() if name.endswith("loss"))
    return np.asarray(losses).flatten()[[0, -1]]


def last_of_curves(run):
    losses = [curve[-1] for curve in run.measure()["loss"]]
    return [losses[0], losses[-1]]


def nearly_sparse():
    size = dict(tasks=5, steps=40, shown=2)
    losses = fig06_approximately_sparse.ApproximatelySparse(10, trained=(300, 2), **size).measure()
    losses |= fig06_approximately_sparse.ApproximatelySparseLimit(10, **size).measure()
    return [losses[name][-1] for name in ("test", "training", "sparse", "closed_form", "expected")]


def many_pairs():
    """At profile smoke, up to 2,154 pairs: the last errors of both kernel smoothers, of all families."""
    runs = [run for run in estimators.consistency("smoke") if run.seed == 0]
    return [[run.measure()[f"{kernel}_excess"][-1] for kernel in run.kernels] for run in runs]


LINE = LinearRegression(3, 0.1)
GOLDEN = {  # what computes it, what it printed, and how near the same code comes where not to 1e-4
    "words": (lambda: Stream.of([5], "training").words(IDS, "xs", 2)[0],
              [[812806907, 4077096034], [3483308574, 2388259844], [3879538684, 2859001743]], 0),
    "normal": (lambda: Stream.of([5], "training").normal(IDS, "xs", (2,))[0, 0], [1.732768, -0.571775], 1e-6),
    "LinearRegression": (lambda: sampled(LinearRegression(2, 0.5, inputs="uniform", input_mean=1.0))[:2],
                         [0.934678, 1.240885], 1e-5),
    "Transformer": (lambda: train_tiny(Transformer(1, 2, 8)), [2.3734, 2.2131], 1e-3),
    "MLP": (lambda: train_tiny(MLP(8)), [2.4954, 2.1862], 1e-3),
    "SGPT": (lambda: train_tiny(SGPT(1, 8)), [2.0272, 1.65], 1e-3),
    "FeatureMLP": (lambda: train_tiny(FeatureMLP("hilbert", prompt=True, width=8)), [2.35, 2.1997], 1e-3),
    "ScalarRegression": (lambda: train_tiny(ScalarRegression("linear")), [2.7921, 1.7366], 1e-3),
    "Encoder": (train_encoder, 2.8626, 1e-3),
    "WordFrequencies": (lambda: table03_babyberta.WordFrequencies(MADE, (MADE_PROBE,)).measure()["accuracy"], [35]),
    "linear": (lambda: features("linear"), [2.389785, 1.996256]),
    "l1": (lambda: features("l1"), [1.024756, 0.856008]),
    "exponential": (lambda: features("exponential"), [0.287911, 0.319754]),
    "hilbert": (lambda: features("hilbert"), [0.305639, 0.34494]),
    "ridge": (lambda: errors(scaling.LINEAR_8, Ridge.bayes(scaling.LINEAR_8), (10,), 256), [0.187597]),
    "MixtureRidge": (errors_by_noise_level, [0.0693688, 0.636448]),
    "Lasso": (lambda: errors(LINE, Lasso(0.1)), [0.235615, 0.200209], 1e-3),
    "LeastSquares": (lambda: errors(LINE, LeastSquares()), [0.307247, 0.0227919], 1e-3),
    "XGBoost": (lambda: errors(LINE, XGBoost()), [2.972185, 2.40115], 1e-3),
    "StudentNetwork": (lambda: errors(LINE, StudentNetwork(steps=50)), [1.437612, 0.288735], 1e-3),
    "Baseline": (lambda: fig04_three_tasks.Baseline(
        SparseLinear(4), Lasso(0.1), ErrorByLength((2, 5), prompts=8)).measure()["error"], [0.291049, 0.170305]),
    "ApproximatelySparse": (nearly_sparse, [0.0236171, 0.023375, 0.0225157, 0.0252397, 0.0241261]),
    "EstimatorErrors": (many_pairs, [
        [0.0102436, 0.0407712], [0.0975314, 0.1959328], [0.0774012, 0.0697987], [0.2360208, 0.1166486],
        [0.0122061, 0.0884036], [0.0644978, 0.2745397], [0.0085444, 0.0406319], [0.0058456, 0.0211216]]),
    "SoftmaxCurves": (lambda: ends(softmax.SoftmaxCurves(1.8, tasks=20, sizes=(20,), steps=60, starts=1)),
                      [0.119527, 0.0276691]),
    "SoftmaxSizeLimit": (lambda: ends(softmax.SoftmaxSizeLimit(1.8, tasks=60, steps=60, starts=1)),
                         [0.0275842, 0.0260572]),
    "SoftmaxDataLimit": (lambda: ends(softmax.SoftmaxDataLimit(
        1.8, tasks=20, steps=60, starts=1, steps_per_point=0, **ADAMW)), [0.0232372, 0.000578738]),
    "PerceptronTime": (lambda: ends(other_architectures.PerceptronTime(1.8, tasks=20, steps=400, starts=1)),
                       [0.113855, 0.00189922]),
    "PerceptronSize": (lambda: ends(other_architectures.PerceptronSize(
        1.8, tasks=20, sizes=(2, 4, 8), steps=400, starts=1)), [0.0341376, 0.00816093]),
    "PerceptronData": (lambda: ends(other_architectures.PerceptronData(
        1.8, tasks=20, counts=(10, 30, 100), steps=400, starts=1, steps_per_point=0)), [0.0270972, 0.00895388]),
    "SourceCapacityCurves": (lambda: last_of_curves(fig05_source_capacity.SourceCapacityCurves(
        1.8, tasks=20, sizes=(2, 20), steps=400)), [0.129296, 0.0429839], 1e-3),
    "SourceCapacitySoftmax": (lambda: last_of_curves(fig05_source_capacity.SourceCapacitySoftmax(
        1.8, tasks=5, sizes=(5,), steps=400, tests=4, context_length=20)), [0.0118811, 0.0118811], 1e-3)}
CONSTANTS = {  # of modules, which belong to this version of what measures with them
    "papers.across.AlgorithmDistances 1": "6a95d96f300a",
    "papers.across.CourtErrors 1": "3010ce3bfe73",
    "papers.across.HandSetDistances 1": "d5fe4c2a4fb0",
    "papers.across.HandSetLoops 1": "1baeb1081d87",
    "papers.across.KernelErrors 1": "6c221486e6ed",
    "papers.causal_lm.StepBounds 1": "3f0f2d53469a",
    "papers.context_scaling.Identities 1": "7bcf379ccbe5",
    "papers.context_scaling.PublicNormalizations 1": "3357adf03baa",
    "papers.signed_averaging.AnswerSizes 1": "93d05f6bdbf7",
    "papers.signed_averaging.BaseRates 1": "9aec24e7ce00",
    "papers.signed_averaging.DeviantNumbers 1": "f41557ca84cd",
    "papers.signed_averaging.GrammarProbes 1": "761826cba5a3",
    "papers.signed_averaging.LineAnswers 1": "29fef210da75",
    "papers.signed_averaging.PointErrors 1": "fb2e5435cf02",
    "papers.signed_averaging.QuantifierErrors 1": "54ea944f473a",
    "papers.signed_averaging.ShiftedErrors 1": "93d05f6bdbf7",
    "papers.signed_averaging.TrainingTime 3": "e92556877ab2",
    "papers.signed_averaging.WeightSizes 1": "ba442e4445ca",
    "papers.signed_averaging.WordFrequencies 1": "f2cc1815e393",
    "papers.solvable_attention.Balance 1": "7e1ca9dc7def",
    "papers.solvable_attention.ClosedFormModel 1": "3f97461d893c",
    "papers.solvable_attention.Decoupling 1": "382e35a9f70e",
    "papers.solvable_attention.FiniteTime 1": "dbe445941f0f",
    "papers.solvable_attention.FirstOrder 1": "64752ae5584a",
    "papers.solvable_attention.FirstOrderFormulas 1": "a0c5d2e4f4c4",
    "papers.solvable_attention.PerceptronTime 1": "3407efa76801",
    "papers.solvable_attention.QueryFeature 1": "4eaf5fbc65e0",
    "papers.solvable_attention.SharedReadOut 1": "3407efa76801",
    "papers.solvable_attention.SoftmaxCurves 1": "58879f1c1fd7",
    "papers.solvable_attention.SoftmaxDataLimit 1": "fba92bea49a8",
    "papers.solvable_attention.SoftmaxSizeLimit 1": "fba92bea49a8",
    "papers.solvable_attention.SourceCapacityCurves 1": "82ec3fdcc00b",
    "papers.solvable_attention.SourceCapacitySoftmax 1": "82ec3fdcc00b",
    "papers.solvable_attention.UnseenStrength 1": "f7521b885130",
    "papers.solvable_attention.VariedBySimulation 1": "7baa175a3ff3",
    "papers.solvable_attention.VariedInTheLimit 1": "d4616afd97cb",
}
TASKS = [
    (TwoNoiseLevels(2), [-1.04136, -1.36338, 1.38978, -1.76534]),
    (SparseLinear(2, nonzero=1), [-0.454372, -0.364432, 1.38978, -1.76534]),
    (SigmoidRegression(2), [0.179736, 0.165425, -0.839715, 0.712288]),
    (AffineFunctions(2.0, 3.0, 20.0), [-81.7958, 1.23184, -1.14355]),
    (LinearClassification(2), [1.0, 0.0, 0.0, 1.0, 0.0, 0.0, -0.839715, 0.712288]),
    (BagOfWords(4, words=2), [0, 0, 1, 1, 0, 0, 0, 2, 0, 0]),
    (ReluNetwork(2), [-0.00709303, 0.793827, 1.38978, -1.76534]),
    (DecisionTree(2), [-0.821228, -0.821228, 1.38978, -1.76534]),
    (Quantifier("some"), [1.0, 1.0, -0.571775]),
    (Quantifier("every", law="balanced"), [0.0, 0.0, -0.571775]),
    (SparseFeatureRegression(2, gamma=0.3, feature_noise=1.0),
     [0.406126, -0.406126, 0.665503, -0.692893]),
    (SourceCapacityRegression(2), [0.142656, 0.522427, 0.491361, -1.76534]),
]


@pytest.mark.parametrize("name", GOLDEN)
def test_numbers_are_those_that_were_printed(name, results):
    compute, golden, *relative = GOLDEN[name]
    assert_as_recorded(compute(), golden, *relative)


@pytest.mark.parametrize("task, golden", TASKS, ids=[type(task).__name__ for task, _ in TASKS])
def test_prompts_are_those_that_were_printed(task, golden):
    assert_as_recorded(sampled(task), golden, 1e-5, rounding=SINGLE)


LONG = (fig06_approximately_sparse.ApproximatelySparse,
        fig06_approximately_sparse.ApproximatelySparseLimit,
        SoftmaxTraining, PerceptronTraining, fig05_source_capacity.SourceCapacityCurves,
        fig04_three_tasks.Baseline, another_engine.PlainLoop)


def same_code(paper: str, run):
    """What runs have in common of which one stands for all: they differ in the seed alone."""
    return paper, dataclasses.replace(run, seed=0) if hasattr(run, "seed") else run


def is_long(run) -> bool:
    """Whether a run takes too long to be repeated here, so that small ones stand for it, below."""
    many_pairs = isinstance(run, estimators.EstimatorErrors) and max(run.lengths) > 1000
    return many_pairs or isinstance(run, LONG)


def exact_runs():
    """Runs that train nothing, one for each `same_code`.

    Times are never the same twice, and the words of a corpus are not in the project.
    """
    runs = {same_code(page.split("/")[0], run): (page, run)
            for page in all_pages() for _, runs in runs_by_profile(runs_of(page))
            for run in reversed(runs)
            if not is_long(run) and not isinstance(run, (
                Run, learned_exponents.TrainingTime, table03_babyberta.WordFrequencies))}
    return list(runs.values())


def cases():
    """All of them; make test tries the first of each class."""
    found, classes = [], set()
    for page, run in exact_runs():
        marks = pytest.mark.large if type(run) in classes else ()
        classes.add(type(run))
        found.append(pytest.param(page, run, marks=marks))
    return found


@pytest.mark.parametrize("page, run", cases(), ids=lambda value: str(value)[:60])
def test_exact_records_are_what_their_code_gives_today(page, run):
    stored, first = find_record(run, page.split("/")[0]), {}
    if isinstance(run, laws.FiniteTime):  # draws its training sets one by one
        run, first = dataclasses.replace(run, draws=1), {"data_loss": 1, "data_exponents": 1}
    measured = run.measure()
    assert set(measured) == set(stored.metrics)
    for name, value in measured.items():
        assert_as_recorded(value, stored[name][: first[name]] if name in first else stored[name])


def constants_of(kind: type) -> dict[str, str]:
    """The constants of modules that a paper's component reads, itself and in the paper's functions and classes."""
    found, left, seen = {}, [kind], set()
    ours = lambda value: (getattr(value, "__module__", None) or getattr(value, "__name__", "")).startswith("papers.")
    while left:
        one = left.pop()
        if isinstance(one, type):
            methods = [own for base in one.__mro__ if ours(base) for own in vars(base).values()]
            one = [getattr(own, "fget", None) or getattr(own, "func", None) or getattr(own, "__func__", own)
                   for own in methods]
        for function in map(inspect.unwrap, one if isinstance(one, list) else [one]):
            if not inspect.isfunction(function) or function in seen:
                continue
            seen.add(function)
            for names in names_in(function.__code__):
                values = {name: function.__globals__[name] for name in names if name in function.__globals__}
                for module in [value for value in values.values() if inspect.ismodule(value) and ours(value)]:
                    values |= {name: vars(module)[name] for name in names if name in vars(module)}
                for name, value in values.items():
                    if callable(value) and hasattr(value, "__module__") and not dataclasses.is_dataclass(type(value)):
                        left += [value] * ours(value)
                    elif not inspect.ismodule(value):
                        found[name] = re.sub(" at 0x[0-9a-f]+", "", in_text(value))
    return found


def in_text(value) -> str:
    """repr(value), without fields that joined a component later and hold their default."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = (f"{name}={in_text(own)}" for name, own in recorded_fields(value).items())
        return f"{type(value).__name__}({', '.join(fields)})"
    if hasattr(value, "_fields"):
        return f"{type(value).__name__}({', '.join(map(in_text, value))})"
    if type(value) is dict:
        return f"{{{', '.join(f'{name!r}: {in_text(own)}' for name, own in value.items())}}}"
    return repr(value)


def names_in(code):
    """The names that a function reads, and each function within it."""
    yield code.co_names
    for own in code.co_consts:
        if inspect.iscode(own):
            yield from names_in(own)


def test_constants_that_a_measure_reads_belong_to_its_version():
    """They are not in its settings: with another value the old numbers would be shown under its name."""
    kinds = {kind for page in all_pages() for _, runs in runs_by_profile(runs_of(page)) for run in runs
             for kind in types_in(run) if kind.__module__.startswith("papers.")}
    read = {f"{type_name(kind)} {kind.version}": constants_of(kind) for kind in kinds}
    found = {name: digest(constants) for name, constants in read.items() if constants}
    for name, told in found.items():
        assert CONSTANTS.get(name) == told, f"{name}: raise its version, then {told} here, for {read[name]}"
    assert found.keys() == CONSTANTS.keys()
