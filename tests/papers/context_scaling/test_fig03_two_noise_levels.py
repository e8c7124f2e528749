from dataclasses import replace

import numpy as np
import pytest
import torch

from claimbook.records import PROFILES
from icllib.baselines import MixtureRidge, Ridge
from icllib.evaluate import ErrorByNoiseLevel
from icllib.streams import Stream
from icllib.tasks import LinearRegression, TwoNoiseLevels
from papers.context_scaling import fig03_two_noise_levels, scaling

MIXTURE = TwoNoiseLevels(3, (0.1, 0.8), weight_std=0.5)


def test_errors_of_each_member_at_each_of_its_levels_equal_a_plain_loop():
    lengths, prompts, predictor = (6, 2), 30, Ridge(0.3)
    mixtures = MIXTURE, TwoNoiseLevels(3, (0.5, 2.0), weight_std=0.5)
    measured = ErrorByNoiseLevel(lengths, prompts).measure(mixtures, predictor)
    stream, ids = Stream.of([0], "evaluation"), torch.arange(prompts)[None]
    for member, level in np.ndindex(2, 2):
        task = LinearRegression(3, mixtures[member].noise_stds[level], weight_std=0.5)
        xs, ys, means = (tensor[0] for tensor in task.sample(stream, ids, 7))
        for name, labels in (("error", ys), ("excess", means)):
            for k, n in enumerate(lengths):
                total = sum((predictor.predict(xs[b], ys[b], (n,)).item()
                             - labels[b, n].item()) ** 2 for b in range(prompts))
                assert measured[name][member, level, k] == pytest.approx(total / prompts, rel=1e-5)


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
