import hashlib
import math

import numpy as np
import pandas as pd
import pytest
import torch
from safetensors.torch import save_file

from claimbook.records.errors import InputError
from icllib.data import checksum
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


def arguments(weights, tokens, out, *more):
    return ["--weights", str(weights), "--tokens", str(tokens), "--out", str(out), *more]


def test_the_command_counts_as_a_plain_loop_does(files, tmp_path, capsys):
    weights, tokens, table, ids = files
    out = tmp_path / "new" / "out.csv"
    digest = hashlib.sha256(weights.read_bytes()).hexdigest()
    main(arguments(weights, tokens, out, "--bins", str(BINS), "--sha256", digest.upper()))
    found = pd.read_csv(out, comment="#")
    edges, corpus, vocabulary = plain_histogram(table, ids)
    assert found.low.tolist() == pytest.approx(edges[:-1], rel=1e-5)
    assert found.high.tolist() == pytest.approx(edges[1:], rel=1e-5)
    assert found.corpus.tolist() == corpus and found.vocabulary.tolist() == vocabulary
    heading = out.read_text("utf-8").splitlines()[:2]
    assert heading == [f"# weights: SHA-256 {digest}, 30 tokens", "# corpus: train.bin, 1000 tokens"]
    assert capsys.readouterr().out.splitlines() == heading


@pytest.mark.parametrize("chunk", [1, 7, 999, 1000, 10**6])
def test_chunks_leave_no_token_out(files, chunk):
    counts = token_counts(files[1], VOCABULARY, chunk)
    assert counts.tolist() == [int((files[3] == token).sum()) for token in range(VOCABULARY)]


def test_a_vocabulary_beyond_16_bits_has_counts_of_zero_there(files):
    counts = token_counts(files[1], 70_000)
    assert len(counts) == 70_000 and counts[VOCABULARY:].sum() == 0 and counts.sum() == 1000


def test_the_embedding_may_be_in_half_precision_and_under_a_longer_name(files, tmp_path):
    table = torch.tensor(files[2]).to(torch.bfloat16)
    save_file({"transformer.wte.weight": table}, tmp_path / "half.safetensors")
    expected = [math.hypot(*row) for row in table.double().tolist()]
    assert embedding_norms(tmp_path / "half.safetensors").tolist() == pytest.approx(expected)


def test_counts_too_large_for_floats_stay_exact():
    table = norm_histogram(np.array([1.0, 1.0, 2.0]), np.array([2**53, 1, 5]), 2)
    assert table.corpus.tolist() == [2**53 + 1, 5] and table.vocabulary.tolist() == [2, 1]


def test_a_norm_on_an_inner_edge_lies_above_it_and_the_largest_below_the_last():
    table = norm_histogram(np.array([1.0, 2.0, 3.0]), np.array([1, 2, 4]), 2)
    assert table.corpus.tolist() == [1, 6] and table.vocabulary.tolist() == [1, 2]


def test_equal_norms_lie_in_one_bin():
    table = norm_histogram(np.ones(3), np.array([1, 2, 3]), 4)
    assert table.corpus.sum() == 6 and (table.corpus > 0).sum() == 1


def test_an_id_outside_the_vocabulary_is_refused(files):
    with pytest.raises(InputError, match="expected token ids below 29, got 29"):
        token_counts(files[1], VOCABULARY - 1)


@pytest.mark.parametrize("content", [b"", b"abc"])
def test_a_file_without_16_bit_ids_is_refused(tmp_path, content):
    (tmp_path / "bad.bin").write_bytes(content)
    with pytest.raises(InputError, match=f"tokens of two bytes, got {len(content)} bytes"):
        token_counts(tmp_path / "bad.bin", 5)


def test_weights_that_are_none_are_refused(tmp_path):
    (tmp_path / "bad").write_bytes(b"no tensors here")
    with pytest.raises(InputError, match="expected a safetensors file"):
        embedding_norms(tmp_path / "bad")
    save_file({"wpe.weight": torch.ones(2, 2)}, tmp_path / "other")
    with pytest.raises(InputError, match=r"expected one tensor wte.weight, got \[\]"):
        embedding_norms(tmp_path / "other")


def test_a_checksum_is_that_of_the_bytes(tmp_path):
    (tmp_path / "abc").write_bytes(b"abc")
    known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"  # FIPS 180-2
    assert checksum(tmp_path / "abc") == checksum(tmp_path / "abc", known) == known


@pytest.mark.parametrize("change, words", [
    (["--sha256", "0" * 64], "expected SHA-256 0000"), (["--weights", "nowhere"], "expected a file"),
    (["--tokens", "nowhere"], "expected a file of token ids"),
    (["--bins", "0", "--tokens", "nowhere"], "bins: expected an integer of at least 1, got 0")])
def test_bad_input_ends_the_command_and_writes_nothing(files, tmp_path, change, words, capsys):
    out = tmp_path / "out.csv"
    with pytest.raises(SystemExit) as ended:
        main(arguments(*files[:2], out, *change))
    assert ended.value.code == 2 and words in capsys.readouterr().err
    assert not out.exists()


def test_a_file_that_exists_is_not_overwritten(files, tmp_path, capsys):
    out = tmp_path / "out.csv"
    out.write_text("kept", "utf-8")
    with pytest.raises(SystemExit):
        main(arguments(*files[:2], out))
    assert "expected a new file" in capsys.readouterr().err and out.read_text("utf-8") == "kept"
