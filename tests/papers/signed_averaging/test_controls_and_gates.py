"""Gates and controls of the chapter's claims, against closed forms and counts by hand."""

import numpy as np
import pytest

from icllib.papers.signed_averaging import (
    appendix_j_theory, boundary_values, comparisons, learned_exponents, quantifiers,
    table05_deviant_input)
from icllib.papers.signed_averaging.appendix_j_theory import AppendixJCheck
from icllib.results import Record


def test_ridge_regression_with_an_intercept_is_exact_on_lines():
    errors = comparisons.ridge_errors()
    assert errors.shape == (10,) and set(errors) == {comparisons.ROUNDING}
    assert comparisons.ridge_over(np.ones((3, 10))) == pytest.approx([np.exp(
        np.log(errors[2:]).mean())] * 3)
    for slope in (1, 9, 10):
        assert boundary_values.ridge_rise(slope) == pytest.approx([1.0], abs=1e-4)
    assert 0 <= table05_deviant_input.ridge_failure()[0] < 1e-6


def test_the_gate_is_the_worst_of_the_models_that_are_compared():
    errors = {"SSA": [[0.1, 9], [0.4, 9]], "softmax": [[0.2, 0], [0.3, 0]],
              "sparsemax": [[1, 0], [0, 0]]}
    assert comparisons.reached(errors, "SSA").tolist() == [0.1, 0.4]
    assert comparisons.reached(errors, "SSA", "softmax").tolist() == [0.2, 0.4]
    assert comparisons.gates(errors | {name: errors["SSA"] for name in list(comparisons.PRINTED)[3:]},
                             4)["sparsemax"].tolist() == [1, 0.4]


def test_every_part_of_claims_3_to_6_has_a_gate():
    errors = {name: np.tile(np.arange(1.0, 11), (2, 1)) for name in comparisons.PRINTED}
    compared = comparisons.EqualSteps(errors)
    for number, statistic in zip((3, 4, 5, 6), comparisons.STATISTICS):
        found = comparisons.gates(errors, number)
        assert number == 3 or set(found) == set(statistic(compared))


def test_what_is_reached_on_the_law_of_training_is_a_share_of_the_zero_predictor_s_error():
    grid = np.arange(1.0, 10).reshape(1, 3, 3)  # inputs 1, 3, 10; functions 1, 2, 3
    found = [comparisons.reached_on_law(grid, (1, 3, 10), std).tolist() for std in (1, 10, 100)]
    assert found == [[1 / 2], [7 / 101], [7 / 101]]


def record(wrong, sigmas=(3, 1), lengths=(10, 50, 200)):
    run = {"evaluation": {"parts": [{"sigmas": sigmas, "lengths": lengths}, {}]}}
    return Record(run, {}, {"wrong": wrong}, {})


def test_the_gate_of_quantifiers_is_read_at_sigma_1_and_the_length_of_training():
    first = np.arange(6).reshape(2, 3)
    second = 10 - first
    records = [record(values) for values in (first, second)]
    at = lambda chosen: quantifiers.reached(records, ["a", "b"], chosen).tolist()
    assert (at(["a"]), at(["b"]), at(["a", "b"])) == ([4], [6], [6])


def test_one_percent_off_every_statement_of_appendix_j_is_violated():
    violations = AppendixJCheck(factor=0.99).measure()
    assert set(violations) == set(AppendixJCheck(rows=20).measure())
    assert min(violations.values()) > 5e-3


@pytest.mark.parametrize("layers, width", [(1, 8), (3, 16)])
def test_parameters_are_those_of_the_shapes(layers, width):
    norm, linear = 2 * width, lambda rows, columns: rows * columns + columns
    layer = 2 * norm + linear(width, 3 * width) + linear(width, width) + linear(
        width, 4 * width) + linear(4 * width, width)
    rest = linear(1, width) + 81 * width + norm + linear(width, 1)
    assert learned_exponents.parameters(layers, 2, width) == layers * layer + rest


def test_an_embedding_keeps_the_order_of_numbers_without_a_bias_alone():
    """Against norms of the vectors themselves; far from 0 the order is that of x, half as often."""
    assert not appendix_j_theory.reversed_order(shift=0.0).any()
    assert appendix_j_theory.reversed_order(shift=50.0, pairs=20_000) == pytest.approx(0.5, abs=0.02)
    random = np.random.default_rng(0)
    weight, bias = random.uniform(-1, 1, (2, 256))
    x, y = random.standard_normal((2, 4000, 1))
    longer = lambda number: np.linalg.norm(number * weight + bias, axis=1)
    share = np.mean((np.abs(x) < np.abs(y))[:, 0] != (longer(x) < longer(y)))
    assert appendix_j_theory.reversed_order(seeds=1)[0] == pytest.approx(share, abs=0.012) and share > 0
