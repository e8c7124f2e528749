"""Figures 6 and 7: Llama on the same tasks (not run).

Here are the printed row (the last of Table 1) and what running Figures 6 to 8 would cost.
"""

import numpy as np

TABLE_1_LLAMA = (2e-3, 5.50, 3.16, 13.71, 18.21, 23.91, 28.99, 33.51, 40.25, 48.02)  # 3.3 70B
PARAMETERS = {"Llama 3.3 70B": 70.6e9, "Llama 3.1 8B": 8.03e9}
# ASSUMED, of one H200: 40% of its dense bf16 peak of 9.9e14 FLOPs per second, and half of its
# memory's 4.8e12 bytes per second, which leaves time for reading the keys and values.
FLOPS, BANDWIDTH = 4e14, 2.4e12
BATCH = 64  # prompts in a batch
EPOCHS = 2  # of fine-tuning, Appendix A.1
# ASSUMED, without the tokenizer at hand.
TOKENS_PER_NUMBER, TOKENS_PER_BOOLEAN, CHARACTERS_PER_TOKEN = 5, 2, 3
# Appendix K, word for word; lines break where they do in the paper's text.
AFFINE = (
    "You are an auto-regressive AI model designed to predict the next value in a sequence of "
    "input-output pairs that follow a linear function f(x)=ax+b. Your task is to analyze the "
    "given input-output pairs and predict the output for the final input value. Here are some "
    "examples to illustrate the task: Example 1:\n"
    "CONTEXT: [1, 3, 2, 5, 3, 7, 4]\n"
    "#Answer: 9 Example 2:\n"
    "CONTEXT: [0, 1, 2, 5, 4, 9, 6]\n"
    "#Answer: 13 Example 3:\n"
    "CONTEXT: [1, -1, 2, -3, 3, -5, 4]\n"
    "#Answer: -7 Example 4:\n"
    "CONTEXT: [0, 0, 2, 6, 4, 12, 6]\n"
    "#Answer: 18 Example 5:\n"
    "CONTEXT: [-2, -3, 0, 1, 2, 5, 4]\n"
    "#Answer: 9 Now, given a new sequence of input-output pairs where the last output is "
    "missing, predict the final value. IMPORTANT: DO NOT include any explanations in your "
    "response. DO NOT use any PYTHON code in your response. GIVE JUST THE NUMERICAL OUTPUT AS "
    "THE ANSWER."
)
EVERY = (  # "AND" in Appendix K
    "You are an auto-regressive AI model designed to evaluate whether each sublist of a list of "
    "numbers is entirely positive. Your task is to process the list incrementally, verifying the "
    "positivity of each sublist one by one. A sublist is considered “TRUE” if all its elements "
    "are greater than zero. Once a sublist contains a non-positive number, all subsequent "
    "sublists will be marked as “FALSE”. Although you process the list step-by-step, you will "
    "only output the final list of booleans once all sublists have been evaluated. Here are some "
    "examples to illustrate the task: Example 1:\n"
    "CONTEXT: [1, 1, 2, 3, -1, 2, 1]\n"
    "#Answer: [True, True, True, True, False, False, False] Example 2:\n"
    "CONTEXT: [0.1, -9, -0.11, 5, 0, 3.5]\n"
    "#Answer: [True, False, False, False, False, False] Example 3:\n"
    "CONTEXT: [-1, -2, -3, -4, -5]\n"
    "#Answer: [False, False, False, False, False] Example 4:\n"
    "CONTEXT: [0.5, 1.5, -0.5, 2.5, -2.5]\n"
    "#Answer: [True, True, False, False, False] Example 5:\n"
    "CONTEXT: [10, -10, 0, 0.01, -0.01]\n"
    "#Answer: [True, False, False, False, False] Now, given a new list of numbers, perform the "
    "same task and provide the final output in the specified format. IMPORTANT: DO NOT include "
    "any other text in your response. DO NOT use any PYTHON code in your response. GIVE JUST THE "
    "OUTPUT LIST AS THE ANSWER."
)
SOME = (  # "OR" in Appendix K
    "You are an auto-regressive AI model designed to evaluate whether each sublist of a list of "
    "numbers has a positive element. Your task is to process the list incrementally, verifying "
    "if there exists a positive element in each sublist one by one. A sublist is considered "
    "“TRUE” if it has a positive element. Although you process the list step-by-step, you will "
    "only output the final list of booleans once all sublists have been evaluated. Here are some "
    "examples to illustrate the task: Example 1:\n"
    "CONTEXT: [1, 1, 2, 3, -1, 2, 1]\n"
    "#Answer: [True, True, True, True, True, True, True] Example 2:\n"
    "CONTEXT: [-0.1, -9, -0.11, 5, 0, 3.5]\n"
    "#Answer: [False, False, False, True, True, True] Example 3:\n"
    "CONTEXT: [-1, -2, -3, -4, -5]\n"
    "#Answer: [False, False, False, False, False] Example 4:\n"
    "CONTEXT: [-0.5, 1.5, -0.5, 2.5, -2.5]\n"
    "#Answer: [False, True, True, True, True] Example 5:\n"
    "CONTEXT: [-10, -10, -3, 0.01, -0.01]\n"
    "#Answer: [False, False, False, True, True] Now, given a new list of numbers, perform the "
    "same task and provide the final output in the specified format. IMPORTANT: DO NOT include "
    "any other text in your response. DO NOT use any PYTHON code in your response. GIVE JUST THE "
    "OUTPUT LIST AS THE ANSWER."
)
SYSTEM = {"every": EVERY, "some": SOME, "affine": AFFINE}


def tokens(task: str, length: int) -> tuple[int, int]:
    """The tokens of a prompt with its system prompt, and of the right answer to it.

    length: of the list, or for affine functions the number of the point that is asked for.
    """
    numbers = 2 * length - 1 if task == "affine" else length
    answer = TOKENS_PER_NUMBER if task == "affine" else TOKENS_PER_BOOLEAN * length
    return len(SYSTEM[task]) // CHARACTERS_PER_TOKEN + TOKENS_PER_NUMBER * numbers, answer


def answering_hours(task: str, parameters: float, sigmas, lengths, sequences: int) -> float:
    """H200-hours for the answers over a grid.

    2 FLOPs per parameter and token; all weights, of 2 bytes each, are read once for every token
    that a batch writes.
    """
    prompt, answer = np.transpose([tokens(task, length) for length in lengths])
    of_products = 2 * parameters * (prompt + answer) * sequences / FLOPS
    of_reading = 2 * parameters * answer * -(-sequences // BATCH) / BANDWIDTH
    return float(len(sigmas) * (of_products + of_reading).sum() / 3600)


def training_hours(task: str, parameters: float, sequences: int) -> float:
    """H200-hours to fine-tune by LoRA on lengths 1 to 40 (Appendix A.1).

    4 FLOPs per parameter and token: a forward pass, and a backward pass only to the inputs.
    """
    read = np.mean([sum(tokens(task, length)) for length in range(1, 41)])
    return float(4 * parameters * sequences * EPOCHS * read / FLOPS / 3600)


def runs(profile: str) -> list:
    """Nothing to run."""
    return []
