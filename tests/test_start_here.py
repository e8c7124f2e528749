"""The file for students: it learns, and its ridge regression is scikit-learn's."""

import importlib.util
import re

import numpy as np
import pytest
import torch
from sklearn.linear_model import Ridge

from claimbook.records.files import PROJECT

FILE = PROJECT / "book/start_here/learner.py"
TEXT = PROJECT / "book/start_here/index.md"


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


def test_answers_use_no_later_example_unless_all_see_each_other(learner, monkeypatch):
    """As exercise 2 asks."""
    def moved_by_the_sixth_label():
        torch.manual_seed(0)
        model, (x, y) = learner.Learner(), learner.prompts(4)
        before = model(x, y)
        y[:, 5] += 3
        return ((model(x, y) - before).abs().amax(dim=0) > 1e-6).tolist()

    assert moved_by_the_sixth_label() == [False] * 6 + [True] * 5
    mask = learner.who_may_look_at_whom(learner.PAIRS)
    mask[: learner.PAIRS, : learner.PAIRS] = True
    monkeypatch.setattr(learner, "who_may_look_at_whom", lambda pairs: mask)
    assert moved_by_the_sixth_label() == [False] + [True] * 10


@pytest.fixture(scope="module")
def trained(learner):
    """A learner after a sixth of its training."""
    torch.manual_seed(0)
    return learner.train(500, log=lambda text: None)


def test_it_comes_near_ridge_regression(learner, trained):
    errors, best = learner.compare(trained)
    assert (errors / best)[-1] < 1.5  # fixed before the first run; all 3,000 steps reach 1.04
    assert errors[0] > 10 * errors[-1]


@pytest.mark.parametrize("words, message", [
    (("--steps", "0"), "--steps: expected 1 or more, got 0"),
    (("--picture", "absent/learner.png"), "--picture: expected a file that can be written")])
def test_what_it_cannot_do_is_told_before_any_training(learner, words, message, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["learner.py", *words])
    monkeypatch.setattr(learner, "train", None)
    with pytest.raises(SystemExit):
        learner.main()
    assert message in capsys.readouterr().err


def test_exercise_1_far_out_its_curve_levels_off(learner, trained):
    x, y = learner.prompts(512)

    def size(answer, place):
        x[:, -1] = place
        return answer(x, y)[:, -1].detach().square().mean().sqrt()

    assert size(learner.ridge, 10) / size(learner.ridge, 5) > 1.8  # a straight line goes on
    assert size(trained, 10) / size(trained, 5) < 1.3


@pytest.mark.large
def test_exercise_3_ten_lines_are_known_by_heart(learner, monkeypatch):
    torch.manual_seed(0)
    solution = re.search(r"```python\n(lines = .*?)```", TEXT.read_text("utf-8"), re.DOTALL)[1]
    names, new_lines = dict(vars(learner)), learner.prompts
    exec(solution, names)
    monkeypatch.setattr(learner, "prompts", names["known_lines"])
    model = learner.train(800, log=lambda text: None)
    known, best = learner.compare(model)
    assert known[1] < 0.9 * best[1]
    monkeypatch.setattr(learner, "prompts", new_lines)
    new, best = learner.compare(model)
    assert new[-1] > 1.5 * best[-1]


def test_it_is_one_short_file_that_needs_nothing_of_the_book():
    text = FILE.read_text("utf-8")
    assert len(text.splitlines()) <= 300
    assert set(re.findall(r"^\s*(?:import|from) (\w+)", text, re.MULTILINE)) == {
        "argparse", "math", "time", "torch", "matplotlib"}
