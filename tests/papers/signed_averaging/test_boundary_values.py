import numpy as np
import pandas as pd
import pytest

from papers.signed_averaging.affine import LineAnswers
from papers.signed_averaging.comparisons import rise


def test_the_rise_is_one_on_the_line_and_zero_beyond_a_boundary():
    xs = np.array(LineAnswers().queries, dtype=float)
    on_lines = [9 * xs, np.clip(9 * xs, -50, 50), np.clip(9 * xs, -135, 135), 200 * np.sign(xs) - 9 * xs]
    on_lines = pd.DataFrame(on_lines, columns=LineAnswers().queries)
    assert rise(on_lines, 9).tolist() == pytest.approx([1, 0, 0.5, -1])
