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

SCORINGS = ("softmax", "ssa")
ASSUMED = ("vocabulary", "accumulation", "warmup", "max_norm")  # settings the paper leaves open
SCANNED = 2**26  # tokens that are checked at a time


@dataclass(frozen=True)
class Settings:
    """One training: Appendix A.2, n and b as in Appendix B.

    ASSUMED, as the paper does not say: no dropout, warm-up and clipping as in nanoGPT's GPT-2, a new random
    order in each pass over the data, and the settings marked so. Raises InputError for those out of range.
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


def open_tokens(path: Path, settings: Settings) -> np.ndarray:
    """Windows of a file's token ids that do not overlap, each with the token after it.

    Returns (windows, context + 1), on the disk. Raises InputError as `open_token_ids` does, and for an
    id outside the vocabulary.
    """
    tokens = open_token_ids(path, settings.context + 1)
    largest = max(int(tokens[start : start + SCANNED].max()) for start in range(0, len(tokens), SCANNED))
    if largest >= settings.vocabulary:
        raise InputError(f"{path}: expected token ids below {settings.vocabulary}, got {largest}")
    return windows(tokens, settings.context)


def windows(tokens: np.ndarray, context: int) -> np.ndarray:
    """All windows that have a next token for each of theirs; what is left at the end is not counted."""
    return np.lib.stride_tricks.sliding_window_view(tokens, context + 1)[::context]


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


@torch.no_grad()
def perplexity(model, rows: np.ndarray, sequences: int = 8) -> float:
    """exp of the mean next-token log loss over windows, (windows, context + 1), `sequences` at a time."""
    model.eval()
    total = 0.0
    for start in range(0, len(rows), sequences):
        some = rows[start : start + sequences]
        inputs = {name: values.to(model.device) for name, values in batch(some).items()}
        total += float(model(**inputs, use_cache=False).loss) * len(some)
    return math.exp(total / len(rows))
