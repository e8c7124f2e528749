"""Figures 6 and 7 and the last row of Table 1: prompted language models on the three tasks.

    python -m papers.language_models.prompted FOLDER every FILE.json

asks the chat model of a folder. Cells of a heat map are written one by one, with all answers, and the same
command continues where it was stopped.
"""

import json
import sys
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pandas as pd
import torch

from claimbook.records import rounded
from claimbook.records.checks import one_of
from claimbook.records.errors import InputError
from claimbook.records.files import damage_told, read_object, write_text
from icllib.models.signed_language import told_in_a_line
from icllib.streams import Stream
from icllib.tasks import AffineFunctions, Quantifier
from papers.language_models import command
from papers.language_models.prompts import Question, chat, questions, read_booleans, read_number
from papers.signed_averaging.affine import FIRST_COUNTED, SIGMAS, ShiftedErrors
from papers.signed_averaging.fig06_07_llama import SYSTEM
from papers.signed_averaging.quantifiers import LENGTHS, SIZES

PAPER = SIZES["paper"]  # its sequences are used for the quantifiers
# A cell's length is that of the list, or for affine functions the number of the point that is asked for
# (Eq. 2). Figures 6 and 7: sigma up to 10 by the captions, up to 30 by Appendix A. ASSUMED: one batch of 64
# sequences in a cell, where Appendix A says "a few test batches", and one prompt of each affine function.
QUANTIFIER_SIZE = {"sigmas": SIGMAS, "lengths": LENGTHS, "sequences": 64}
AFFINE_SIZE = {"sigmas": SIGMAS, "lengths": tuple(range(FIRST_COUNTED, 41)), "sequences": 100}
SIZE = {"every": QUANTIFIER_SIZE, "some": QUANTIFIER_SIZE, "affine": AFFINE_SIZE}
ROOM = {"every": 1024, "some": 1024, "affine": 32}  # new tokens; 200 booleans need about 400


def asked(task: str, sigma: int, length: int, sequences: int | None = None) -> list[Question]:
    """The questions of a cell, by default as many as in SIZE, on test sequences of small models."""
    ids = torch.arange(sequences or SIZE[task]["sequences"])
    if task == "affine":
        law = ShiftedErrors()  # the first prompt of each function
        functions = AffineFunctions(1.0, float(sigma), prompts_per_function=law.prompts)
        stream = Stream.of([law.seed], f"evaluation at 1, {sigma}, 1")
        return questions(functions, stream, ids * law.prompts, length)
    ids = PAPER.sigmas.index(sigma) * PAPER.sequences + ids
    return questions(Quantifier(task, float(sigma)), Stream.of([0], "evaluation"), ids, length)


def measure(task: str, generate: Callable, sigma: int, length: int, sequences: int | None = None) -> dict:
    """One cell: its errors and all answers. generate: from prompts to answers, without the system prompt."""
    prompts, truths = zip(*asked(task, sigma, length, sequences))
    answers = generate(list(prompts))
    found = (affine_errors if task == "affine" else quantifier_errors)(truths, answers)
    return {"sigma": sigma, "length": length} | rounded(found) | {"answers": answers}


def quantifier_errors(truths: list[list[bool]], answers: list[str]) -> dict:
    """The shares of wrong, of unparsed and of wrongly long answers; wrong is, as for the small models, a
    label from the third on, and, ASSUMED, an answer of another length or that is no list of booleans."""
    count, found = len(answers), [read_booleans(answer) for answer in answers]
    long = [labels is None or len(labels) != len(true) for labels, true in zip(found, truths)]
    wrong = [other or labels[FIRST_COUNTED - 1 :] != true[FIRST_COUNTED - 1 :]
             for other, labels, true in zip(long, found, truths)]
    unparsed = found.count(None)
    return {"wrong": sum(wrong) / count, "unparsed": unparsed / count,
            "wrong_length": (sum(long) - unparsed) / count}


def affine_errors(truths: list[float], answers: list[str]) -> dict:
    """The mean squared error, and the share of unparsed answers, which count as 0 (ASSUMED)."""
    found = [read_number(answer) for answer in answers]
    misses = [(number or 0.0) - true for number, true in zip(found, truths)]
    return {"squared_error": sum(miss * miss for miss in misses) / len(answers),
            "unparsed": found.count(None) / len(answers)}


def error_table(cells: list[dict]) -> pd.DataFrame:
    """The heat map, sigmas by lengths; for affine functions the errors by sigma (Table 1)."""
    rows = pd.DataFrame(cells)
    if "squared_error" in rows:
        return rows.groupby("sigma")[["squared_error", "unparsed"]].mean()
    return rows.pivot(index="sigma", columns="length", values="wrong")


def chat_model(folder: Path, system: str, room: int, batch: int) -> Callable:
    """The chat model in a folder, on all GPUs that there are; room: new tokens in an answer. InputError for
    another folder. ASSUMED: greedy decoding, since the paper names no temperature."""
    from transformers import pipeline

    places = {"device_map": "auto"} if torch.cuda.is_available() else {"device": "cpu"}
    with told_in_a_line(folder):
        writer = pipeline("text-generation", str(folder), batch_size=batch, **places)
    if writer.tokenizer.chat_template is None:
        raise InputError(f"model: expected a tokenizer with a chat template in {folder}")
    writer.tokenizer.pad_token = writer.tokenizer.pad_token or writer.tokenizer.eos_token  # Llama's has none
    writer.tokenizer.padding_side = "left"

    def generate(prompts):
        written = writer([chat(system, prompt) for prompt in prompts], return_full_text=False,
                         max_new_tokens=room, do_sample=False, temperature=None, top_p=None)
        return [answer["generated_text"] for answer, in written]

    return generate


def main(model: Path, task: str, out: Path, batch: int = 64) -> None:
    """Measure the chat model of a folder on one task, "every", "some" or "affine"."""
    one_of(tuple(SYSTEM), task=task)
    about, cells = {"model": model.resolve().name, "task": task}, []
    if out.exists():
        with damage_told(out, "a result of this command"):
            stored = read_object(out)
            cells = stored.pop("cells")
        if stored != about:
            raise InputError(f"{out}: expected a result of {about}, got one of {stored}; choose another file")
    generate, size = chat_model(model, SYSTEM[task], ROOM[task], batch), SIZE[task]
    for sigma, length in list(product(size["sigmas"], size["lengths"]))[len(cells) :]:
        cells.append(cell := measure(task, generate, sigma, length))
        write_text(out, json.dumps(about | {"cells": cells}, indent=1))
        print({name: cell[name] for name in cell if name != "answers"}, file=sys.stderr)
    print(error_table(cells).to_string(float_format="{:.3g}".format))


if __name__ == "__main__":
    command(main)
