"""Figure 8: a histogram of the norms of the token embeddings in a corpus.

    python -m papers.language_models.token_norms \
        --weights model.safetensors --tokens train.bin --out FILE.csv

The embedding is the tensor `wte.weight` of GPT-2. The corpus is a flat file of 16-bit token ids,
as the data preparation of nanoGPT writes it for OpenWebText.
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
import torch

from claimbook.records.checks import integer
from claimbook.records.errors import InputError
from claimbook.records.files import write_text
from icllib.data import checksum, open_token_ids

EMBEDDING = "wte.weight"  # in the checkpoints of GPT-2, with or without "transformer." before it
CHUNK = 2**20  # tokens read at a time
BINS = 100  # ASSUMED: the paper does not say


def embedding_norms(weights: Path) -> np.ndarray:
    """The Euclidean norm of each token's embedding: (vocabulary,).

    Raises InputError for a file that is not safetensors or does not have one table of embeddings.
    """
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(weights, framework="pt") as file:
            tables = [file.get_tensor(name) for name in file.keys() if name.endswith(EMBEDDING)]
    except (SafetensorError, OSError) as error:
        raise InputError(f"{weights}: expected a safetensors file ({error})") from None
    if [table.dim() for table in tables] != [2]:
        raise InputError(f"{weights}: expected one {EMBEDDING} of (vocabulary, width), got "
                         f"{[tuple(table.shape) for table in tables]}")
    return torch.linalg.vector_norm(tables[0].double(), dim=1).numpy()


def token_counts(tokens: Path, vocabulary: int, chunk: int = CHUNK) -> np.ndarray:
    """How often each token stands in a file of ids: (vocabulary,).

    Raises InputError as `open_token_ids` does, and for an id outside the vocabulary.
    """
    ids = open_token_ids(tokens)
    counts = np.zeros(max(vocabulary, 2**16), dtype=np.int64)
    for start in range(0, len(ids), chunk):
        counts += np.bincount(ids[start : start + chunk], minlength=len(counts))
    if counts[vocabulary:].any():
        largest = int(np.flatnonzero(counts).max())
        raise InputError(f"{tokens}: expected token ids below {vocabulary}, got {largest}")
    return counts[:vocabulary]


def norm_histogram(norms, counts, bins: int = BINS) -> pd.DataFrame:
    """Bins of equal width from the smallest norm to the largest, and the number of tokens in each.

    `corpus` counts all tokens of the corpus, `vocabulary` each kind of token once; the last bin
    includes its upper edge. norms, counts: (vocabulary,). Raises InputError for no bins.
    """
    integer(bins=bins)
    corpus, edges = np.histogram(norms, bins, weights=counts)
    return pd.DataFrame({"low": edges[:-1], "high": edges[1:], "corpus": corpus,
                         "vocabulary": np.histogram(norms, bins)[0]})


def main(arguments: list[str] | None = None) -> None:
    """Write the histogram; bad input ends the command with exit code 2."""
    parser = argparse.ArgumentParser(prog="python -m papers.language_models.token_norms",
                                     description=__doc__.splitlines()[0])
    parser.add_argument("--weights", type=Path, required=True, help="GPT-2's model.safetensors")
    parser.add_argument("--sha256", help="of the weights, if it is known; it is written out anyway")
    parser.add_argument("--tokens", type=Path, required=True, help="file of 16-bit token ids")
    parser.add_argument("--out", type=Path, required=True, help="a new CSV file")
    parser.add_argument("--bins", type=int, default=BINS, help=f"default: {BINS}")
    given = parser.parse_args(arguments)
    try:
        if given.out.exists():
            raise InputError(f"out: expected a new file, {given.out} exists")
        integer(bins=given.bins)  # before minutes of counting
        found = checksum(given.weights, given.sha256)
        norms = embedding_norms(given.weights)
        counts = token_counts(given.tokens, len(norms))
    except InputError as error:
        parser.error(str(error))
    heading = (f"# weights: SHA-256 {found}, {len(norms)} tokens\n"
               f"# corpus: {given.tokens.name}, {counts.sum()} tokens\n")
    table = norm_histogram(norms, counts, given.bins)
    write_text(given.out, heading + table.to_csv(index=False, float_format="%.6g"))
    print(heading, end="")


if __name__ == "__main__":
    main()
