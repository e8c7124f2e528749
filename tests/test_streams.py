"""Random numbers: known answers, laws, permutations, and independence from everything else.

All seeds are fixed, so a result never changes; LEVEL is the chance that a correct generator fails.
"""

import numpy as np
import pytest
import torch
from scipy import stats

from icllib.streams import Stream, philox

LEVEL = 1e-4  # significance of each statistical test
FLOATS = (torch.float32, torch.float64)
SIZES = (1, 2, 3, 5, 7, 10, 97, 100, 1000, 1009, 12345)


def draws(law, dtype, seed=0, count=100_000):
    ids = torch.arange(count // 100)[None]
    return getattr(Stream.of([seed], "training"), law)(ids, "x", (100,), dtype).numpy().ravel()


def permutations(size, epochs, seed=0, positions=None):
    """Where each epoch's permutation sends the positions, by default all: (epochs, positions)."""
    positions = torch.arange(size) if positions is None else torch.tensor(positions)
    epoch = torch.arange(epochs).repeat_interleave(len(positions))[None]
    stream = Stream.of([seed], "training")
    images = stream.permute(positions.repeat(epochs)[None], epoch, "order", [size])
    return images.view(epochs, -1).numpy()


def mean_is(values, mean, variance):
    """Whether the mean of independent values is as expected, at the stated level."""
    deviation = (values.astype(float).mean() - mean) * (len(values) / variance) ** 0.5
    return abs(deviation) < stats.norm.isf(LEVEL / 2)


# The vectors of Random123 1.14 (kat_vectors, philox4x32 with 10 rounds).
@pytest.mark.parametrize("counter, key, expected", [
    ("00000000 00000000 00000000 00000000", "00000000 00000000", "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    ("ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff", "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    ("243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0", "d16cfe09 94fdcceb 5001e420 24126ea1")])
def test_philox_known_answers(counter, key, expected):
    words = lambda text: tuple(torch.tensor(int(word, 16)) for word in text.split())
    assert philox(words(counter), words(key)) == words(expected)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("law, reference", [("uniform", "uniform"), ("normal", "norm")])
def test_law_by_kolmogorov_smirnov(law, reference, dtype):
    values = draws(law, dtype)
    assert values.dtype == str(dtype).split(".")[1]
    assert stats.kstest(values.astype(float), reference).pvalue > LEVEL


@pytest.mark.parametrize("dtype", FLOATS)
def test_moments(dtype):
    centred = draws("uniform", dtype) - 0.5
    assert mean_is(centred, 0, 1 / 12)
    assert mean_is(centred**2, 1 / 12, 1 / 80 - 1 / 144)
    assert mean_is(centred**4, 1 / 80, 1 / 2304 - 1 / 6400)
    normal = draws("normal", dtype)
    assert mean_is(normal, 0, 1)
    assert mean_is(normal**2, 1, 2)
    assert mean_is(normal**4, 3, 96)  # the kurtosis
    assert stats.kurtosistest(normal).pvalue > LEVEL


@pytest.mark.parametrize("dtype, bits", [(torch.float32, 12), (torch.float64, 26), (torch.float64, 40)])
def test_low_bits_are_uniform_and_independent_of_the_high_ones(dtype, bits):
    values = draws("uniform", dtype).astype(float)
    low = values * 2**bits % 1
    assert stats.kstest(low, "uniform").pvalue > LEVEL
    assert stats.pearsonr(values, low).pvalue > LEVEL


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("word", [0, 2**32 - 1])
def test_extreme_words_give_open_interval_and_finite_normals(word, dtype, monkeypatch):
    monkeypatch.setattr(Stream, "words", lambda self, ids, name, count: torch.full((*ids.shape, count), word))
    stream, ids = Stream.of([0], "training"), torch.zeros(1, 1, dtype=torch.int64)
    assert 0 < stream.uniform(ids, "x", (), dtype) < 1
    assert stream.normal(ids, "x", (2,), dtype).isfinite().all()


@pytest.mark.parametrize("high", [2, 7, 10, 1000])
def test_integers_by_chi_square(high):
    values = Stream.of([0], "training").integers(torch.arange(1000)[None], "x", high, (100,))
    counts = np.bincount(values.flatten(), minlength=high)
    assert len(counts) == high
    assert stats.chisquare(counts).pvalue > LEVEL


@pytest.mark.parametrize("size", SIZES)
def test_permutation_is_a_bijection_in_every_epoch(size):
    for permutation in permutations(size, 5):
        assert sorted(permutation) == list(range(size))


@pytest.mark.parametrize("size", (5, 8, 10, 97, 100))
def test_every_position_goes_everywhere_equally_often(size):
    for images in permutations(size, 40 * size, 0, [0, 1, size // 2, size - 1]).T:
        counts = np.bincount(images, minlength=size)
        assert stats.chisquare(counts).pvalue > LEVEL


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("law", ["uniform", "normal"])
def test_numbers_do_not_depend_on_the_company_they_keep(law, dtype):
    seeds, ids = [5, 9, 2**32 - 1], torch.arange(13)
    draw = lambda seeds, ids: getattr(Stream.of(seeds, "training"), law)(
        ids.expand(len(seeds), -1), "x", (3, 5), dtype)
    fleet = draw(seeds, ids)
    chosen = torch.tensor([12, 3, 7])
    for member, seed in enumerate(seeds):
        assert torch.equal(draw([seed], ids)[0], fleet[member])
        assert torch.equal(draw([seed], chosen)[0], fleet[member, chosen])
    assert torch.equal(draw(seeds[::-1], ids), fleet.flip(0))


def test_neighbors_are_uncorrelated():
    base, ids = Stream.of([0], "training"), torch.arange(5000)[None]
    draw = lambda stream, ids, name: stream.normal(ids, name, (20,)).flatten()
    x = draw(base, ids, "x")
    neighbors = {
        "index": x.view(-1, 20).roll(1, dims=1).flatten(), "id": draw(base, ids + 1, "x"),
        "far id": draw(base, ids + 2**32, "x"), "seed": draw(Stream.of([1], "training"), ids, "x"),
        "name": draw(base, ids, "y"), "purpose": draw(Stream.of([0], "evaluation"), ids, "x"), }
    for name, other in neighbors.items():
        for f in (lambda values: values, torch.square):
            assert stats.pearsonr(f(x), f(other)).pvalue > LEVEL, name


def test_purposes_share_no_blocks_of_words():
    """Blocks of four words: single 32-bit words of 64k draws meet by chance, 128 bits do not."""
    ids = torch.arange(1024)[None]
    blocks = [
        {tuple(block) for block in
         Stream.of([seed], purpose).words(ids, name, 64).view(-1, 4).tolist()}
        for seed in (0, 1) for purpose in ("training", "evaluation", "initialization")
        for name in ("xs", "weights")
    ]
    assert all(len(block) == 2**14 for block in blocks)
    assert len(set.union(*blocks)) == len(blocks) * 2**14


def test_large_ids():
    base = torch.arange(100)
    ids = torch.stack([base, base + 2**32, base + 2**40, base + 2**62]).view(1, -1)
    words = Stream.of([0], "training").words(ids, "x", 4)[0]
    assert len({tuple(block) for block in words.tolist()}) == 400
    longer = Stream.of([0, 0], "training").words(ids.expand(2, -1), "x", 7)
    assert torch.equal(words, longer[1, :, :4])
