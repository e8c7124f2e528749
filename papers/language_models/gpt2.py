"""Train GPT-2 124M from scratch with softmax or SSA, and measure its perplexity (Section 7.2, Appendix A.2).

    python -m papers.language_models.gpt2 train.bin val.bin runs/gpt2-ssa --scoring ssa

Files hold token ids as flat uint16, as nanoGPT's data preparation writes them. It runs on one device. If it
was stopped, the same command continues from the last checkpoint, with the same result as without a stop.
"""

import json
import math
import os
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from claimbook.records.errors import InputError
from claimbook.records.files import damage_told, read_object, write_text
from icllib.data import open_token_ids
from icllib.models.signed_language import load_signed_averaging, use_signed_averaging

ASSUMED = ("vocabulary", "accumulation", "warmup", "max_norm")  # settings the paper leaves open
SAVE_EVERY = 100  # steps


@dataclass(frozen=True)
class Settings:
    """One training: Appendix A.2, n and b as in Appendix B. ASSUMED, as the paper does not say: no dropout,
    warm-up and clipping as in nanoGPT's GPT-2, a new random order in each pass, and the settings marked
    so."""

    scoring: Literal["softmax", "ssa"] = "softmax"
    seed: int = 0  # of the weights and of the order of the data
    layers: int = 12
    heads: int = 12
    width: int = 768
    context: int = 1024
    vocabulary: int = 50_257  # ASSUMED, GPT-2's tokenizer
    steps: int = 50_000
    sequences: int = 12  # of a micro-batch
    accumulation: int = 16  # micro-batches a step, ASSUMED: so that all steps see 9.8e9 tokens
    learning_rate: float = 6e-4
    final_learning_rate: float = 6e-5
    warmup: int = 2_000  # steps, ASSUMED
    beta1: float = 0.9
    beta2: float = 0.95
    weight_decay: float = 0.1  # ASSUMED: of matrices and embeddings only, and not of n and b
    max_norm: float = 1.0  # of the gradient, ASSUMED


def open_tokens(path: Path, settings: Settings) -> np.ndarray:
    """Windows of a file's token ids that do not overlap, each with the token after it: (windows, context +
    1), on the disk. Raises InputError as `open_token_ids` does, and for an id outside the vocabulary."""
    tokens = open_token_ids(path, settings.context + 1)
    if (largest := int(tokens.max())) >= settings.vocabulary:
        raise InputError(f"{path}: expected token ids below {settings.vocabulary}, got {largest}")
    return np.lib.stride_tricks.sliding_window_view(tokens, settings.context + 1)[:: settings.context]


def batch(rows) -> dict[str, Tensor]:
    """The inputs of a model that is asked for the next token everywhere in some windows."""
    tokens = torch.from_numpy(np.stack(rows).astype(np.int64))
    following = tokens[:, 1:].contiguous()
    return {"input_ids": tokens[:, :-1], "labels": following, "shift_labels": following}


def build_gpt2(settings: Settings):
    """GPT-2 from random weights; softmax and SSA start from the same ones."""
    from transformers import GPT2Config, GPT2LMHeadModel

    end = settings.vocabulary - 1  # the end of a text, as in GPT-2's tokenizer
    torch.manual_seed(settings.seed)
    model = GPT2LMHeadModel(GPT2Config(
        vocab_size=settings.vocabulary, n_positions=settings.context, n_embd=settings.width,
        n_layer=settings.layers, n_head=settings.heads, resid_pdrop=0.0, embd_pdrop=0.0,
        attn_pdrop=0.0, bos_token_id=end, eos_token_id=end))
    return use_signed_averaging(model) if settings.scoring == "ssa" else model


def arguments(settings: Settings, folder: Path):
    """A training's settings as Trainer takes them; products in bfloat16 on CUDA, as ASSUMED."""
    from transformers import TrainingArguments

    cuda = torch.cuda.is_available()
    return TrainingArguments(
        folder, max_steps=settings.steps, per_device_train_batch_size=settings.sequences,
        gradient_accumulation_steps=settings.accumulation, learning_rate=settings.learning_rate,
        lr_scheduler_type="cosine_with_min_lr", lr_scheduler_kwargs={"min_lr": settings.final_learning_rate},
        warmup_steps=settings.warmup, adam_beta1=settings.beta1, adam_beta2=settings.beta2,
        weight_decay=settings.weight_decay, max_grad_norm=settings.max_norm, seed=settings.seed,
        bf16=cuda, use_cpu=not cuda, save_steps=SAVE_EVERY, save_total_limit=2, logging_steps=10,
        dataloader_drop_last=True, remove_unused_columns=False, report_to="none")


def train(data: Path, folder: Path, settings: Settings) -> None:
    """Train to the end, from the last checkpoint if there is one; a finished training is left as it is.
    Raises InputError for a folder of a training with other settings."""
    from transformers import Trainer

    rows, note, checkpoints = open_tokens(data, settings), folder / "training.json", folder / "checkpoints"
    about = {"settings": asdict(settings), "windows": len(rows)}
    before = read_object(note) if note.exists() else about
    if {name: before.get(name) for name in about} != about:
        raise InputError(f"{folder}: expected a training of {about}, got one of {before['settings']}")
    if "log" in before:
        return
    write_text(note, json.dumps(about))
    torch.set_float32_matmul_precision("high")  # Appendix A.2: TF32
    trainer = Trainer(build_gpt2(settings), arguments(settings, checkpoints), batch, rows)
    whole = checkpoints.glob("checkpoint-*/trainer_state.json")  # written last
    newest = max(whole, key=lambda path: int(path.parent.name.split("-")[1]), default=None)
    trainer.train(resume_from_checkpoint=newest and str(newest.parent))
    trainer.save_model(folder)
    write_text(note, json.dumps(about | {"log": trainer.state.log_history}))
    shutil.rmtree(checkpoints)


def load_trained(folder: Path):
    """The trained model of a folder and its settings; raises InputError if there is none."""
    from transformers import GPT2LMHeadModel

    with damage_told(folder / "training.json", "a finished training"):
        about = read_object(folder / "training.json")
        settings, _ = Settings(**about["settings"]), about["log"]
        load = load_signed_averaging if settings.scoring == "ssa" else GPT2LMHeadModel.from_pretrained
        return load(folder).eval(), settings


@torch.no_grad()
def perplexity(model, rows: np.ndarray, sequences: int = 8) -> float:
    """exp of the mean next-token log loss over windows, (windows, context + 1), `sequences` at a time."""
    total = 0.0
    for start in range(0, len(rows), sequences):
        some = rows[start : start + sequences]
        inputs = {name: values.to(model.device) for name, values in batch(some).items()}
        total += float(model(**inputs, use_cache=False).loss) * len(some)
    return math.exp(total / len(rows))


def main() -> None:
    """Train and print the perplexity on other text; bad input ends it with exit code 2."""
    from transformers import HfArgumentParser

    os.environ.setdefault("CUDA_VISIBLE_DEVICES", "0")  # Trainer would take all
    parser = HfArgumentParser(Settings, description=__doc__.splitlines()[0])
    for name in ("data", "validation", "folder"):
        parser.add_argument(name, type=Path)
    given = vars(parser.parse_args())
    data, validation, folder = (given.pop(name) for name in ("data", "validation", "folder"))
    try:
        train(data, folder, Settings(**given))
        model, settings = load_trained(folder)
        rows = open_tokens(validation, settings)
    except InputError as error:
        parser.error(str(error))
    print(f"perplexity {perplexity(model.to('cuda' if torch.cuda.is_available() else 'cpu'), rows):.4f}")


if __name__ == "__main__":
    main()
