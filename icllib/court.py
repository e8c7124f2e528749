"""Is an attention, or a model, better than softmax where softmax fails? Told only where it can be told.

Yours and softmax are trained alike on small tasks and put to the same shifts, in pairs of seeds. A model that
has not learned decides nothing. How large a difference chance alone makes is measured on twenty softmax
models, the *floor*; what is told has to exceed it and Holm's correction over the whole table.
"""

import hashlib
import importlib.util
import inspect
import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache, partial
from importlib.resources import files
from pathlib import Path
from typing import ClassVar

import numpy as np
import pandas as pd
import torch
from safetensors.torch import load

from claimbook.records.checks import binds, boolean, instance, integer, one_of, tuple_of
from claimbook.records.errors import InputError
from claimbook.records.files import check_writable, read_bytes, write_text
from icllib.models import Transformer
from icllib.models.own import Module
from icllib.models.scoring import Plain
from icllib.protocols import Predictor, Task
from icllib.streams import Stream
from icllib.tasks import AffineFunctions, LinearRegression, sample_each
from icllib.training import Fleet, Recipe, Trained, train
from icllib.training.build import line_of, room_for, told
from icllib.training.checkpoint import load_checkpoint, locked_folder, remove_checkpoints, save_tensors
from icllib.training.engine import run_steps, tell_diverged
from icllib.training.jobs import keep_checkpoint, stop_request

SEEDS, QUICK = 5, 1  # pairs; ours
KEPT = 20  # softmax models of the floor
PROMPTS, CHUNK = 1024, 256  # of a test
SAME = np.log(1.25)  # the book's margin for "as good as"
LEVEL = 0.05  # of a wrong word in the whole table, and for the floor
OTHER_SEEDS, UNTRAINED = "softmax, other seeds", "untrained"  # controls


@dataclass(frozen=True)
class Shift:
    """A test: a task, a number of pairs, and what is changed in its prompts."""

    task: Task
    pairs: int
    noise: float = 0.0  # added to the labels of the pairs
    heavy: bool = False  # noise of Student's t with three degrees of freedom in place of normal noise
    ordered: bool = False  # the pairs by size of the first coordinate
    reach: float = np.inf  # only targets up to this size count

    def errors(self, predictor: Predictor) -> np.ndarray:
        """The mean squared error of each member against the target without noise: (M,)."""
        members = getattr(predictor, "members", 1)
        stream, n = Stream.of([0] * members, "court"), self.pairs
        sums = counts = 0
        for start in range(0, PROMPTS, CHUNK):
            ids = torch.arange(start, start + CHUNK).expand(members, -1)
            xs, ys, means = sample_each([self.task] * members, stream, ids, n + 1)
            if self.noise:
                drawn = stream.normal(ids, "court noise", (n + 1, 4))
                noise = drawn[..., 0]
                if self.heavy:  # t has variance 3
                    noise = noise / drawn[..., 1:].square().mean(-1).sqrt() / 3**0.5
                ys = ys + self.noise * noise
            if self.ordered:
                order = xs[:, :, :n, 0].argsort(-1)
                every = order[..., None].expand_as(xs[:, :, :n])
                xs = torch.cat((xs[:, :, :n].gather(2, every), xs[:, :, n:]), 2)
                ys = torch.cat((ys[:, :, :n].gather(2, order), ys[:, :, n:]), 2)
            with torch.no_grad():
                answers = predictor.predict(xs, ys, (n,))[..., 0]
            target = means[:, :, n]
            counted = target.abs() <= self.reach
            sums = sums + ((answers - target).square() * counted).double().sum(1)
            counts = counts + counted.sum(1)
        return (sums / counts).numpy()


@dataclass(frozen=True)
class Setting:
    """A task to learn, how, when it is learned, and the shifts that follow."""

    task: Task
    recipe: Recipe
    at_most: float  # of the error on prompts as in training; more has not learned
    shifts: dict = field(hash=False)
    model: Transformer = Transformer(2, 4, 32, positions="none")


LINES, LINEAR = AffineFunctions(), LinearRegression(2, 0.3)
SETTINGS = {
    "lines": Setting(LINES, Recipe(tuple(range(1, 21)), 8_000, 32, 3e-3, "cosine", 0.05), 0.02, {
        "as in training": Shift(LINES, 20),
        "steeper": Shift(replace(LINES, function_std=3.0), 20),
        "steeper, targets of size up to 3": Shift(replace(LINES, function_std=3.0), 20, reach=3.0),
        "wider inputs": Shift(replace(LINES, input_std=3.0), 20),
        "one large input": Shift(replace(LINES, first_input_std=30.0), 20),
        "fewer pairs": Shift(LINES, 4), "more pairs": Shift(LINES, 40),
        "noise": Shift(LINES, 20, noise=0.5), "heavy-tailed noise": Shift(LINES, 20, noise=0.5, heavy=True),
        "pairs in order": Shift(LINES, 20, ordered=True)}),
    # At most 1.25 times the whole error of ridge regression, 0.099, less the noise in it.
    "linear functions": Setting(LINEAR, Recipe(tuple(range(1, 21)), 8_000, 32, 5e-3, "cosine", 0.05), 0.034, {
        "as in training": Shift(LINEAR, 20),
        "steeper": Shift(replace(LINEAR, weight_std=3.0), 20),
        "steeper, targets of size up to 3": Shift(replace(LINEAR, weight_std=3.0), 20, reach=3.0),
        "shifted inputs": Shift(replace(LINEAR, input_mean=1.0), 20),
        "fewer pairs": Shift(LINEAR, 4), "more pairs": Shift(LINEAR, 40),
        "noise": Shift(replace(LINEAR, noise_std=0.0), 20, noise=1.0),
        "heavy-tailed noise": Shift(replace(LINEAR, noise_std=0.0), 20, noise=1.0, heavy=True),
        "pairs in order": Shift(LINEAR, 20, ordered=True)}, Transformer(3, 2, 32, positions="none")),
}


@dataclass(frozen=True)
class Own(Plain):
    """A scoring of one's own, as a function of scores and mask."""

    weigh: Callable
    version: ClassVar[int] = 1


def model_of(mine, like: Transformer):
    """What to train: the court's decoder with a scoring, or a module of one's own."""
    if isinstance(mine, Transformer | Module):
        return mine
    if isinstance(mine, type) and issubclass(mine, torch.nn.Module):
        return Module(mine)
    if hasattr(mine, "build"):
        return replace(like, scoring=mine)
    if not isinstance(mine, torch.nn.Module) and callable(mine) and binds(mine, "z", "mask"):
        return replace(like, scoring=Own(mine))
    raise InputError("mine: expected a function weigh(z, mask), a scoring, a Transformer or a class of "
                     f"modules, got {mine!r:.200}")


def tried(mine, setting: Setting) -> tuple:
    """What to train, and what a model of it answers after most pairs; InputError where it does not."""
    model, n = model_of(mine, setting.model), max(shift.pairs for shift in setting.shifts.values())
    xs = torch.linspace(-3, 3, (n + 1) * setting.task.dimension).sin().view(1, 1, n + 1, -1)
    fleet = Fleet([setting.task], model, setting.recipe, [0], [None])
    with told():
        return model, Trained(fleet.module).predict(xs, xs[..., 0], (n,)).numpy(force=True)


def read_own(path):
    """What a file of one's own is about: its function `weigh(z, mask)`, its class `Model(dimension)` or its
    object `model`. Runs the file. Raises InputError for none of them, or for several."""
    path = Path(path)
    if not path.is_file() or path.suffix != ".py":
        raise InputError(f"{path}: expected a file of Python, NAME.py, got none")
    spec = importlib.util.spec_from_file_location(f"{path.stem} of yours", path)  # no name of another module
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    sys.path.append(str(path.resolve().parent))  # for modules beside it
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise InputError(f"{path}: expected a file of Python that runs, got {error!r:.300}{line_of(error)}") from error
    found = [getattr(module, name) for name in ("weigh", "Model", "model") if hasattr(module, name)]
    if len(found) != 1:
        raise InputError(f"{path}: expected one of weigh(z, mask), class Model and model, got {len(found)}")
    return found[0]


def identity(mine, answers: np.ndarray) -> str:
    """A few letters that change when yours changes, or what it answers."""
    try:
        text = mine.read_bytes() if isinstance(mine, Path) else inspect.getsource(mine).encode()
    except (TypeError, OSError):
        text = repr(mine).encode()
    return hashlib.sha256(text + answers.round(4).tobytes()).hexdigest()[:8]


def measured(setting: Setting, module) -> dict[str, np.ndarray]:
    """The errors of a trained fleet at every shift: name -> (M,)."""
    return {name: shift.errors(Trained(module)) for name, shift in setting.shifts.items()}


def kept_softmax() -> dict:
    """The errors of softmax that the package brings: setting -> shift -> one for each seed."""
    return json.loads(files("icllib").joinpath("court.json").read_text("utf-8"))


@cache  # the same for all that is compared
def floor_of(errors: tuple, pairs: int) -> float:
    """The log ratio that chance alone exceeds in 5 of 100 comparisons of softmax with itself."""
    logs, draw = np.log(errors), np.random.default_rng(0)
    orders = [draw.permutation(len(logs))[: 2 * pairs] for _ in range(2_000)]
    return float(np.quantile([abs((logs[order[:pairs]] - logs[order[pairs:]]).mean()) for order in orders],
                             1 - LEVEL))


def holm(chances) -> np.ndarray:
    """Chances of a wrong word, corrected for how many are told (Holm, 1979)."""
    chances = np.asarray(chances, dtype=float)
    order = chances.argsort()
    corrected = np.maximum.accumulate(chances[order] * np.arange(len(chances), 0, -1)).clip(max=1)
    return corrected[order.argsort()]


def ratio_rows(name: str, errors: dict, softmax: dict, learned: np.ndarray) -> list[dict]:
    """A row for each shift: the ratio of errors with its interval, in floors, and its chance."""
    from scipy import stats  # takes half a second
    rows = []
    for shift, own in errors.items():
        logs = np.log(own / np.asarray(softmax[shift])[: len(own)])[learned]
        mean = float(logs.mean()) if len(logs) else np.nan
        floor = floor_of(tuple(softmax[shift]), max(len(logs), 1))
        low = high = chance = np.nan
        if len(logs) > 2:
            test = stats.ttest_1samp(logs, 0)
            chance, (low, high) = test.pvalue, test.confidence_interval()
        rows.append({"setting": name, "shift": shift,
                     "yours": float(np.exp(np.log(own[learned]).mean())) if len(logs) else float("nan"),
                     "softmax": float(np.exp(np.log(softmax[shift]).mean())), "ratio": np.exp(mean),
                     "low": np.exp(low), "high": np.exp(high), "floors": abs(mean) / floor,
                     "pairs": len(logs), "chance": chance})
    return rows


def give_words(rows: list[dict]) -> None:
    """Writes a word into each row: better, worse, no difference, can't tell, or not learned."""
    judged = [row for row in rows if not np.isnan(row["chance"])]
    for row, corrected in zip(judged, holm([row["chance"] for row in judged])):
        row["chance"] = corrected
    for row in rows:
        clear = row["floors"] > 1 and (np.isnan(row["chance"]) or row["chance"] < LEVEL)
        if not row["pairs"]:
            row["word"] = "not learned"
        elif clear:
            row["word"] = "better" if row["ratio"] < 1 else "worse"
        elif max(-np.log(row["low"]), np.log(row["high"])) < SAME:
            row["word"] = "no difference"
        else:
            row["word"] = "can't tell"


def compare(mine, folder="court", quick: bool = False, settings=tuple(SETTINGS),
            seeds: int = SEEDS) -> list[dict]:
    """Train yours beside softmax, put both to the shifts, and write a report into a folder; returns its rows.

    mine: a file, a function weigh(z, mask), a scoring, a Transformer, or a class of modules whose
    forward(xs, ys) answers at every point. quick: one seed, which decides only what chance rarely does. What
    is trained is kept in the folder, and the next call goes on from there. Raises InputError for what is none
    of these and for settings that the court does not have.
    """
    settings = tuple_of(partial(one_of, tuple(SETTINGS)), "settings", settings)
    integer(1, KEPT // 2, seeds=seeds)
    boolean(quick=quick)
    instance(str | Path, folder=folder)
    mine = Path(mine) if isinstance(mine, str) else mine
    own = read_own(mine) if isinstance(mine, Path) else mine
    folder, count, start = Path(folder), QUICK if quick else seeds, time.monotonic()
    check_writable(folder, *(f"report.{kind}" for kind in ("md", "csv", "json", "png")))
    models, errors_of_softmax = {name: tried(own, SETTINGS[name]) for name in settings}, kept_softmax()
    rows, disguised, untrained = [], [], []
    for name, (model, answers) in models.items():
        setting, softmax = SETTINGS[name], errors_of_softmax[name]
        weights = folder / f"{name}_{identity(mine, answers)}_{count}.safetensors"
        errors = measured(setting, trained_or_kept(setting, model, count, weights))
        rows += ratio_rows(name, errors, softmax, errors["as in training"] <= setting.at_most)
        others = {shift: np.asarray(values)[-count:] for shift, values in softmax.items()}
        disguised += ratio_rows(name, others, softmax, np.full(count, True))
        never = measured(setting, setting.model.build(range(count), *sizes(setting)))
        untrained += ratio_rows(name, never, softmax, never["as in training"] <= setting.at_most)
    for table in (rows, disguised, untrained):
        give_words(table)
    for row, same, never in zip(rows, disguised, untrained):
        row |= {OTHER_SEEDS: same["word"], UNTRAINED: never["word"]}
    write_report(rows, folder, time.monotonic() - start)
    return rows


def sizes(setting: Setting) -> tuple[int, int]:
    """The dimension and the longest context that a model is built for."""
    return setting.task.dimension, max(setting.recipe.lengths)


def trained_or_kept(setting: Setting, model, count: int, kept_in: Path):
    """A fleet of so many seeds, trained, or read from where a call before has kept it, or half of its training.
    Raises OutOfTime where it is stopped."""
    if kept_in.exists():
        module = model.build(range(count), *sizes(setting))
        try:
            module.load_state_dict(load(read_bytes(kept_in)))
        except Exception:  # of many kinds
            raise InputError(f"{kept_in}: expected what a call before has trained, got a damaged file; delete it") from None
        return module
    half = kept_in.with_suffix(".half")
    with locked_folder(half), stop_request() as should_stop, room_for(count, "cpu"), torch.inference_mode(False):
        fleet = Fleet([setting.task] * count, model, setting.recipe, range(count), [None] * count)
        if found := load_checkpoint(half):
            fleet.load(found[0])
        run_steps(fleet, kept_in.stem, should_stop, lambda: keep_checkpoint(fleet, half, {}))
        save_tensors(kept_in, fleet.module.state_dict())
    for seed in (~fleet.alive).nonzero().flatten().tolist():
        tell_diverged(model, seed, setting.recipe)
    remove_checkpoints(half)
    return fleet.module


def keep_softmax(path="icllib/court.json") -> None:
    """Trains the softmax models of the floor and writes their errors, which `compare` reads."""
    errors = {name: {shift: values.tolist() for shift, values in measured(setting, train(
        setting.task, setting.model, setting.recipe, list(range(KEPT)), label=name)).items()}
        for name, setting in SETTINGS.items()}
    write_text(Path(path), json.dumps(errors, indent=1))


def in_one_sentence(rows: list[dict]) -> str:
    """The result in one sentence."""
    names = lambda word: [f"{row['shift']} ({row['setting']})" for row in rows if row["word"] == word]
    if not any(row["pairs"] for row in rows):
        return "Yours has learned no task, so nothing is decided: give it more steps, or another rate."
    told = [f"{word} than softmax at {', '.join(names(word))}" for word in ("better", "worse") if names(word)]
    rest = [f"{word} at {len(names(word))} of {len(rows)} tests"
            for word in ("no difference", "can't tell", "not learned") if names(word)]
    return f"Yours is {'; '.join([*told, *rest])}." if told else f"Yours: {'; '.join(rest)}."


def write_report(rows: list[dict], folder: Path, seconds: float) -> None:
    """Writes report.md, report.csv, report.json and report.png."""
    import matplotlib.pyplot as plt

    write_text(folder / "report.csv", pd.DataFrame(rows).to_csv(index=False))
    sound = pd.DataFrame(rows).astype(object).replace([np.nan, np.inf], None).to_dict("records")
    write_text(folder / "report.json", json.dumps(
        {"sentence": in_one_sentence(rows), "seconds": seconds, "rows": sound}))
    lines = ["| setting | test | yours | softmax | yours / softmax | in floors | yours is "
             f"| {OTHER_SEEDS} | {UNTRAINED} |", "|---|---|---:|---:|---:|---:|---|---|---|"]
    for row in rows:
        numbers = (f"{row['yours']:.2g} | {row['softmax']:.2g} | {row['ratio']:.2f} ({row['low']:.2f} to "
                   f"{row['high']:.2f}) | {row['floors']:.1f}" if row["pairs"] else f" | {row['softmax']:.2g} | | ")
        words = " | ".join(row[name] for name in ("word", OTHER_SEEDS, UNTRAINED))
        lines.append(f"| {row['setting']} | {row['shift']} | {numbers} | {words} |")
    told = ("Squared errors against the target without noise, 95% intervals over pairs of seeds, Holm's correction "
            "over the table. One floor is what 95 of 100 comparisons of softmax with itself stay below. The last two "
            "columns are controls, judged as yours: softmax models of other seeds, and models that were never trained.")
    write_text(folder / "report.md", "\n".join((
        "# Yours and softmax\n", in_one_sentence(rows), "\n![ratios](report.png)\n", *lines, f"\n{told} {seconds / 60:.0f} "
        "minutes.\n")))
    learned = [row for row in rows if row["pairs"]]
    figure, axes = plt.subplots(figsize=(7, 0.32 * len(learned) + 1), layout="constrained")
    for place, row in enumerate(learned):
        floor = abs(np.log(row["ratio"])) / row["floors"] if row["floors"] else 0
        axes.barh(-place, np.exp(floor) - np.exp(-floor), left=np.exp(-floor), color="#dddddd", height=0.8)
        axes.plot([row["low"], row["high"]], [-place, -place], color="#0072b2")
        axes.plot(row["ratio"], -place, "o", color="#0072b2")
    axes.axvline(1, color="black", lw=1)
    axes.set_yticks(range(0, -len(learned), -1), [f"{row['setting']}: {row['shift']}" for row in learned])
    axes.set(xscale="log", xlabel="yours / softmax (grey: chance)")
    figure.savefig(folder / "report.png", dpi=150)
    plt.close(figure)
