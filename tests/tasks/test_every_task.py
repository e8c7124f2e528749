"""What every task keeps: an id names a prompt, nothing waits for the host, bad sizes fail."""

import dataclasses

import pytest
import torch
from standard_errors import STREAM, within_four_standard_errors

from claimbook.records import from_settings, settings
from claimbook.records.errors import InputError
from icllib import tasks
from icllib.streams import Stream
from icllib.tasks import (AffineFunctions, BagOfWords, DecisionTree, FunctionPool,
                          LinearClassification, LinearRegression, Mixture, Prompt, Quantifier, ReluNetwork,
                          SigmoidRegression, SourceCapacityRegression, SparseFeatureRegression,
                          SparseLinear, TwoNoiseLevels, sample_each)

TASKS = [
    LinearRegression(3, noise_std=0.4, weight_std=0.5, inputs="uniform", input_mean=0.5),
    TwoNoiseLevels(5, weight_std=0.7),
    SparseLinear(20),
    SigmoidRegression(16),
    AffineFunctions(2.0, 3.0, first_input_std=20.0, prompts_per_function=3),
    LinearClassification(16),
    BagOfWords(12, words=3),
    ReluNetwork(20),
    DecisionTree(20),
    Quantifier("every"),
    Quantifier("some", law="balanced"),
    SparseFeatureRegression(9, beta=0.5, gamma=0.3, feature_noise=1.0),
    SourceCapacityRegression(9),
    FunctionPool(SparseLinear(6, nonzero=2), 4),
    Mixture((LinearRegression(6, 0.5), FunctionPool(DecisionTree(6), 3)), (1.0, 3.0)),
]
NAN = float("nan")
NAME = lambda value: type(value).__name__


def same(prompt, expected):
    """Whether two prompts are equal in every bit."""
    return all(torch.equal(ours, theirs) for ours, theirs in zip(prompt, expected))


def test_every_task_is_tested_here():
    exported = {name for name in tasks.__all__ if dataclasses.is_dataclass(getattr(tasks, name))}
    sentences = {"MaskedSentences"}  # gives no prompts: test_sentences.py
    assert exported - sentences == {NAME(task) for task in TASKS}


def test_shapes_and_dtypes():
    for task in TASKS:
        for dtype in (torch.float32, torch.float64):
            prompt = task.sample(Stream.of([0, 1], "training"), torch.arange(5).expand(2, -1), 7, dtype)
            classes = (task.classes,) if hasattr(task, "classes") else ()
            assert prompt.xs.shape == (2, 5, 7, task.dimension)
            assert prompt.ys.shape == prompt.means.shape == (2, 5, 7, *classes)
            assert {tensor.dtype for tensor in prompt} == {dtype}
            assert all(tensor.isfinite().all() for tensor in prompt)


def test_an_id_names_a_prompt_whatever_is_around_it():
    for task in TASKS:
        for dtype in (torch.float32, torch.float64):
            ids, seeds = torch.arange(17), [7, 0, 3]
            fleet = task.sample(Stream.of(seeds, "training"), ids.expand(3, -1), 11, dtype)
            for chosen in ([5], [16, 2, 5], list(range(1, 17))):
                for member, seed in enumerate(seeds):
                    alone = task.sample(Stream.of([seed], "training"), torch.tensor([chosen]), 11, dtype)
                    assert same([part[0] for part in alone], [part[member, chosen] for part in fleet])


@pytest.mark.parametrize("task", TASKS, ids=NAME)
def test_seeds_ids_and_purposes_differ(task):
    draw = lambda seed, first, purpose: task.sample(
        Stream.of([seed], purpose), torch.arange(first, first + 3)[None], 6).xs
    base = draw(0, 0, "training")
    for other in (draw(1, 0, "training"), draw(0, 3, "training"), draw(0, 0, "evaluation")):
        assert not torch.equal(base, other)


@pytest.mark.parametrize("task", [task for task in TASKS if not isinstance(
    task, (SparseFeatureRegression, Quantifier)) or task == Quantifier("every")], ids=NAME)
def test_a_shorter_prompt_is_the_beginning_of_a_longer_one(task):
    ids = torch.arange(4)[None]
    short, long = (task.sample(STREAM, ids, n, torch.float64) for n in (5, 12))
    torch.testing.assert_close(short, Prompt(*(part[:, :, :5] for part in long)))


@pytest.mark.parametrize("task", TASKS, ids=NAME)
def test_sampling_never_waits_for_the_host(task, monkeypatch):
    """On the meta device a tensor has no values, so whatever asks for one fails; and a CUDA graph
    can hold no copy from the host."""
    stream = Stream(torch.empty(2, dtype=torch.int64, device="meta"), "training")
    ids = torch.empty(2, 5, dtype=torch.int64, device="meta")
    for copies in ("tensor", "as_tensor", "from_numpy"):
        monkeypatch.delattr(torch, copies)
    prompt = task.sample(stream, ids, 7)
    assert {part.device.type for part in prompt} == {"meta"}


@pytest.mark.parametrize("task", TASKS, ids=NAME)
def test_a_record_can_hold_it(task):
    read = from_settings(settings(task))
    assert read == task and hash(read) == hash(task)


def test_a_prompt_needs_a_point():
    for task in TASKS:
        for n in (0, -1):
            with pytest.raises(InputError, match=f"n: expected.*got {n}"):
                task.sample(STREAM, torch.zeros(1, 1, dtype=torch.int64), n)


@pytest.mark.parametrize("task", [task for task in TASKS if hasattr(task, "label_variance")],
                         ids=NAME)
def test_label_variance(task):
    if isinstance(task, AffineFunctions):  # else three prompts have one function
        task = dataclasses.replace(task, prompts_per_function=1)
    if isinstance(task, SourceCapacityRegression):  # its strengths are fixed: average over seeds
        draws = [dataclasses.replace(task, strength_seed=seed).sample(
            STREAM, torch.tensor([[seed]]), 2).ys[0, :, -1] for seed in range(500)]
        ys = torch.cat(draws)
    else:
        ys = task.sample(STREAM, torch.arange(5000)[None], 2).ys[0, :, -1]
    deviations = ys[:, 0] - 1 / task.classes if hasattr(task, "classes") else ys
    assert within_four_standard_errors(deviations, 0)
    assert within_four_standard_errors(deviations**2, task.label_variance)


@dataclasses.dataclass(frozen=True)
class Wrong(LinearRegression):
    """A task of someone's own that gives other shapes than it should."""

    change: object = None

    def sample(self, stream, ids, n, dtype=torch.float32):
        return Prompt(*map(self.change, super().sample(stream, ids, n, dtype)))


@pytest.mark.parametrize("change, got", [
    (lambda part: part[:, :, :-1], r"got Prompt\(xs=\(1, 2, 4, 3\), ys=\(1, 2, 4\)"),
    (lambda part: part if part.dim() == 4 else part[..., None], r"ys=\(1, 2, 5, 1\)"),
    (lambda part: part[..., :1] if part.dim() == 4 else part, r"xs=\(1, 2, 5, 1\)")])
@pytest.mark.parametrize("others", [[], [LinearRegression(3)]])
def test_a_task_that_gives_other_shapes_is_named(change, got, others):
    tasks_of_members = [*others, Wrong(3, change=change)]
    ids = torch.arange(2).expand(len(tasks_of_members), -1)
    stream = Stream.of([0] * len(tasks_of_members), "training")
    with pytest.raises(InputError, match=f"Wrong.sample: expected the shapes .*{got}"):
        sample_each(tasks_of_members, stream, ids, 5)


def test_impossible_settings_are_refused():
    for make, message in [
        (lambda: TwoNoiseLevels(0), "dimension: .*got 0"),
        (lambda: TwoNoiseLevels(3, (0.1,)), r"noise_stds: .*got \(0.1,\)"),
        (lambda: TwoNoiseLevels(3, (0.1, -0.5)), "noise_stds: .*got -0.5"),
        (lambda: TwoNoiseLevels(3, weight_std=0.0), "weight_std: .*got .*0.0"),
        (lambda: TwoNoiseLevels(3).at_level(2), "level: .*got 2"),
        (lambda: SparseLinear(0), "dimension: .*got 0"),
        (lambda: SparseLinear(5, nonzero=6), "nonzero: "),
        (lambda: SparseLinear(5, nonzero=0), "nonzero: .*got 0"),
        (lambda: LinearRegression(3.0), "dimension: "),
        (lambda: LinearRegression(3, input_mean=NAN), "input_mean: .*got nan"),
        (lambda: LinearRegression(3, noise_std=float("inf")), "noise_std: .*got inf"),
        (lambda: LinearRegression(3, weight_std="1"), "weight_std: .*got '1'"),
        (lambda: SigmoidRegression(-1), "dimension: .*got -1"),
        (lambda: AffineFunctions(0.0), "input_std: .*got 0.0"),
        (lambda: AffineFunctions(NAN), "input_std: .*got nan"),
        (lambda: AffineFunctions(1.0, -1.0), "function_std: .*got -1.0"),
        (lambda: AffineFunctions(first_input_std=0.0), "first_input_std: .*got 0.0"),
        (lambda: AffineFunctions(prompts_per_function=0), "prompts_per_function: .*got 0"),
        (lambda: LinearClassification(0), "dimension: .*got 0"),
        (lambda: LinearClassification(4, classes=1), "classes: .*2.*got 1"),
        (lambda: BagOfWords(0, 3), "dimension: .*got 0"),
        (lambda: BagOfWords(12, 0), "words: .*got 0"),
        (lambda: BagOfWords(12, 3, classes=1), "classes: .*2.*got 1"),
        (lambda: ReluNetwork(0), "dimension: .*got 0"),
        (lambda: ReluNetwork(4, width=0), "width: .*got 0"),
        (lambda: DecisionTree(0), "dimension: .*got 0"),
        (lambda: DecisionTree(4, depth=0), "depth: .*got 0"),
        (lambda: Quantifier("most"), "quantifier: .*got 'most'"),
        (lambda: Quantifier("some", input_std=0.0), "input_std: .*got 0.0"),
        (lambda: Quantifier("some", law="fair"), "law: .*got 'fair'"),
        (lambda: SparseFeatureRegression(0), "tasks: .*got 0"),
        (lambda: SparseFeatureRegression(alpha=1.0), "alpha: .*got 1.0"),
        (lambda: SparseFeatureRegression(strength=0.0), "strength: .*got 0.0"),
        (lambda: SparseFeatureRegression(beta=-0.1), "beta: .*got -0.1"),
        (lambda: SparseFeatureRegression(gamma=-0.1), "gamma: .*got -0.1"),
        (lambda: SparseFeatureRegression(feature_noise=-1.0), "feature_noise: .*got -1.0"),
        (lambda: SparseFeatureRegression(positive_share=1.5), "positive_share: .*got 1.5"),
        (lambda: SparseFeatureRegression(positive_share="a"), "positive_share: .*got 'a'"),
        (lambda: SparseFeatureRegression().sample(STREAM, torch.zeros(1, 1).long(), 1), "n: .*got 1"),
        (lambda: SourceCapacityRegression(0), "tasks: .*got 0"),
        (lambda: SourceCapacityRegression(alpha=0.5), "alpha: .*got 0.5"),
        (lambda: SourceCapacityRegression(tau=0.0), "tau: .*got 0.0"),
        (lambda: SourceCapacityRegression(strength_seed=-1), "strength_seed: .*got -1"),
        (lambda: FunctionPool(LinearRegression(3), 0), "functions: .*got 0"),
        (lambda: FunctionPool(Quantifier("every"), 4), "task: .*of_function, got Quantifier"),
        (lambda: Mixture(()), r"parts: .*got \(\)"),
        (lambda: Mixture((LinearRegression(3), SparseLinear(4))), "parts: "),
        (lambda: Mixture((LinearRegression(3),), (1.0, 2.0)), "shares: "),
        (lambda: Mixture((LinearRegression(3),), (0.0,)), "shares: .*got 0.0"),
    ]:
        with pytest.raises(InputError, match=message):
            make()
