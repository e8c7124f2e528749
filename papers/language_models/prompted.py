"""Figures 6 and 7 and the last row of Table 1: prompted language models on the three tasks.

A model is any function from prompts to answers, or a folder with a chat model of `transformers`:

    python -m papers.language_models.prompted --model FOLDER --task every --out FILE.json

Each cell of a heat map is written as soon as it is measured, and the same command continues where it
was stopped. Answers are kept unchanged, so that they can be read in another way later.
"""

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import product
from pathlib import Path

import pandas as pd
import torch

from claimbook.records import rounded
from claimbook.records.checks import integer, one_of
from claimbook.records.errors import InputError
from claimbook.records.files import damage_told, read_object, write_text
from icllib.streams import Stream
from icllib.tasks import AffineFunctions, Quantifier
from papers.language_models.prompts import Question, chat, questions, read_booleans, read_number
from papers.signed_averaging.affine import FIRST_COUNTED, SIGMAS, ShiftedErrors
from papers.signed_averaging.fig06_07_llama import SYSTEM
from papers.signed_averaging.quantifiers import LENGTHS, SIZES

Generate = Callable[[list[str]], list[str]]  # prompts, without the system prompt, to answers
PAPER = SIZES["paper"]  # its sequences are used for the quantifiers
# Figures 6 and 7: sigma up to 10 by the captions, up to 30 by Appendix A.
# ASSUMED: one batch of 64 sequences in a cell; Appendix A says "a few test batches".
QUANTIFIER_SIZE = {"sigmas": SIGMAS, "lengths": LENGTHS, "sequences": 64}
# Table 1 and Eq. 2: 100 functions and the queries 3 to 40. ASSUMED: one prompt of each function.
AFFINE_SIZE = {"sigmas": SIGMAS, "lengths": tuple(range(FIRST_COUNTED, 41)), "sequences": 100}
ROOM = {"every": 1024, "some": 1024, "affine": 32}  # new tokens; 200 booleans need about 400


@dataclass(frozen=True)
class PromptedErrors:
    """Errors over sigma and length on the sequences that test small models at profile `paper`.

    A length is that of the list ("every", "some") or the number of the point that is asked for
    ("affine", Eq. 2). Raises InputError for an unknown task and for sizes out of range.
    """

    task: str  # "every", "some" or "affine"
    sigmas: tuple
    lengths: tuple
    sequences: int  # in each cell

    def __post_init__(self):
        object.__setattr__(self, "sigmas", tuple(self.sigmas))
        object.__setattr__(self, "lengths", tuple(self.lengths))
        one_of(tuple(SYSTEM), task=self.task)
        integer(1, PAPER.sequences, sequences=self.sequences)
        known = SIGMAS if self.task == "affine" else PAPER.sigmas
        if min(self.lengths, default=0) < FIRST_COUNTED:
            raise InputError(f"lengths: expected n >= {FIRST_COUNTED}, got {self.lengths}")
        if not self.sigmas or not set(self.sigmas) <= set(known):
            raise InputError(f"sigmas: expected some of {known}, got {self.sigmas}")

    def questions(self, sigma: int, length: int) -> list[Question]:
        """The questions of a cell."""
        ids = torch.arange(self.sequences)
        if self.task == "affine":
            law = ShiftedErrors()  # the first prompt of each function
            task = AffineFunctions(1.0, float(sigma), prompts_per_function=law.prompts)
            stream = Stream.of([law.seed], f"evaluation at 1, {sigma}, 1")
            return questions(task, stream, ids * law.prompts, length)
        ids = PAPER.sigmas.index(sigma) * PAPER.sequences + ids
        return questions(Quantifier(self.task, float(sigma)), Stream.of([0], "evaluation"), ids, length)

    def measure(self, generate: Generate, sigma: int, length: int) -> dict:
        """One cell: its errors and all answers."""
        prompts, truths = zip(*self.questions(sigma, length))
        answers = generate(list(prompts))
        if len(answers) != len(prompts):
            raise InputError(f"generate: expected {len(prompts)} answers, got {len(answers)}")
        found = (affine_errors if self.task == "affine" else quantifier_errors)(truths, answers)
        return {"sigma": sigma, "length": length} | rounded(found) | {"answers": answers}


def quantifier_errors(truths: list[list[bool]], answers: list[str]) -> dict:
    """The shares of wrong, of unparsed and of wrongly long answers.

    As for the small models an answer is wrong if a label from the third on is. ASSUMED: it is
    wrong, too, if it has another length or is no list of booleans.
    """
    count, found = len(answers), [read_booleans(answer) for answer in answers]
    long = [labels is None or len(labels) != len(true) for labels, true in zip(found, truths)]
    wrong = [other or labels[FIRST_COUNTED - 1 :] != true[FIRST_COUNTED - 1 :]
             for other, labels, true in zip(long, found, truths)]
    unparsed = found.count(None)
    return {"wrong": sum(wrong) / count, "unparsed": unparsed / count,
            "wrong_length": (sum(long) - unparsed) / count}


def affine_errors(truths: list[float], answers: list[str]) -> dict:
    """The mean squared error, and the share of unparsed answers.

    ASSUMED: an answer that is no number counts as 0, whose error is 2 sigma^2.
    """
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


def measure_missing(experiment: PromptedErrors, model: str, generate: Generate, out: Path) -> list[dict]:
    """All cells; those that a file lacks are measured, and written to it one by one.

    Raises InputError for a file that is damaged or has other settings.
    """
    settings, cells = {"model": model} | asdict(experiment), []
    if out.exists():
        with damage_told(out, "a result of this command"):
            content = read_object(out)
            stored, cells = content["settings"], content["cells"]
        if stored != json.loads(json.dumps(settings)):
            raise InputError(f"{out}: expected the settings {settings}, got {stored}; choose another file")
    done = {(cell["sigma"], cell["length"]) for cell in cells}
    todo = [pair for pair in product(experiment.sigmas, experiment.lengths) if pair not in done]
    for place, (sigma, length) in enumerate(todo, 1):
        cells.append(cell := experiment.measure(generate, sigma, length))
        write_text(out, json.dumps({"settings": settings, "cells": cells}, indent=1))
        shown = ", ".join(f"{name} {cell[name]:.3g}" for name in cell if name != "answers")
        print(f"{place} of {len(todo)}: {shown}", file=sys.stderr)
    return cells


@dataclass(frozen=True)
class Chat:
    """The chat model in a folder as a function from prompts to answers; it is loaded on the first call.

    ASSUMED: greedy decoding, since the paper names no temperature. Raises InputError for a folder
    without a model, for no batch, and in the call for a tokenizer without a chat template.
    """

    folder: Path
    system: str
    room: int  # new tokens
    batch: int = 64

    def __post_init__(self):
        integer(batch=self.batch)
        if not (self.folder / "config.json").exists():
            raise InputError(f"model: expected a folder with a config.json, got {self.folder}")

    @cached_property
    def writer(self):
        """The pipeline of `transformers`, on all GPUs that there are: 70B needs two."""
        from transformers import pipeline

        places = {"device_map": "auto"} if torch.cuda.is_available() else {"device": "cpu"}
        made = pipeline("text-generation", str(self.folder), batch_size=self.batch, **places)
        if made.tokenizer.chat_template is None:
            raise InputError(f"model: expected a tokenizer with a chat template in {self.folder}")
        made.tokenizer.pad_token = made.tokenizer.pad_token or made.tokenizer.eos_token  # Llama's has none
        made.tokenizer.padding_side = "left"
        return made

    def __call__(self, prompts: list[str]) -> list[str]:
        """One answer for each prompt."""
        written = self.writer([chat(self.system, prompt) for prompt in prompts], return_full_text=False,
                              max_new_tokens=self.room, do_sample=False, temperature=None, top_p=None)
        return [answer["generated_text"] for answer, in written]


def main(arguments: list[str] | None = None) -> None:
    """Measure one model on one task; bad input ends it with exit code 2 before any work."""
    parser = argparse.ArgumentParser(prog="python -m papers.language_models.prompted",
                                     description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("--model", type=Path, required=True, help="folder with weights, config and tokenizer")
    add("--task", choices=SYSTEM, required=True)
    add("--out", type=Path, required=True, help="JSON file; an unfinished one is continued")
    add("--sigmas", type=int, nargs="+", help="default: 1 to 10")
    add("--lengths", type=int, nargs="+",
        help="default: 10 to 200 in steps of 10; for affine the queries 3 to 40")
    add("--sequences", type=int, help="in each cell; default: 64, for affine 100 functions")
    add("--batch", type=int, default=64, help="prompts in a batch; default: 64")
    given = parser.parse_args(arguments)
    size = AFFINE_SIZE if given.task == "affine" else QUANTIFIER_SIZE
    chosen = {name: value for name, value in vars(given).items() if name in size and value is not None}
    try:
        experiment = PromptedErrors(given.task, **(size | chosen))
        model = Chat(given.model, SYSTEM[given.task], ROOM[given.task], given.batch)
        cells = measure_missing(experiment, given.model.resolve().name, model, given.out)
    except InputError as error:
        parser.error(str(error))
    print(error_table(cells).to_string(float_format="{:.3g}".format))


if __name__ == "__main__":
    main()
