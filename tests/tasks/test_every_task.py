"""What every task keeps: an id names a prompt, nothing waits for the host, bad sizes fail."""

import dataclasses

import pytest
import torch
from standard_errors import STREAM, within_four_standard_errors

from claimbook.records import from_settings, settings
from icllib import tasks
from icllib.streams import Stream
from icllib.tasks import (AffineFunctions, BagOfWords, DecisionTree, FunctionPool,
                          LinearClassification, LinearRegression, Mixture, Prompt, Quantifier, ReluNetwork,
                          SigmoidRegression, SourceCapacityRegression, SparseFeatureRegression,
                          SparseLinear, TwoNoiseLevels)

TASKS = [
    LinearRegression(3, noise_std=0.4, weight_std=0.5, inputs="uniform", input_mean=0.5),
    TwoNoiseLevels(5, weight_std=0.7), SparseLinear(20), SigmoidRegression(16),
    AffineFunctions(2.0, 3.0, first_input_std=20.0, prompts_per_function=3),
    AffineFunctions(2.0, inputs="uniform"), LinearClassification(16), BagOfWords(12, words=3),
    ReluNetwork(20), DecisionTree(20), Quantifier("every"), Quantifier("some", law="balanced"),
    SparseFeatureRegression(9, beta=0.5, gamma=0.3, feature_noise=1.0), SourceCapacityRegression(9),
    FunctionPool(SparseLinear(6, nonzero=2), 4),
    Mixture((LinearRegression(6, 0.5), FunctionPool(DecisionTree(6), 3)), (1.0, 3.0))]
NAME = lambda value: type(value).__name__


def same(prompt, expected):
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
def test_a_record_can_hold_it(task):
    read = from_settings(settings(task))
    assert read == task and hash(read) == hash(task)


@pytest.mark.parametrize("task", [task for task in TASKS if hasattr(task, "label_variance")], ids=NAME)
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
