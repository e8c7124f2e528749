"""The prompts of language models: the printed texts, and answers as they are read."""

import ast
import re

import pytest
import torch
from quantifier_prompts import by_quantifier, labels_of, numbers_of

from icllib.streams import Stream
from icllib.tasks import AffineFunctions
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


@by_quantifier
def test_training_chats_go_from_1_to_40_and_are_right(quantifier):
    chats, lengths = list(prompts.training_chats(quantifier, 80)), []
    for system, user, assistant in chats:
        numbers = numbers_of(user["content"])
        lengths.append(len(numbers))
        assert ast.literal_eval(assistant["content"]) == labels_of(quantifier, numbers)
        assert system == {"role": "system", "content": SYSTEM[quantifier]}
        assert (user["role"], assistant["role"]) == ("user", "assistant")
    assert lengths == [n for n in range(1, 41) for _ in range(2)]
    assert len({user["content"] for _, user, _ in chats[6:]}) == 74  # all different


def test_affine_training_chats_end_in_the_value_at_the_last_input():
    stream = Stream.of([0], "training")
    for n, (_, user, assistant) in enumerate(prompts.training_chats("affine", 40), 1):
        prompt = AffineFunctions().sample(stream, torch.tensor([[n - 1]]), n)
        assert len(numbers_of(user["content"])) == 2 * n - 1
        assert float(assistant["content"]) == pytest.approx(prompt.ys[0, 0, -1].item(), abs=0.0051)
