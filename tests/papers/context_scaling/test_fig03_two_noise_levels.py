from dataclasses import replace

import numpy as np
import pytest
import torch

from claimbook.records import PROFILES
from icllib.baselines import LeastSquares, MixtureRidge, Ridge, Zero
from icllib.evaluate import ErrorByNoiseLevel
from icllib.models.sgpt import pack
from icllib.streams import Stream
from icllib.tasks import LinearRegression, TwoNoiseLevels
from papers.context_scaling import fig02_one_noise_level, fig03_two_noise_levels, scaling
from papers.context_scaling.fig03_two_noise_levels import FEWER_LENGTHS

MIXTURE = TwoNoiseLevels(3, (0.1, 0.8), weight_std=0.5)


def test_errors_at_each_level_equal_a_plain_loop():
    lengths, prompts, predictor = (6, 2), 30, Ridge(0.3)
    measured = ErrorByNoiseLevel(lengths, prompts).measure([MIXTURE] * 2, predictor)
    stream, ids = Stream.of([0], "evaluation"), torch.arange(prompts)[None]
    for level, noise_std in enumerate((0.1, 0.8)):
        task = LinearRegression(3, noise_std, weight_std=0.5)
        xs, ys, means = (tensor[0] for tensor in task.sample(stream, ids, 7))
        for name, labels in (("error", ys), ("excess", means)):
            assert measured[name].shape == (2, 2, 2)
            for k, n in enumerate(lengths):
                total = sum((predictor.predict(xs[b], ys[b], (n,)).item()
                             - labels[b, n].item()) ** 2 for b in range(prompts))
                assert measured[name][:, level, k] == pytest.approx([total / prompts] * 2, rel=1e-5)


def test_members_are_measured_on_their_own_levels():
    """E y^2 of zero: 3 / 4 + noise variance. No noise enters the excess."""
    other = TwoNoiseLevels(3, (0.5, 2.0), weight_std=0.5)
    measured = ErrorByNoiseLevel((1,), 20_000).measure([MIXTURE, other], Zero())
    noise = [[0.1**2, 0.8**2], [0.5**2, 2.0**2]]
    assert measured["error"][..., 0] == pytest.approx(0.75 + np.array(noise), rel=0.04)
    assert measured["excess"][..., 0] == pytest.approx(np.full((2, 2), 0.75), rel=0.04)


def test_error_of_least_squares_at_each_level():
    """E excess = sigma^2 d / (n - d - 1) for normal inputs and n > d + 1."""
    errors = ErrorByNoiseLevel((20,), 20_000).measure(MIXTURE, LeastSquares())
    expected = np.array([0.1, 0.8]) ** 2 * 3 / 16
    assert errors["excess"][0, :, 0] == pytest.approx(expected, rel=0.05)


def test_no_predictor_is_best_at_both_levels_at_once():
    """The mixture's Bayes predictor loses to each level's ridge there, by little, and to no ridge
    on average."""
    errors = ErrorByNoiseLevel((2, 10), 4000)
    bayes = errors.measure(MIXTURE, MixtureRidge.bayes(MIXTURE))["excess"][0]
    tuned = np.stack([errors.measure(MIXTURE, Ridge.bayes(MIXTURE.at_level(level)))["excess"][0]
                      for level in (0, 1)])
    own = tuned[[0, 1], [0, 1]]
    assert (own < bayes).all() and (bayes < 1.25 * own).all()
    assert (bayes.mean(axis=0) < tuned.mean(axis=1)).all()


def test_the_paper_profile_has_the_papers_sizes():
    second, third = (page("paper")[0] for page in (fig02_one_noise_level.runs, fig03_two_noise_levels.runs))
    assert second.task == LinearRegression(20, 0.5, 20**-0.5)
    assert second.recipe.lengths == (10, 15, 20, 25, 30, 35, 40)
    assert third.task == TwoNoiseLevels(20, (0.1, 0.5), 20**-0.5)
    assert third.recipe.lengths == tuple(range(1, 41))
    assert pack(FEWER_LENGTHS, "cpu").points.shape == (4, 41)


@pytest.mark.parametrize("profile", PROFILES)
def test_penalties_hold_the_best_of_either_level(profile):
    task = fig03_two_noise_levels.runs(profile)[0].task
    penalties = scaling.penalties(task.dimension)
    ends = [Ridge.bayes(task.at_level(level)).penalty for level in (0, 1)]
    assert len(penalties) == 28 and penalties[[4, -5]] == pytest.approx(ends)
    one = scaling.one_noise_level(profile)  # at cpu in more dimensions
    assert replace(one, dimension=task.dimension, weight_std=task.weight_std) == task.at_level(1)
    if profile == "paper":
        assert penalties[[4, -5]] == pytest.approx([0.2, 5])
    assert np.ptp(np.diff(np.log(penalties))) < 1e-12
