import numpy as np
import pytest

from papers.solvable_attention.fig08_softmax_laws import shifted_sizes
from papers.solvable_attention.softmax import LawCurve, SoftmaxSizeLimit, one_by_one


def test_exponents_in_the_papers_size_are_of_one_more_than_the_tasks():
    sizes = np.array(SoftmaxSizeLimit.sizes)
    curve = LawCurve("size", 1.8, "all +1", sizes, np.array([(sizes + 1.0) ** -0.7]), None)
    other = curve._replace(alpha=2.1, losses=curve.losses**2)
    found = shifted_sizes([curve, other], 1.8)
    assert found["all +1"] == pytest.approx(-0.7)
    assert set(found) == {"one by one", "all +1"}
    assert found["one by one"] < one_by_one("size", 1.8)  # steeper than in tasks
