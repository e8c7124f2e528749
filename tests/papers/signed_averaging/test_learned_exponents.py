import pytest

from papers.signed_averaging import learned_exponents


def test_scorings_take_turns(monkeypatch):
    times = iter(range(100))
    monkeypatch.setattr(learned_exponents, "seconds", lambda step, device: next(times))
    found = learned_exponents.TrainingTime(1, 2, 8, batch=2, rounds=2).measure()["seconds"]
    assert found.tolist() == [[0, 3], [1, 4], [2, 5]] and len(learned_exponents.TIMED) == 3


def test_a_step_is_timed_in_processor_time(monkeypatch):
    monkeypatch.setattr(learned_exponents.time, "process_time", iter([3.0, 5.5]).__next__)
    assert learned_exponents.seconds(lambda: None, "cpu") == 2.5


@pytest.mark.parametrize("layers, width", [(1, 8), (3, 16)])
def test_parameters_are_those_of_the_shapes(layers, width):
    norm, linear = 2 * width, lambda rows, columns: rows * columns + columns
    layer = 2 * norm + linear(width, 3 * width) + linear(width, width) + linear(
        width, 4 * width) + linear(4 * width, width)
    rest = linear(1, width) + 81 * width + norm + linear(width, 1)
    assert learned_exponents.parameters(layers, 2, width) == layers * layer + rest
