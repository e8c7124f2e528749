"""GPT-2 124M with softmax or SSA: settings, tokens, the model and its perplexity.

Section 7.2 and Appendix A.2. Files hold token ids as flat uint16, which is what nanoGPT's data
preparation writes; gpt2.py trains.
"""

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from claimbook.records.checks import WORD, fraction, integer, not_negative, one_of, positive
from claimbook.records.errors import InputError
from icllib.data import open_token_ids
from icllib.models.signed_language import use_signed_averaging
from icllib.streams import Stream

SCORINGS = ("softmax", "ssa")
ASSUMED = ("vocabulary", "accumulation", "warmup", "max_norm")  # settings the paper leaves open
SCANNED = 2**26  # tokens that are checked at a time


@dataclass(frozen=True)
class Settings:
    """One training: Appendix A.2, n and b as in Appendix B.

    ASSUMED, as the paper does not say: no dropout, warm-up and clipping as in nanoGPT's GPT-2, and
    the settings marked so. Raises InputError for settings out of range.
    """

    scoring: str = "softmax"
    seed: int = 0
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

    def __post_init__(self):
        one_of(SCORINGS, scoring=self.scoring)
        integer(layers=self.layers, heads=self.heads, width=self.width, context=self.context,
                vocabulary=self.vocabulary, steps=self.steps, sequences=self.sequences,
                accumulation=self.accumulation)
        integer(0, WORD, seed=self.seed)
        integer(0, warmup=self.warmup)
        positive(learning_rate=self.learning_rate, max_norm=self.max_norm)
        not_negative(final_learning_rate=self.final_learning_rate, weight_decay=self.weight_decay)
        fraction(beta1=self.beta1, beta2=self.beta2)
        if self.width % self.heads:
            raise InputError(f"width: expected a multiple of {self.heads} heads, got {self.width}")


def learning_rate(settings: Settings, step: int) -> float:
    """Linear warm-up, then a half cosine down to the final rate."""
    if step < settings.warmup:
        return settings.learning_rate * (step + 1) / settings.warmup
    done = (step - settings.warmup) / max(settings.steps - settings.warmup, 1)
    span = settings.learning_rate - settings.final_learning_rate
    return settings.final_learning_rate + span * (1 + math.cos(math.pi * done)) / 2


def open_tokens(path: Path, settings: Settings) -> np.ndarray:
    """The token ids of a file with one context and its next token at least.

    Raises InputError as `open_token_ids` does, and for an id outside the vocabulary.
    """
    tokens = open_token_ids(path, settings.context + 1)
    for start in range(0, len(tokens), SCANNED):
        largest = int(tokens[start : start + SCANNED].max())
        if largest >= settings.vocabulary:
            raise InputError(f"{path}: expected token ids below {settings.vocabulary}, "
                             f"got {largest}")
    return tokens


def rows_of(tokens: np.ndarray, windows, context: int) -> Tensor:
    """Windows that do not overlap, each with the token after it: (windows, context + 1)."""
    rows = [tokens[window * context:(window + 1) * context + 1] for window in windows]
    return torch.from_numpy(np.stack(rows).astype(np.int64))


def batch(tokens: np.ndarray, settings: Settings, step: int) -> Tensor:
    """The tokens of a step, which depend only on the seed and the step.

    ASSUMED: each pass over the data takes its windows in a new random order.
    Returns (accumulation, sequences, context + 1). Raises InputError for a seed above 2^32.
    """
    size, windows = settings.accumulation * settings.sequences, count(tokens, settings.context)
    seen = (step * size + torch.arange(size))[None]
    stream = Stream.of([settings.seed], "training")
    places = stream.permute(seen % windows, seen // windows, "windows", [windows])[0]
    rows = rows_of(tokens, places.tolist(), settings.context)
    return rows.unflatten(0, (settings.accumulation, settings.sequences))


def count(tokens: np.ndarray, context: int) -> int:
    """How many windows there are in which every token has a next one."""
    return (len(tokens) - 1) // context


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


def token_loss(model, rows: Tensor, reduction: str = "mean", mixed: bool = True) -> Tensor:
    """Next-token log loss of rows (B, context + 1).

    mixed: products in bfloat16 on CUDA, ASSUMED to be the paper's "mixed precision".
    """
    rows = rows.to(model.device)
    with torch.autocast("cuda", torch.bfloat16, enabled=mixed and rows.is_cuda):
        logits = model(rows[:, :-1], use_cache=False).logits
    return torch.nn.functional.cross_entropy(logits.flatten(0, 1).float(), rows[:, 1:].flatten(),
                                             reduction=reduction)


@torch.no_grad()
def perplexity(model, tokens: np.ndarray, context: int, sequences: int = 8) -> float:
    """exp of the mean next-token log loss over windows of `context` tokens that do not overlap.

    Tokens after the last whole window are not counted. sequences: windows at a time.
    """
    windows, total = count(tokens, context), 0.0
    model.eval()
    for start in range(0, windows, sequences):
        rows = rows_of(tokens, range(start, min(start + sequences, windows)), context)
        total += float(token_loss(model, rows, "sum", mixed=False))
    return math.exp(total / (windows * context))
