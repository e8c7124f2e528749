"""Figure 8: a histogram of the norms of GPT-2's token embeddings in a corpus.

    python -m papers.language_models.token_norms model.safetensors train.bin FILE.csv

The corpus is a flat file of 16-bit token ids, as nanoGPT's data preparation writes it.
"""

from pathlib import Path

import numpy as np
import pandas as pd
import torch

from claimbook.records.errors import InputError
from claimbook.records.files import write_text
from icllib.data import checksum, open_token_ids
from papers.language_models import command

EMBEDDING = "wte.weight"  # in the checkpoints of GPT-2, with or without "transformer." before it
CHUNK = 2**20  # tokens read at a time
BINS = 100  # ASSUMED: the paper does not say


def embedding_norms(weights: Path) -> np.ndarray:
    """The Euclidean norm of each token's embedding, (vocabulary,); InputError for a file without a table."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(weights, framework="pt") as file:
            name, = (name for name in file.keys() if name.endswith(EMBEDDING))
            return torch.linalg.vector_norm(file.get_tensor(name).double(), dim=1).numpy()
    except (SafetensorError, OSError, ValueError) as error:
        raise InputError(f"{weights}: expected safetensors with one {EMBEDDING} ({error})") from None


def token_counts(tokens: Path, vocabulary: int, chunk: int = CHUNK) -> np.ndarray:
    """How often each token stands in a file of ids, (vocabulary,); raises InputError for an id outside it."""
    ids, counts = open_token_ids(tokens), np.zeros(2**16, dtype=np.int64)
    for start in range(0, len(ids), chunk):
        counts += np.bincount(ids[start : start + chunk], minlength=2**16)
    if counts[vocabulary:].any():
        raise InputError(f"{tokens}: expected token ids below {vocabulary}, got {counts.nonzero()[0].max()}")
    return counts[:vocabulary]


def norm_histogram(norms, counts, bins: int = BINS) -> pd.DataFrame:
    """Bins of equal width, and in each the tokens of the corpus and the words of the vocabulary."""
    corpus, edges = np.histogram(norms, bins, weights=counts)
    return pd.DataFrame({"low": edges[:-1], "high": edges[1:], "corpus": corpus,
                         "vocabulary": np.histogram(norms, bins)[0]})


def main(weights: Path, tokens: Path, out: Path, bins: int = BINS) -> None:
    """Write the histogram, after which weights and how long a corpus it is of, into a new file."""
    if out.exists():
        raise InputError(f"out: expected a new file, {out} exists")
    norms = embedding_norms(weights)
    counts = token_counts(tokens, len(norms))
    heading = (f"# weights: SHA-256 {checksum(weights)}, {len(norms)} tokens\n"
               f"# corpus: {tokens.name}, {counts.sum()} tokens\n")
    write_text(out, heading + norm_histogram(norms, counts, bins).to_csv(index=False, float_format="%.6g"))


if __name__ == "__main__":
    command(main)
