"""Figures 6 and 7, Llama on the same tasks (not run): the printed row, and what Figures 6 to 8 would cost."""

from pathlib import Path

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
# Appendix K, word for word, where "every" is "AND" and "some" is "OR"; lines break where they do there.
SYSTEM = {task: (Path(__file__).parent / f"appendix_k/{task}.txt").read_text("utf-8").rstrip("\n")
          for task in ("every", "some", "affine")}


def tokens(task: str, length: int) -> tuple[int, int]:
    """The tokens of a prompt of this length, of a list or of points, and of its right answer."""
    numbers = 2 * length - 1 if task == "affine" else length
    answer = TOKENS_PER_NUMBER if task == "affine" else TOKENS_PER_BOOLEAN * length
    return len(SYSTEM[task]) // CHARACTERS_PER_TOKEN + TOKENS_PER_NUMBER * numbers, answer


def answering_hours(task: str, parameters: float, sigmas, lengths, sequences: int) -> float:
    """H200-hours for the answers over a grid: 2 FLOPs per parameter and token; all weights, of 2 bytes each,
    are read once for every token that a batch writes."""
    prompt, answer = np.transpose([tokens(task, length) for length in lengths])
    of_products = 2 * parameters * (prompt + answer) * sequences / FLOPS
    of_reading = 2 * parameters * answer * -(-sequences // BATCH) / BANDWIDTH
    return float(len(sigmas) * (of_products + of_reading).sum() / 3600)


def training_hours(task: str, parameters: float, sequences: int) -> float:
    """H200-hours to fine-tune by LoRA on lengths 1 to 40 (Appendix A.1): 4 FLOPs per parameter and token, of
    a forward pass, and of a backward pass only to the inputs."""
    read = np.mean([sum(tokens(task, length)) for length in range(1, 41)])
    return float(4 * parameters * sequences * EPOCHS * read / FLOPS / 3600)


def runs(profile: str) -> list:
    """Nothing to run."""
    return []
