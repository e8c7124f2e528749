"""The prompts of language models: the printed texts, and answers as they are read."""

import ast
import re

import pytest
import torch
from quantifier_prompts import by_quantifier, labels_of

from papers.language_models import prompts
from papers.signed_averaging.fig06_07_llama import SYSTEM


@by_quantifier
def test_the_examples_in_the_system_prompts_are_read_and_right(quantifier):
    examples = re.findall(r"CONTEXT: (.*)\n(#Answer: \[.*?\])", SYSTEM[quantifier])
    assert len(examples) == 5
    for numbers, answer in examples:
        assert prompts.read_booleans(answer) == labels_of(quantifier, ast.literal_eval(numbers))


def test_the_affine_examples_in_the_system_prompt_are_those_of_least_squares():
    examples = re.findall(r"(CONTEXT: .*\n#Answer:) (\S+)", SYSTEM["affine"])
    assert len(examples) == 5
    found = prompts.least_squares_answer([prompt for prompt, _ in examples])
    assert list(map(prompts.read_number, found)) == [float(answer) for _, answer in examples]


def test_numbers_are_written_with_two_decimals_and_no_negative_zero():
    written = prompts.as_written(torch.tensor([1.005, -0.004, 0.0049, -12.346, 3.0]))
    assert prompts.prompt_of(written) == "CONTEXT: [1.0, 0.0, 0.0, -12.35, 3.0]\n#Answer:"


@pytest.mark.parametrize("answer, labels", [
    ("[True, False]", [True, False]), ("#Answer: [True,false]\n", [True, False]),
    ("[ TRUE ]", [True]), ("", None), ("[]", None), ("[True, False", None), ("True, False", None),
    ("Here it is: [True]", None), ("[True, 1]", None), ("[True] [False]", None),
    ("[" * 5000, None), ("[[True]]", None), ("[True False]", None)])
def test_booleans_are_read_only_where_the_answer_is_a_list_of_them(answer, labels):
    assert prompts.read_booleans(answer) == labels


@pytest.mark.parametrize("answer, number", [
    ("-7", -7.0), ("#Answer: 13\n", 13.0), (" 1.5e-3 ", 0.0015), ("nan", None), ("inf", None),
    ("", None), ("[1.33,0.79,2.61,0.0,0.9]", None), ("y = 9", None), ("9 10", None)])
def test_numbers_are_read_only_where_the_answer_is_one(answer, number):
    assert prompts.read_number(answer) == number
