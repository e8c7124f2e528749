"""Train GPT-2 124M from scratch with softmax or SSA, and measure its perplexity (Section 7.2).

    python -m papers.language_models.gpt2 train train.bin runs/gpt2-ssa --scoring ssa
    python -m papers.language_models.gpt2 perplexity runs/gpt2-ssa val.bin

It runs on one device. If a training was killed or stopped, the same command continues it from its last
checkpoint, with the same result as without a stop.
"""

import dataclasses
import json
import math
import os
import sys
import time
from pathlib import Path
from typing import Annotated, Optional

import numpy as np
import torch
import typer
from torch import Tensor

from claimbook.pages.execution import parse_parameter
from claimbook.records.errors import DAMAGE, InputError, OutOfTime
from claimbook.records.files import check_writable, write_text
from icllib.data import checksum
from icllib.progress import Progress
from icllib.training.checkpoint import (
    ignoring_save_errors, load_checkpoint, locked_folder, remove_checkpoints, save_checkpoint)
from icllib.training.jobs import stop_request
from papers.language_models.gpt2_model import (
    Settings, batch, build_gpt2, learning_rate, open_tokens, perplexity, token_loss)

SAVE_EVERY = 1800.0  # seconds between checkpoints


class Trainer:
    """A model, its optimizer, and how far its training has come: one loss for each step."""

    def __init__(self, settings: Settings, tokens: np.ndarray, device: str):
        self.settings, self.tokens, self.losses = settings, tokens, []
        self.model = build_gpt2(settings).to(device).train()
        self.parameters = dict(self.model.named_parameters())  # the tied embeddings once
        decayed = {name for name, parameter in self.parameters.items()
                   if parameter.dim() > 1 and "signed_softmax" not in name}
        groups = [{"params": [self.parameters[name] for name in names], "weight_decay": decay}
                  for names, decay in ((sorted(decayed), settings.weight_decay),
                                       (sorted(self.parameters.keys() - decayed), 0.0))]
        self.optimizer = torch.optim.AdamW(groups, betas=(settings.beta1, settings.beta2))

    def take_step(self) -> None:
        """One update by the mean gradient of the step's micro-batches."""
        settings, step = self.settings, len(self.losses)
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate(settings, step)
        losses = []
        for rows in batch(self.tokens, settings, step):
            loss = token_loss(self.model, rows) / settings.accumulation
            loss.backward()
            losses.append(loss.detach())
        torch.nn.utils.clip_grad_norm_(self.parameters.values(), settings.max_norm)
        self.optimizer.step()
        self.optimizer.zero_grad()
        self.losses.append(float(sum(losses)))

    def tensors(self) -> dict[str, Tensor]:
        """All that the next step depends on but the settings and the number of the step."""
        found = {f"model.{name}": value.detach() for name, value in self.parameters.items()}
        for name, value in self.parameters.items():
            for entry, state in self.optimizer.state[value].items():
                found[f"optimizer.{name}.{entry}"] = state
        return found

    def restore(self, tensors: dict[str, Tensor], losses: list[float]) -> None:
        """Go on from these tensors, and after as many steps as there are losses."""
        self.losses = losses
        with torch.no_grad():
            for name, value in self.parameters.items():
                value.copy_(tensors.pop(f"model.{name}"))
        for name, state in tensors.items():
            parameter, _, entry = name.removeprefix("optimizer.").rpartition(".")
            place = "cpu" if entry == "step" else self.model.device  # where AdamW keeps them
            self.optimizer.state[self.parameters[parameter]][entry] = state.to(place)


def train(data: Path, folder: Path, settings: Settings, deadline: float = math.inf) -> None:
    """Train to the end, and write model.safetensors and, last, training.json.

    deadline: a time.monotonic() after which, as on SIGTERM, a checkpoint is saved and OutOfTime
    raised. Raises InputError for a folder whose training has finished or had other settings, and
    for data as `open_tokens` does.
    """
    check_folder(folder)
    with locked_folder(folder / "checkpoints"):
        train_alone(data, folder, settings, deadline)


def train_alone(data: Path, folder: Path, settings: Settings, deadline: float) -> None:
    """A training in a folder that no other process trains in."""
    from safetensors.torch import save_model

    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.set_float32_matmul_precision("high")  # Appendix A.2: TF32
    trainer = Trainer(settings, open_tokens(data, settings), device)
    about = {"settings": dataclasses.asdict(settings), "tokens": len(trainer.tokens)}
    resumed(trainer, folder, about)
    with stop_request() as asked:
        train_steps(trainer, folder, about, lambda: asked() or time.monotonic() > deadline)
    part = folder / "model.part"
    save_model(trainer.model, str(part))
    about |= {"losses": trainer.losses, "sha256": checksum(part)}
    os.replace(part, folder / "model.safetensors")
    write_text(folder / "training.json", json.dumps(about))
    remove_checkpoints(folder / "checkpoints")


def check_folder(folder: Path) -> None:
    """Make the folder; raises InputError for a file, and for a finished training."""
    check_writable(folder)
    if (folder / "training.json").exists():
        raise InputError(f"{folder}: expected no finished training, got one; name another folder")


def resumed(trainer: Trainer, folder: Path, about: dict) -> None:
    """Continue from the newest checkpoint if there is one; raises InputError for another training's."""
    found = load_checkpoint(folder / "checkpoints")
    if found is None:
        return
    tensors, info = found
    now, before = (one["settings"] | {"tokens": one["tokens"]} for one in (about, info))
    other = [f"{name}={before[name]}" for name, value in now.items() if before[name] != value]
    if other:
        raise InputError(f"{folder}: expected checkpoints of this training, got those of one with "
                         f"{', '.join(other)}")
    trainer.restore(tensors, info["losses"])


def train_steps(trainer: Trainer, folder: Path, about: dict, should_stop) -> None:
    """Train to the end; between steps check whether to stop, and save."""
    def save():
        with ignoring_save_errors(folder):
            save_checkpoint(folder / "checkpoints", len(trainer.losses), trainer.tensors(),
                            about | {"losses": trainer.losses})

    steps, saved = trainer.settings.steps, time.monotonic()
    progress = Progress(steps, trainer.settings.scoring, start_at=len(trainer.losses))
    while len(trainer.losses) < steps:
        if should_stop():
            progress.close()
            save()
            raise OutOfTime(f"stopped at step {len(trainer.losses)} of {steps}")
        trainer.take_step()
        progress.update(len(trainer.losses), torch.tensor(trainer.losses[-100:]))
        if time.monotonic() - saved > SAVE_EVERY:
            save()
            saved = time.monotonic()
    progress.close()
    save()  # if the disk has no room for the model, the next call has its weights


def load_trained(folder: Path):
    """The trained model of a folder and its settings; raises InputError if there is none."""
    from safetensors import SafetensorError
    from safetensors.torch import load_model

    try:
        about = json.loads((folder / "training.json").read_text("utf-8"))
        settings = Settings(**about["settings"])
        checksum(folder / "model.safetensors", about["sha256"])
        model = build_gpt2(settings)
        load_model(model, folder / "model.safetensors")
    except (SafetensorError, RuntimeError, TypeError, *DAMAGE) as error:  # and weights of another model
        raise InputError(f"{folder}: expected a finished training, got none or a damaged one "
                         f"({' '.join(str(error).split()):.400})") from None
    return model.eval(), settings


app = typer.Typer(no_args_is_help=True, add_completion=False, rich_markup_mode=None,
                  pretty_exceptions_enable=False, help=__doc__)


@app.command("train")
def train_command(
    data: Annotated[Path, typer.Argument(help="Token ids, flat uint16.")],
    folder: Annotated[Path, typer.Argument(help="Where the model and its checkpoints go.")],
    scoring: Annotated[str, typer.Option(help="softmax or ssa.")] = "softmax",
    seed: Annotated[int, typer.Option(help="Seed of the weights and of the order of the data.")] = 0,
    time_limit: Annotated[Optional[float], typer.Option(min=0, help="Stop after this many "
                          "seconds; the same command then goes on.")] = None,
    parameter: Annotated[list[str], typer.Option("--parameter", "-p", metavar="NAME=VALUE",
                         help="Another value for a setting, such as accumulation=40.")] = [],
):
    """Train GPT-2 from scratch; by default at the paper's settings."""
    deadline = math.inf if time_limit is None else time.monotonic() + time_limit
    changed = dict(parse_parameter(text) for text in parameter)
    unknown = changed.keys() - {field.name for field in dataclasses.fields(Settings)}
    if unknown:
        raise InputError(f"parameter: expected a setting, got {', '.join(sorted(unknown))}")
    train(data, folder, Settings(**{"scoring": scoring, "seed": seed} | changed), deadline)


@app.command("perplexity")
def perplexity_command(
    folder: Annotated[Path, typer.Argument(help="Folder of a finished training.")],
    data: Annotated[Path, typer.Argument(help="Token ids, flat uint16.")],
):
    """Print the perplexity of a trained model on other text."""
    model, settings = load_trained(folder)
    tokens = open_tokens(data, settings)
    model.to("cuda" if torch.cuda.is_available() else "cpu")
    typer.echo(f"{perplexity(model, tokens, settings.context):.4f}")


def main() -> None:
    """Exit codes: 0 done, 2 bad input, 3 stopped at the time limit or by SIGTERM."""
    try:
        app(prog_name="python -m papers.language_models.gpt2")
    except (InputError, OutOfTime) as error:
        print(f"icllib: {error}", file=sys.stderr)
        sys.exit(2 if isinstance(error, InputError) else 3)


if __name__ == "__main__":
    main()
