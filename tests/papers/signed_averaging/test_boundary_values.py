import numpy as np
import pytest

from papers.signed_averaging import boundary_values
from papers.signed_averaging.boundary_values import QUERIES


def test_the_rise_is_one_on_the_line_and_zero_beyond_a_boundary():
    xs = np.array(QUERIES, dtype=float)
    on_lines = np.stack([9 * xs, np.clip(9 * xs, -50, 50), np.clip(9 * xs, -135, 135)])
    assert boundary_values.rise(on_lines, 9).tolist() == pytest.approx([1, 0, 0.5])
    falls = 200 * np.sign(xs) - 9 * xs
    assert boundary_values.rise(falls[None], 9).tolist() == pytest.approx([-1])


def test_answers_on_a_line_are_chosen_by_its_slope():
    answers = np.arange(2 * 3 * 4).reshape(2, 3, 4)
    assert boundary_values.on_line(answers, 9).tolist() == answers[:, 1].tolist()


def test_rises_beyond_training_are_of_twice_to_four_times_its_range():
    answers = np.tile(np.array([-3.0, -2.0, 2.0, 3.0]), (3, 1))  # on each of three lines
    found = boundary_values.rises_beyond([{"answer": answers}] * 2)
    assert {part: values.tolist() for part, values in found.items()} == {
        "1x": [1 / 20] * 2, "9x": pytest.approx([1 / 180] * 2), "10x": [1 / 200] * 2}
