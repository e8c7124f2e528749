"""Prompts of the quantifier tasks, read back and answered by Python."""

import ast
import re

import pytest

QUANTIFIERS = ("every", "some")
by_quantifier = pytest.mark.parametrize("quantifier", QUANTIFIERS)


def numbers_of(prompt):
    """The numbers between the brackets of a prompt."""
    return ast.literal_eval(re.fullmatch(r"CONTEXT: (\[.*\])\n#Answer:", prompt)[1])


def labels_of(quantifier, numbers):
    """Labels by Python's all and any."""
    truth = all if quantifier == "every" else any
    return [truth(x > 0 for x in numbers[: k + 1]) for k in range(len(numbers))]
