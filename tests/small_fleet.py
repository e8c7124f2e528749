"""A fleet of three perceptrons, and processes that train it and may be killed."""

import glob
import io
import json
import math
import multiprocessing
import os
import sys
import tempfile
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import ClassVar

import pytest

from claimbook.records import find_record, settings
from icllib.evaluate import ErrorByLength
from icllib.models import MLP
from icllib.tasks import LinearRegression
from icllib.training import Recipe, Run, engine, jobs
from icllib.training.workers import main

RECIPE = Recipe((1, 3), steps=200, batch=8, learning_rate=0.01, schedule="cosine", warmup=0.1)


def runs(recipe=RECIPE, seeds=(0, 1, 2)):
    return [Run(LinearRegression(2, 0.1), MLP(8), recipe, ErrorByLength((1, 3), 64), seed, 20)
            for seed in seeds]


def metrics_of(a_fleet):
    return [find_record(run, "test").metrics for run in a_fleet]


def train(folder, pause, environment):
    """The worker on its own, a checkpoint after every step, `pause` seconds after each."""
    os.environ |= environment
    sys.stdin = io.StringIO(json.dumps([settings(run) for run in runs()]))
    engine.SAVE_EVERY, save = 0.0, jobs.save_checkpoint
    jobs.save_checkpoint = lambda *a: (save(*a), time.sleep(pause))
    main("smoke", str(folder))


PROCESSES = multiprocessing.get_context("forkserver")  # whose server alone imports torch
PROCESSES.set_forkserver_preload(["icllib.training", "torch._dynamo", "pytest"])


def start_training(folder, pause):
    """A process that trains, once it has saved a step of its own."""
    steps = f"{folder.parents[2]}/checkpoints/**/step-*.json"
    newest = lambda: max(glob.glob(steps, recursive=True), default=None)
    before = newest()
    process = PROCESSES.Process(target=train, args=(folder, pause, dict(os.environ)))
    process.start()
    while newest() == before and process.is_alive():
        time.sleep(0.01)
    return process


def finish_training(folder):
    process = start_training(folder, pause=0)
    process.join()
    assert process.exitcode == 0


@cache
def uninterrupted():
    """What a training measures that nothing stops; it saves no step on its way."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("CLAIMBOOK_RESULTS", folder)
        patch.setattr(engine, "SAVE_EVERY", math.inf)
        jobs.train_and_save(runs(), "smoke", Path(folder, "test", "page"))
        return metrics_of(runs())


@dataclass(frozen=True)
class Returns:
    metrics: object
    version: ClassVar[int] = 1

    def measure(self, tasks, predictor, device="cpu"):
        if self.metrics == "empty":
            return {}
        return {"error": 1.0 if self.metrics == "scalar" else 1 / 0} if self.metrics else None
