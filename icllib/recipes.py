"""Recipes that are known to learn, from the records of the book."""

import json
from functools import cache
from importlib.resources import files

from claimbook.records import from_settings, settings
from claimbook.records.errors import InputError
from icllib.protocols import Model, Task
from icllib.training import Recipe


@cache
def known() -> list[dict]:
    """Task, model, recipe, gate, seeds and core-minutes of each, as papers/recipes.py finds them."""
    return json.loads(files("icllib").joinpath("recipes.json").read_text("utf-8"))


def recipe_for(task: Task, model: Model) -> Recipe:
    """The cheapest recipe with which this model has learned this task in every seed that the book trained.

    A model has learned where it passes the gate of its paper's claims. Raises InputError where no such recipe
    is known, and names the models for which there is one.
    """
    of_task = [row for row in known() if row["task"] == plain(task)]
    for row in of_task:
        if row["model"] == plain(model):
            return from_settings(row["recipe"])
    others = "; ".join(sorted({str(from_settings(row["model"])) for row in of_task})[:5]) or "no model"
    raise InputError(f"task, model: expected some with a known recipe, got {task} and {model}; for this task one "
                     f"is known for {others}")


def plain(part) -> dict:
    """A component's settings as a file has them."""
    return json.loads(json.dumps(settings(part)))
