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
from itertools import product
from pathlib import Path

import pandas as pd
import torch

from claimbook.records import rounded
from claimbook.records.errors import DAMAGE, InputError
from claimbook.records.files import read_object, write_text
from icllib.streams import Stream
from icllib.tasks import AffineFunctions, Quantifier
from papers.language_models.prompts import (
    Question, affine_questions, chat, quantifier_questions, read_booleans, read_number)
from papers.signed_averaging.affine import FIRST_COUNTED, SIGMAS, ShiftedErrors
from papers.signed_averaging.fig06_07_llama import SYSTEM
from papers.signed_averaging.quantifiers import LENGTHS, SIZES

Generate = Callable[[list[str]], list[str]]  # prompts, without the system prompt, to answers
PAPER = SIZES["paper"]  # its sequences are used for the quantifiers
# Figures 6 and 7: sigma up to 10 by the captions, up to 30 by Appendix A.
# ASSUMED: one batch of 64 sequences in a cell; Appendix A says "a few test batches".
QUANTIFIER_SIZE = {"sigmas": SIGMAS, "lengths": LENGTHS, "sequences": 64}
# Table 1 and Eq. 2: 100 functions and the queries 3 to 40. ASSUMED: one prompt of each function.
AFFINE_SIZE = {"sigmas": SIGMAS, "lengths": tuple(range(FIRST_COUNTED, 41)),
               "sequences": 100}
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
        if self.task not in SYSTEM:
            raise InputError(f"task: expected one of {', '.join(SYSTEM)}, got {self.task!r}")
        known = SIGMAS if self.task == "affine" else PAPER.sigmas
        if min(self.lengths, default=0) < FIRST_COUNTED:
            raise InputError(f"lengths: expected n >= {FIRST_COUNTED}, got {self.lengths}")
        if not self.sigmas or not set(self.sigmas) <= set(known):
            raise InputError(f"sigmas: expected some of {known}, got {self.sigmas}")
        if not 1 <= self.sequences <= PAPER.sequences:
            raise InputError(f"sequences: expected 1 to {PAPER.sequences}, got {self.sequences}")

    def questions(self, sigma: int, length: int) -> list[Question]:
        """The questions of a cell."""
        ids = torch.arange(self.sequences)
        if self.task == "affine":
            law = ShiftedErrors()  # the first prompt of each function
            task = AffineFunctions(1.0, float(sigma), prompts_per_function=law.prompts)
            stream = Stream.of([law.seed], f"evaluation at 1, {sigma}, 1")
            return affine_questions(task, stream, ids * law.prompts, length)
        ids = PAPER.sigmas.index(sigma) * PAPER.sequences + ids
        task = Quantifier(self.task, float(sigma))
        return quantifier_questions(task, Stream.of([0], "evaluation"), ids, length)

    def measure(self, generate: Generate, sigma: int, length: int) -> dict:
        """One cell: its errors and all answers."""
        questions = self.questions(sigma, length)
        answers = generate([question.prompt for question in questions])
        if len(answers) != len(questions):
            raise InputError(f"generate: expected {len(questions)} answers, got {len(answers)}")
        errors = affine_errors if self.task == "affine" else quantifier_errors
        found = errors([question.truth for question in questions], answers)
        return {"sigma": sigma, "length": length} | rounded(found) | {"answers": answers}


def quantifier_errors(truths: list[list[bool]], answers: list[str]) -> dict:
    """The shares of wrong, of unparsed and of wrongly long answers.

    As for the small models an answer is wrong if a label from the third on is. ASSUMED: it is
    wrong, too, if it has another length or is no list of booleans.
    """
    wrong = unparsed = wrong_length = 0
    for true, found in zip(truths, map(read_booleans, answers)):
        unparsed += found is None
        wrong_length += found is not None and len(found) != len(true)
        wrong += (found is None or len(found) != len(true)
                  or found[FIRST_COUNTED - 1 :] != true[FIRST_COUNTED - 1 :])
    count = len(answers)
    return {"wrong": wrong / count, "unparsed": unparsed / count,
            "wrong_length": wrong_length / count}


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


def finished_cells(settings: dict, out: Path) -> list[dict]:
    """The cells that a file has; raises InputError if it is damaged or has other settings."""
    if not out.exists():
        return []
    try:
        content = read_object(out)
        stored, cells = content["settings"], content["cells"]
    except DAMAGE:
        raise InputError(f"{out}: expected a result of this command, got another file") from None
    if stored != json.loads(json.dumps(settings)):
        raise InputError(f"{out}: expected the settings {settings}, got {stored}; "
                         "choose another file")
    return cells


def missing_cells(experiment: PromptedErrors, cells: list[dict]) -> list[tuple[int, int]]:
    """The pairs of sigma and length that are still to be measured."""
    done = {(cell["sigma"], cell["length"]) for cell in cells}
    return [pair for pair in product(experiment.sigmas, experiment.lengths) if pair not in done]


def measure_missing(experiment: PromptedErrors, model: str, generate: Generate, out: Path) -> list:
    """Measure what a file lacks, write it after every cell, and return all cells."""
    settings = {"model": model} | asdict(experiment)
    cells = finished_cells(settings, out)
    todo = missing_cells(experiment, cells)
    for place, (sigma, length) in enumerate(todo, 1):
        cell = experiment.measure(generate, sigma, length)
        cells.append(cell)
        write_text(out, json.dumps({"settings": settings, "cells": cells}, indent=1))
        shown = ", ".join(f"{name} {cell[name]:.3g}" for name in cell if name != "answers")
        print(f"{place} of {len(todo)}: {shown}", file=sys.stderr)
    return cells


class Chat:
    """The chat model in a folder as a function from prompts to answers.

    ASSUMED: greedy decoding, since the paper names no temperature. Raises InputError for a folder
    without a model or a tokenizer without a chat template.
    """

    def __init__(self, folder: Path, system: str, room: int, batch: int = 64):
        from transformers import AutoModelForCausalLM, AutoTokenizer

        if not (folder / "config.json").exists():
            raise InputError(f"model: expected a folder with a config.json, got {folder}")
        self.system, self.room, self.batch = system, room, batch
        local = {"local_files_only": True}
        self.tokenizer = AutoTokenizer.from_pretrained(folder, padding_side="left", **local)
        if self.tokenizer.chat_template is None:
            raise InputError(f"model: expected a tokenizer with a chat template in {folder}")
        if self.tokenizer.pad_token is None:  # Llama's has none
            self.tokenizer.pad_token = self.tokenizer.eos_token
        several = torch.cuda.device_count() > 1  # 70B needs two; this needs `accelerate`
        self.model = AutoModelForCausalLM.from_pretrained(
            folder, dtype="auto", device_map="auto" if several else None, **local).eval()
        if not several:
            self.model.to("cuda" if torch.cuda.is_available() else "cpu")

    def __call__(self, prompts: list[str]) -> list[str]:
        """One answer for each prompt."""
        starts = range(0, len(prompts), self.batch)
        return [answer for start in starts
                for answer in self.answers(prompts[start : start + self.batch])]

    def answers(self, prompts: list[str]) -> list[str]:
        """The answers to one batch."""
        chats = [chat(self.system, prompt) for prompt in prompts]
        tokens = self.tokenizer.apply_chat_template(
            chats, add_generation_prompt=True, padding=True, return_dict=True,
            return_tensors="pt").to(self.model.device)
        with torch.inference_mode():
            written = self.model.generate(**tokens, max_new_tokens=self.room, do_sample=False,
                                          temperature=None, top_p=None,
                                          pad_token_id=self.tokenizer.pad_token_id)
        new = written[:, tokens["input_ids"].shape[1] :]
        return self.tokenizer.batch_decode(new, skip_special_tokens=True)


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
    try:
        cells = measure_model(given)
    except InputError as error:
        parser.error(str(error))
    print(error_table(cells).to_string(float_format="{:.3g}".format))


def measure_model(given: argparse.Namespace) -> list[dict]:
    """The cells that the command's arguments ask for; loads the model if any is missing."""
    size = AFFINE_SIZE if given.task == "affine" else QUANTIFIER_SIZE
    chosen = {name: value for name, value in vars(given).items()
              if name in size and value is not None}
    experiment = PromptedErrors(given.task, **(size | chosen))
    if given.batch < 1:
        raise InputError(f"batch: expected at least 1, got {given.batch}")
    model = given.model.resolve().name
    cells = finished_cells({"model": model} | asdict(experiment), given.out)
    if not missing_cells(experiment, cells):
        return cells
    generate = Chat(given.model, SYSTEM[given.task], ROOM[given.task], given.batch)
    return measure_missing(experiment, model, generate, given.out)


if __name__ == "__main__":
    main()
