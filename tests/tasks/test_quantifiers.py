"""Truth of "every" and "some": labels by Python's own all and any, and closed-form base rates."""

import pytest
import torch
from standard_errors import STREAM, within_four_standard_errors

from icllib.tasks import Quantifier

MANY = torch.arange(20_000)[None]
TASKS = [Quantifier(quantifier, 2.0, law) for quantifier in ("every", "some")
         for law in ("independent", "balanced")]
TRUTH = {"every": all, "some": any}
NAME = lambda task: f"{task.quantifier} {task.law}"


@pytest.mark.parametrize("task", TASKS, ids=NAME)
def test_labels_are_all_or_any_of_the_numbers_so_far(task):
    prompt = task.sample(STREAM, torch.arange(200)[None], 9)
    for xs, ys in zip(prompt.xs[0, ..., 0].tolist(), prompt.ys[0].tolist()):
        truths = [TRUTH[task.quantifier](x > 0 for x in xs[: i + 1]) for i in range(9)]
        assert ys == [float(truth) for truth in truths]


@pytest.mark.parametrize("law", ["independent", "balanced"])
@pytest.mark.parametrize("quantifier, sign", [("every", 1), ("some", -1)])
def test_inputs_equal_a_plain_loop(quantifier, sign, law):
    ids = torch.arange(40)[None]
    xs = Quantifier(quantifier, 3.0, law).sample(STREAM, ids, 7, torch.float64).xs[0, ..., 0]
    draws = STREAM.normal(ids, "xs", (7,), torch.float64)[0].tolist()
    settled = STREAM.integers(ids, "settled", 8)[0].tolist()
    assert set(settled) == set(range(8))  # 7: never
    for b in range(40):
        for i in range(7):
            expected = 3 * draws[b][i]
            if law == "balanced" and i <= settled[b]:
                expected = (sign if i < settled[b] else -sign) * abs(expected)
            assert xs[b, i].item() == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("task", TASKS, ids=NAME)
def test_base_rates(task):
    n, rates = 6, task.base_rates(6)
    ys = task.sample(STREAM, MANY, n).ys[0]
    for k in range(n):
        assert within_four_standard_errors(ys[:, k], rates[k])


@pytest.mark.parametrize("quantifier, sign", [("every", 1), ("some", -1)])
@pytest.mark.parametrize("n", (1, 2, 40))
def test_base_rates_are_half_on_average_if_balanced_and_vanish_if_not(quantifier, sign, n):
    balanced = Quantifier(quantifier, law="balanced").base_rates(n)
    assert sum(balanced) / n == pytest.approx(0.5, abs=1e-14)
    assert balanced[-1] == pytest.approx(1 / (n + 1) if sign == 1 else n / (n + 1))
    independent = Quantifier(quantifier).base_rates(n)
    assert independent[-1] == (2**-n if sign == 1 else 1 - 2**-n)
