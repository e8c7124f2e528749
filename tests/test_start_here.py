"""The file for students: it learns, and its ridge regression is scikit-learn's."""

import importlib.util
import re

import numpy as np
import pytest
import torch
from sklearn.linear_model import Ridge

from icllib.files import PROJECT

FILE = PROJECT / "book/start_here/learner.py"


@pytest.fixture(scope="module")
def learner():
    """The file as a module."""
    spec = importlib.util.spec_from_file_location("learner", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_ridge_regression_is_that_of_scikit_learn(learner):
    torch.manual_seed(0)
    x, y = learner.prompts(3)
    answers = learner.ridge(x, y)
    assert answers[:, 0].tolist() == [0, 0, 0]
    for prompt in range(3):
        for n in range(1, learner.PAIRS + 1):
            features = np.stack((x[prompt], np.ones(learner.PAIRS + 1)), axis=1)
            model = Ridge(alpha=learner.NOISE**2, fit_intercept=False)
            model.fit(features[:n], y[prompt, :n].numpy())
            expected = model.predict(features[n : n + 1])[0]
            assert answers[prompt, n].item() == pytest.approx(expected, rel=1e-5, abs=1e-5)


def test_answers_use_no_later_example(learner):
    torch.manual_seed(0)
    model, (x, y) = learner.Learner(), learner.prompts(4)
    before = model(x, y)
    y[:, 5] += 3  # the label of the sixth example
    changed = (model(x, y) - before).abs().amax(dim=0) > 1e-6
    assert changed.tolist() == [False] * 6 + [True] * 5


def test_it_comes_near_ridge_regression(learner):
    torch.manual_seed(0)
    model = learner.train(800, log=lambda text: None)
    errors, best = learner.compare(model)
    assert (errors / best)[-1] < 1.5  # fixed before the first run; all 3,000 steps reach 1.04
    assert errors[0] > 10 * errors[-1]


def test_it_is_one_short_file_that_needs_nothing_of_the_book():
    text = FILE.read_text()
    assert len(text.splitlines()) <= 300
    assert set(re.findall(r"^\s*(?:import|from) (\w+)", text, re.MULTILINE)) == {
        "argparse", "math", "time", "torch", "matplotlib"}
