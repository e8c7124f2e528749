"""The texts of the experiments with Llama models: questions, answers, and chats for fine-tuning.

    python -m papers.language_models.prompts every FILE.jsonl

writes the sequences on which Llama 3.1 8B is fine-tuned (Appendix A.1), the messages of one chat in a line.
ASSUMED, since the paper shows no prompt that was answered: a prompt ends like the examples in the system
prompts of Appendix K, "CONTEXT: [...]", line break, "#Answer:".
"""

import json
import math
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from claimbook.records.checks import one_of
from claimbook.records.errors import InputError
from claimbook.records.files import write_text
from icllib.streams import Stream
from icllib.tasks import AffineFunctions, Quantifier
from icllib.tasks.quantifiers import truth
from papers.language_models import command
from papers.signed_averaging.fig06_07_llama import SYSTEM
from papers.signed_averaging.quantifiers import TRAINED

DECIMALS = 2  # ASSUMED: the most in the one answer that the paper shows, in Appendix L
SEQUENCES = 26_000  # of fine-tuning, Appendix A.1; 650 of each length
LIST = re.compile(r"\[\s*(?:true|false)(?:\s*,\s*(?:true|false))*\s*\]", re.IGNORECASE)


Question = tuple[str, list[bool] | float]  # a prompt and its right answer


def as_written(numbers: Tensor) -> list[float]:
    """Numbers as they stand in a prompt, (n,); what rounds to zero is 0.0, never -0.0."""
    return [round(number, DECIMALS) + 0.0 for number in numbers.tolist()]


def prompt_of(numbers: list[float]) -> str:
    """The prompt for a list of numbers."""
    return f"CONTEXT: {numbers}\n#Answer:"


def chat(system: str, prompt: str) -> list[dict]:
    """A system prompt and a prompt as the messages of a chat."""
    return [{"role": "system", "content": system}, {"role": "user", "content": prompt}]


def questions(task: Quantifier | AffineFunctions, stream: Stream, ids: Tensor, n: int) -> list[Question]:
    """One question for each id, (B,).

    Of a quantifier: is every (some) number so far positive, as written, so that 0.004 counts as 0.0? Of
    affine functions: what is y_n, given x_1, y_1, ..., y_{n-1}, x_n? That truth is not rounded.
    """
    prompt = task.sample(stream, ids[None], n)
    xs = prompt.xs[0, :, :, 0]
    if isinstance(task, AffineFunctions):
        pairs = torch.stack((xs, prompt.ys[0]), dim=-1).flatten(1)  # (B, 2n)
        return [(prompt_of(as_written(row[:-1])), float(row[-1])) for row in pairs]
    rows = [as_written(row) for row in xs]
    labels = truth(task.quantifier, torch.tensor(rows)) > 0
    return [(prompt_of(row), label) for row, label in zip(rows, labels.tolist())]


def answer_of(truth: list[bool] | float) -> str:
    """The right answer as text; a number is rounded as those in the prompt are."""
    return str(truth if isinstance(truth, list) else round(truth, DECIMALS) + 0.0)


def bare(answer: str) -> str:
    """An answer without the "#Answer:" that it may repeat."""
    return answer.strip().removeprefix("#Answer:").strip()


def read_booleans(answer: str) -> list[bool] | None:
    """The list of booleans that an answer consists of; None where it is anything else."""
    if not LIST.fullmatch(bare(answer)):
        return None
    return json.loads(bare(answer).lower())


def read_number(answer: str) -> float | None:
    """The finite number that an answer consists of; None where it is anything else."""
    try:
        number = float(bare(answer))
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def least_squares_answer(prompts: list[str]) -> list[str]:
    """Answers to prompts of affine functions by the least-squares line through their pairs."""
    answers = []
    for prompt in prompts:
        numbers = json.loads(prompt.removeprefix("CONTEXT: ").partition("\n")[0])
        xs, ys = np.array(numbers[::2]), np.array(numbers[1::2])
        inputs = np.stack((xs, np.ones_like(xs)), axis=1)
        line = np.linalg.lstsq(inputs[:-1], ys, rcond=None)[0]
        # Numbers with few decimals make ties of the last digit, which machines break differently.
        answers.append(answer_of(round(float(inputs[-1] @ line), 9)))
    return answers


def training_chats(task: str, sequences: int = SEQUENCES) -> Iterator[list[dict]]:
    """Chats for fine-tuning, about sequences of 1 to 40 numbers (or pairs) from N(0, 1), shortest first
    (Appendix A.1). ASSUMED: as many of each length, under those system prompts. No evaluation has any of
    these sequences."""
    law = AffineFunctions() if task == "affine" else Quantifier(task)
    for n, ids in enumerate(torch.arange(sequences).view(TRAINED, -1), 1):
        for prompt, truth in questions(law, Stream.of([0], "training"), ids, n):
            yield [*chat(SYSTEM[task], prompt), {"role": "assistant", "content": answer_of(truth)}]


def main(task: str, out: Path) -> None:
    """Write the sequences of one task, "every", "some" or "affine", into a new file."""
    one_of(tuple(SYSTEM), task=task)
    if out.exists():
        raise InputError(f"out: expected a new file, {out} exists")
    write_text(out, "".join(json.dumps({"messages": chats}) + "\n" for chats in training_chats(task)))


if __name__ == "__main__":
    command(main)
