"""Figures 6 and 7: the sequences on which Llama 3.1 8B is fine-tuned, as text (Appendix A.1).

    python -m papers.language_models.fine_tuning every FILE.jsonl

A line holds the messages of one chat, as trainers of chat models read them.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import torch

from claimbook.records.checks import one_of
from claimbook.records.errors import InputError
from claimbook.records.files import write_text
from icllib.streams import Stream
from icllib.tasks import AffineFunctions, Quantifier
from papers.language_models import command
from papers.language_models.prompts import answer_of, chat, questions
from papers.signed_averaging.fig06_07_llama import SYSTEM
from papers.signed_averaging.quantifiers import TRAINED

SEQUENCES = 26_000  # Appendix A.1; 650 of each length


def training_chats(task: str, sequences: int = SEQUENCES) -> Iterator[list[dict]]:
    """Chats about sequences of 1 to 40 numbers (or pairs) from N(0, 1), shortest first.

    Appendix A.1: sequences "progressing from 1 to 40". ASSUMED: as many of each length, and under
    the system prompts of Appendix K. No evaluation has any of these sequences.
    """
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
