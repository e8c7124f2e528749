from types import SimpleNamespace

import numpy as np
import pytest

from icllib.tasks import ReluNetwork
from icllib.training import Recipe
from papers.context_scaling import gates, scaling


def test_another_dimension_than_the_papers_decides_nothing():
    assert gates.at_papers_dimension([1.0, 2.0], ReluNetwork(20)).tolist() == [1, 2]
    assert np.isinf(gates.at_papers_dimension([1.0, 2.0], scaling.RELU_8)).all()


@pytest.mark.parametrize("T, counts", [(10**6, True), (10**7, False)])
def test_models_that_met_no_task_twice_tell_nothing_about_their_number(T, counts):
    record = SimpleNamespace(component=SimpleNamespace(recipe=Recipe((10,), steps=20_000, batch=128)))
    assert np.isfinite(gates.seen_twice([1.0], [record], T)).all() == counts
