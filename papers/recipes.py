"""Which recipes learn: of every task and model, the cheapest that passed its paper's gate in all seeds."""

import dataclasses
import json
from statistics import median

from claimbook.claims import find_claim
from claimbook.records import PROJECT, from_settings, load_record, results_folder
from claimbook.records.files import write_text
from claimbook.records.values import values
from icllib.court import SETTINGS, kept_softmax
from icllib.recipes import known, plain
from icllib.tasks import AffineFunctions, LinearRegression, Quantifier
from icllib.training import Run
from papers.context_scaling.gates import over_ridge

TARGET, TABLE = PROJECT / "icllib/recipes.json", PROJECT / "book/library/recipes.csv"
SEEDS = 3  # at least


def export() -> list[str]:
    """Write the recipes for the package, and their table for the book; returns the tasks."""
    rows = found()
    write_text(TARGET, "[\n" + ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows) + "\n]\n")
    known.cache_clear()
    write_text(TABLE, table(rows))
    return sorted({row["task"]["type"].removeprefix("tasks.") for row in rows})


def found() -> list[dict]:
    """A row for each task and model of which some recipe passed in all seeds, in the order of the table."""
    groups = {}
    for path in sorted(results_folder().glob("*/*/cpu/*.json")):
        record = load_record(path)
        if not {"task", "model", "recipe"} <= record.run.keys() or record.run["pretraining_tasks"]:
            continue
        parts = {name: record.run[name] for name in ("task", "model", "recipe")}
        if "papers." not in json.dumps(parts):
            groups.setdefault(json.dumps(parts), {}).setdefault(record.run["seed"], []).append((record, path))
    best = {}
    for text, by_seed in groups.items():
        told = [judged(record, path.parts[-4]) for own in by_seed.values() for record, path in own]
        told = [one for one in told if one is not None]
        if len(by_seed) < SEEDS or not told or not all(passed for passed, _ in told):
            continue
        # Of several records of a seed the longest has the training in it, the others measure what it kept.
        minutes = [max(made.get("processor_seconds", 0) / made.get("fleet", 1) / 60 for made in (
            record.provenance for record, _ in own)) for own in by_seed.values()]
        row = json.loads(text) | {"gate": told[0][1], "seeds": len(by_seed),
                                  "minutes": round(median(minutes), 1)}
        place = json.dumps([row["task"], row["model"]])
        best[place] = min(row, best.get(place, row), key=lambda row: row["minutes"])
    return [*of_the_court(), *(best[place] for place in sorted(best))]


def of_the_court() -> list[dict]:
    """The settings of `icllib compare`, whose softmax models the package knows the errors of."""
    rows = []
    for name, setting in SETTINGS.items():
        errors = kept_softmax()[name]["as in training"]
        if max(errors) <= setting.at_most:
            parts = {part: plain(getattr(setting, part)) for part in ("task", "model", "recipe")}
            rows.append(parts | {"gate": f"error {setting.at_most}", "seeds": len(errors), "minutes": None})
    return rows


def judged(record, paper: str) -> tuple[bool, str] | None:
    """Whether a model has passed its paper's gate, and the gate in words; None where no gate is for it."""
    run = record.component
    if not isinstance(run, Run) or "error" not in record.metrics and "wrong" not in record.metrics:
        return None
    if run.task == AffineFunctions() and list(run.axes("error")) == ["sigma"]:
        most = find_claim("signed_averaging.2").gate.at_most
        return float(record["error"][run.axes("error")["sigma"].index(1)]) <= most, f"error {most}"
    if isinstance(run.task, Quantifier) and "wrong" in record.metrics and run.task.law == "independent":
        axes, most = run.axes("wrong"), find_claim("signed_averaging.9").gate.at_most
        place = axes["sigma"].index(1), list(axes["length"]).index(max(run.recipe.lengths) + 1)
        return float(record["wrong"][place]) <= most, f"{most:.0%} of sequences wrong"
    linear = isinstance(run.task, LinearRegression) and run.task.inputs == "normal" and run.task.noise_std
    if paper == "context_scaling" and linear:
        most = find_claim("context_scaling.1").gate.at_most
        errors = values([record], "error").droplevel("seed")
        passed = over_ridge(errors, run.task, run.evaluation) <= most
        return bool(passed), f"{most} times the error of ridge regression"
    return None


def table(rows: list[dict]) -> str:
    """The rows as CSV, for a reader."""
    lines = ["task,model,pairs,steps,batch,rate,schedule,gate: at most,seeds,core-minutes"]
    for row in rows:
        recipe = row["recipe"]
        cells = (said(from_settings(row["task"])), said(from_settings(row["model"])), max(recipe["lengths"]),
                 recipe["steps"], recipe["batch"], recipe["learning_rate"], recipe["schedule"], row["gate"],
                 row["seeds"], row["minutes"] or "")
        lines.append(",".join(f'"{cell}"' for cell in cells))
    return "\n".join(lines) + "\n"


def said(part) -> str:
    """A component in few words: its class, and what is not at its default."""
    if isinstance(part, tuple):
        return f"({', '.join(map(said, part))})"
    if not dataclasses.is_dataclass(part):
        return f"{part:.3g}" if isinstance(part, float) else str(part)
    values = [f"{field.name}={said(value)}" for field in dataclasses.fields(part)
              if (value := getattr(part, field.name)) != field.default]
    return f"{type(part).__name__}({', '.join(values)})"
