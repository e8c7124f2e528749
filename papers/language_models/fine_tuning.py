"""Figures 6 and 7: the sequences on which Llama 3.1 8B is fine-tuned, as text (Appendix A.1).

    python -m papers.language_models.fine_tuning --task every --out FILE.jsonl

A line holds the messages of one chat, as trainers of chat models read them.
"""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

import torch

from claimbook.records.checks import one_of
from claimbook.records.errors import InputError
from claimbook.records.files import write_text
from icllib.streams import Stream
from icllib.tasks import AffineFunctions, Quantifier
from papers.language_models.prompts import answer_of, chat, questions
from papers.signed_averaging.fig06_07_llama import SYSTEM
from papers.signed_averaging.quantifiers import TRAINED

SEQUENCES = 26_000  # Appendix A.1; 650 of each length


def training_chats(task: str, sequences: int = SEQUENCES) -> Iterator[list[dict]]:
    """Chats about sequences of 1 to 40 numbers (or pairs) from N(0, 1), shortest first.

    Appendix A.1: sequences "progressing from 1 to 40". ASSUMED: as many of each length, and under
    the system prompts of Appendix K. No evaluation has any of these sequences. Raises InputError
    for an unknown task and for a number of sequences that 40 does not divide.
    """
    one_of(tuple(SYSTEM), task=task)
    if sequences < 1 or sequences % TRAINED:
        raise InputError(f"sequences: expected a multiple of {TRAINED}, got {sequences}")
    law = AffineFunctions() if task == "affine" else Quantifier(task)
    for n, ids in enumerate(torch.arange(sequences).view(TRAINED, -1), 1):
        for prompt, truth in questions(law, Stream.of([0], "training"), ids, n):
            yield [*chat(SYSTEM[task], prompt), {"role": "assistant", "content": answer_of(truth)}]


def main(arguments: list[str] | None = None) -> None:
    """Write the sequences of one task; bad input ends it with exit code 2 before any work."""
    parser = argparse.ArgumentParser(prog="python -m papers.language_models.fine_tuning",
                                     description=__doc__.splitlines()[0])
    parser.add_argument("--task", choices=SYSTEM, required=True)
    parser.add_argument("--out", type=Path, required=True, help="a new file, JSON lines")
    parser.add_argument("--sequences", type=int, default=SEQUENCES,
                        help=f"a multiple of {TRAINED}; default: {SEQUENCES}")
    given = parser.parse_args(arguments)
    try:
        if given.out.exists():
            raise InputError(f"out: expected a new file, {given.out} exists")
        lines = [json.dumps({"messages": chats}) for chats in training_chats(given.task, given.sequences)]
    except InputError as error:
        parser.error(str(error))
    write_text(given.out, "\n".join(lines) + "\n")
    print(f"{given.out}: {len(lines)} sequences")


if __name__ == "__main__":
    main()
