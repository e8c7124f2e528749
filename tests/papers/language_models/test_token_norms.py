import hashlib
import math

import numpy as np
import pandas as pd
import pytest
import torch
from safetensors.torch import save_file

from claimbook.records.errors import InputError
from papers.language_models.token_norms import embedding_norms, main, norm_histogram, token_counts

VOCABULARY, BINS = 30, 7


@pytest.fixture
def files(tmp_path):
    """A made embedding and corpus: the two paths, the table and the ids."""
    rng = np.random.default_rng(0)
    table, ids = rng.normal(size=(VOCABULARY, 4)), rng.integers(0, VOCABULARY, 1000)
    weights, tokens = tmp_path / "model.safetensors", tmp_path / "train.bin"
    save_file({"wte.weight": torch.tensor(table), "wpe.weight": torch.ones(2, 4)}, weights)
    ids.astype("<u2").tofile(tokens)
    return weights, tokens, table, ids


def plain_histogram(table, ids):
    """Norms bin by bin: edges, tokens of the corpus and of the vocabulary."""
    norms = [math.sqrt(sum(x * x for x in row)) for row in table]
    low, high = min(norms), max(norms)
    width = (high - low) / BINS
    corpus, vocabulary = [0] * BINS, [0] * BINS
    place = lambda token: min(int((norms[token] - low) / width), BINS - 1)
    for token in ids:
        corpus[place(token)] += 1
    for token in range(VOCABULARY):
        vocabulary[place(token)] += 1
    return [low + k * width for k in range(BINS + 1)], corpus, vocabulary


def test_the_command_counts_as_a_plain_loop_does(files, tmp_path):
    weights, tokens, table, ids = files
    out = tmp_path / "new" / "out.csv"
    main(weights, tokens, out, BINS)
    found = pd.read_csv(out, comment="#")
    edges, corpus, vocabulary = plain_histogram(table, ids)
    assert found.low.tolist() == pytest.approx(edges[:-1], rel=1e-5)
    assert found.high.tolist() == pytest.approx(edges[1:], rel=1e-5)
    assert found.corpus.tolist() == corpus and found.vocabulary.tolist() == vocabulary
    digest = hashlib.sha256(weights.read_bytes()).hexdigest()
    assert out.read_text("utf-8").splitlines()[:2] == [
        f"# weights: SHA-256 {digest}, 30 tokens", "# corpus: train.bin, 1000 tokens"]
    with pytest.raises(InputError, match="expected a new file"):
        main(weights, tokens, out)


def test_weights_and_tokens_of_something_else_are_refused(files):
    with pytest.raises(InputError, match="expected safetensors with one wte.weight"):
        embedding_norms(files[1])
    with pytest.raises(InputError, match="expected token ids below 29, got 29"):
        token_counts(files[1], 29)


@pytest.mark.parametrize("chunk", [1, 7, 999, 1000, 10**6])
def test_chunks_leave_no_token_out(files, chunk):
    counts = token_counts(files[1], VOCABULARY, chunk)
    assert counts.tolist() == [int((files[3] == token).sum()) for token in range(VOCABULARY)]


def test_the_embedding_may_be_in_half_precision_and_under_a_longer_name(files, tmp_path):
    table = torch.tensor(files[2]).to(torch.bfloat16)
    save_file({"transformer.wte.weight": table}, tmp_path / "half.safetensors")
    expected = [math.hypot(*row) for row in table.double().tolist()]
    assert embedding_norms(tmp_path / "half.safetensors").tolist() == pytest.approx(expected)


def test_a_norm_on_an_inner_edge_lies_above_it_and_the_largest_below_the_last():
    table = norm_histogram(np.array([1.0, 2.0, 3.0]), np.array([1, 2, 4]), 2)
    assert table.corpus.tolist() == [1, 6] and table.vocabulary.tolist() == [1, 2]
