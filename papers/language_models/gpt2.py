"""Train GPT-2 124M from scratch with softmax or SSA, and measure its perplexity (Section 7.2).

    python -m papers.language_models.gpt2 train train.bin runs/gpt2-ssa --scoring ssa
    python -m papers.language_models.gpt2 perplexity runs/gpt2-ssa val.bin

It runs on one device, with the `Trainer` of `transformers`. If a training was killed or stopped, the same
command continues it from its last checkpoint, with the same result as without a stop.
"""

import json
import os
import shutil
import sys
from dataclasses import asdict, fields
from pathlib import Path
from typing import Annotated, Optional

import torch
import typer
from transformers import Trainer, TrainerCallback, TrainingArguments

from claimbook.pages.execution import parse_parameter
from claimbook.records.errors import DAMAGE, InputError, OutOfTime
from claimbook.records.files import check_writable, read_object, write_text
from claimbook.records.limits import Limits
from icllib.data import checksum
from icllib.training.checkpoint import locked_folder
from icllib.training.jobs import stop_request
from papers.language_models.gpt2_model import Settings, batch, build_gpt2, open_tokens, perplexity

SAVE_EVERY = 500  # steps


class StopWhenAsked(TrainerCallback):
    """Saves a checkpoint and ends a training after the step in which it is asked to stop."""

    def __init__(self, asked):
        self.asked = asked

    def on_step_end(self, args, state, control, **more):
        """What Trainer is to do next."""
        if self.asked():
            control.should_save = control.should_training_stop = True


def arguments(settings: Settings, folder: Path) -> TrainingArguments:
    """A training's settings as Trainer takes them; products in bfloat16 on CUDA, as ASSUMED."""
    cuda = torch.cuda.is_available()
    return TrainingArguments(
        folder, max_steps=settings.steps, per_device_train_batch_size=settings.sequences,
        gradient_accumulation_steps=settings.accumulation, learning_rate=settings.learning_rate,
        lr_scheduler_type="cosine_with_min_lr", lr_scheduler_kwargs={"min_lr": settings.final_learning_rate},
        warmup_steps=settings.warmup, adam_beta1=settings.beta1, adam_beta2=settings.beta2,
        weight_decay=settings.weight_decay, max_grad_norm=settings.max_norm, seed=settings.seed,
        bf16=cuda, use_cpu=not cuda, save_steps=SAVE_EVERY, save_total_limit=2, logging_steps=10,
        dataloader_drop_last=True, remove_unused_columns=False, report_to="none")


def train(data: Path, folder: Path, settings: Settings, time_limit: float | None = None) -> None:
    """Train to the end, and write model.safetensors and, last, its checksum into training.json.

    time_limit: seconds after which, as on SIGTERM, a checkpoint is saved and OutOfTime raised. Raises
    InputError for a folder whose training has finished or had other settings, and as `open_tokens` does.
    """
    check_writable(folder)
    rows = open_tokens(data, settings)
    about = {"settings": asdict(settings), "windows": len(rows)}
    with locked_folder(folder / "checkpoints"), stop_request(Limits(time_limit)) as asked:
        before = read_object(folder / "training.json") if (folder / "training.json").exists() else about
        if "sha256" in before:
            raise InputError(f"{folder}: expected no finished training, got one; name another folder")
        if before != about:
            raise InputError(f"{folder}: expected checkpoints of {about}, got those of {before}")
        write_text(folder / "training.json", json.dumps(about))
        torch.set_float32_matmul_precision("high")  # Appendix A.2: TF32
        trainer = Trainer(build_gpt2(settings), arguments(settings, folder / "checkpoints"), batch, rows,
                          callbacks=[StopWhenAsked(asked)])
        whole = (folder / "checkpoints").glob("checkpoint-*/trainer_state.json")  # written last
        newest = max(whole, key=lambda path: int(path.parent.name[len("checkpoint-"):]), default=None)
        trainer.train(resume_from_checkpoint=newest and str(newest.parent))
        if trainer.state.global_step < settings.steps:
            raise OutOfTime(f"stopped at step {trainer.state.global_step} of {settings.steps}")
        trainer.save_model(folder)
        about |= {"log": trainer.state.log_history, "sha256": checksum(folder / "model.safetensors")}
        write_text(folder / "training.json", json.dumps(about))
        shutil.rmtree(folder / "checkpoints")


def load_trained(folder: Path):
    """The trained model of a folder and its settings; raises InputError if there is none."""
    from safetensors import SafetensorError
    from safetensors.torch import load_model

    try:
        about = read_object(folder / "training.json")
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
    time_limit: Annotated[Optional[float], typer.Option(
        min=0, help="Stop after this many seconds; the same command then goes on.")] = None,
    parameter: Annotated[list[str], typer.Option(
        "--parameter", "-p", metavar="NAME=VALUE",
        help="Another value for a setting, such as accumulation=40.")] = [],
):
    """Train GPT-2 from scratch; by default at the paper's settings."""
    os.environ.setdefault("CUDA_VISIBLE_DEVICES", "0")  # Trainer would take all
    changed = dict(parse_parameter(text) for text in parameter)
    unknown = changed.keys() - {field.name for field in fields(Settings)}
    if unknown:
        raise InputError(f"parameter: expected a setting, got {', '.join(sorted(unknown))}")
    train(data, folder, Settings(**{"scoring": scoring, "seed": seed} | changed), time_limit)


@app.command("perplexity")
def perplexity_command(
    folder: Annotated[Path, typer.Argument(help="Folder of a finished training.")],
    data: Annotated[Path, typer.Argument(help="Token ids, flat uint16.")],
):
    """Print the perplexity of a trained model on other text."""
    model, settings = load_trained(folder)
    rows = open_tokens(data, settings)
    model.to("cuda" if torch.cuda.is_available() else "cpu")
    typer.echo(f"{perplexity(model, rows):.4f}")


def main() -> None:
    """Exit codes: 0 done, 2 bad input, 3 stopped at the time limit or by SIGTERM."""
    try:
        app(prog_name="python -m papers.language_models.gpt2")
    except (InputError, OutOfTime) as error:
        print(f"icllib: {error}", file=sys.stderr)
        sys.exit(2 if isinstance(error, InputError) else 3)


if __name__ == "__main__":
    main()
