import numpy as np
import pytest
import torch

from icllib.baselines import LeastSquares
from icllib.evaluate import ErrorByLength
from icllib.streams import Stream
from icllib.tasks import SparseLinear
from papers.context_scaling import fig04_three_tasks


def test_a_baseline_is_measured_prompt_by_prompt():
    task, lengths = SparseLinear(4, nonzero=2), (2, 6)
    found = fig04_three_tasks.Baseline(task, LeastSquares(), ErrorByLength(lengths, prompts=8)).measure()
    xs, ys, _ = (values[0].double().numpy() for values in task.sample(
        Stream.of([0], "evaluation"), torch.arange(8)[None], 7))
    for n, error in zip(lengths, found["error"]):
        fits = [np.linalg.lstsq(x[:n], y[:n], rcond=None)[0] for x, y in zip(xs, ys)]
        expected = np.mean([(x[n] @ w - y[n]) ** 2 for x, y, w in zip(xs, ys, fits)])
        assert error == pytest.approx(expected, rel=1e-5, abs=1e-9)
