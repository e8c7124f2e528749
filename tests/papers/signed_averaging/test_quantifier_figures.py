"""What the pages of the quantifiers show, on made records."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from icllib.models import SignedAveraging, Softmax
from icllib.papers.signed_averaging import (
    fig02_attention_maps, fig04_every, fig05_some, quantifiers)
from icllib.papers.signed_averaging.quantifiers import AS_PRINTED, cells
from icllib.plotting import series
from icllib.results import Record, settings


def test_parts_and_ratios_are_those_of_loops():
    runs = quantifiers.compared_on_every("gpu")
    draw = np.random.default_rng(0)
    tested = lambda run: run.evaluation.parts[0]
    shape = lambda run: (len(tested(run).sigmas), len(tested(run).lengths))
    made = [Record(settings(run), {}, {"wrong": draw.random(shape(run)).tolist()}, {})
            for run in runs]
    chosen = cells("every", (AS_PRINTED,))
    errors = quantifiers.errors_by_part(made, chosen)
    ratios = quantifiers.evidence(made, chosen)
    inside = {"all lengths and sigmas": lambda s, n: True, "lengths above 40": lambda s, n: n > 40,
              "sigma above 10": lambda s, n: s > 10}
    for part, holds in inside.items():
        means = [np.mean([record.metrics["wrong"][i][j]
                          for i, s in enumerate(tested(run).sigmas)
                          for j, n in enumerate(tested(run).lengths) if holds(s, n)])
                 for run, record in zip(runs, made)]
        assert ratios[part] == pytest.approx(np.divide(means[3:], means[:3]))
        last = errors[chosen[-1]][part]
        assert last == pytest.approx(means[-3:])


def test_a_part_without_a_wrong_sequence_counts_as_half_a_sequence():
    runs = fig05_some.compared_on_some("smoke")  # 8 sequences at each of 2 sigmas and 2 lengths
    wrong = {"softmax": np.zeros((2, 2)), "SSA": np.array([[0.25, 0], [0, 0]])}
    scoring = lambda run: "SSA" if run.model.scoring == SignedAveraging() else "softmax"
    made = [Record(settings(run), {}, {"wrong": wrong[scoring(run)].tolist()}, {}) for run in runs]
    ratios = quantifiers.evidence(made, cells("some", (AS_PRINTED,)))
    assert ratios["all lengths and sigmas"] == pytest.approx([2 / 0.5] * 2)  # 2 wrong of 32
    assert ratios["sigma above 10"] == pytest.approx([1.0] * 2)  # none on either side


def test_single_numbers_are_the_first_answers_at_the_largest_sigma():
    runs, draw = fig04_every.runs("smoke"), np.random.default_rng(0)
    made = [Record(settings(run), {}, {"wrong_at": draw.random((2, 41)).tolist()}, {})
            for run in runs]
    softmax = [record.metrics["wrong_at"] for run, record in zip(runs, made)
               if run.task.law == "independent" and run.model.scoring == Softmax()
               and run.model.positions == "learned"]
    found = fig04_every.single_numbers(made, cells("every"))
    assert len(softmax) == 2
    assert {part: list(samples) for part, samples in found.items()} == {
        "sigma = 30": [wrong[1][0] for wrong in softmax]}


def test_a_share_of_the_constant_predictor_that_is_mostly_rounding_is_not_printed():
    shares = {"constant": (0.5, 9e-7, 0.0), "softmax": (0.5, 9e-7, 0.0)}
    table = pd.concat([series("some, by position, sigma = 1", name, (1, 40, 200), values, "smoke")
                       for name, values in shares.items()])
    shown = quantifiers.numbers_by_position(table)
    assert shown.values.tolist() == [["0.5", "< 1e-6", "< 1e-6"], ["0.5", "9e-07", "0"]]


def test_the_color_scale_ends_above_the_largest_share_drawn():
    draw, variants = np.random.default_rng(0), ("drawn", "not drawn")
    tables = [series(variant, name, (10, 20), 0.1 * size * draw.random(2), "smoke")
              for size, variant in enumerate(variants, 1)
              for name in ("constant", "softmax, sigma = 1", "SSA, sigma = 1")]
    table = pd.concat(tables, ignore_index=True)
    scale = quantifiers.draw_heat_maps(table, variants[:1])
    assert scale.vmax == pytest.approx(1.1 * table[table.panel == "drawn"].y.max())
    plt.close("all")


def test_softmax_beyond_the_lengths_and_inputs_of_training():
    runs, draw = fig04_every.runs("smoke"), np.random.default_rng(0)
    made = [Record(settings(run), {}, {"wrong": draw.uniform(0.1, 1, (2, 2)).tolist()}, {})
            for run in runs]
    first, second = (record.metrics["wrong"] for record in made[:2])  # softmax; sigmas 1 and 30
    second[0][1] = 0.0  # of 8 sequences
    longer = fig04_every.longer_sequences(made, cells("every"))
    assert {part: list(wrong) for part, wrong in longer.items()} == {
        f"length {n}": [first[0][1], 0.0] for n in (60, 100, 200)}  # 41 is the nearest
    ratio, = fig04_every.deviant_sequences(made, cells("every")).values()
    assert ratio == pytest.approx([first[1][1] / first[0][1], second[1][1] * 16])


def test_positions_are_averaged_by_tens():
    positions, means = quantifiers.by_tens([[*range(1, 31)], [2] * 30])
    assert positions == [*range(1, 11), 20, 30]
    assert means.tolist() == [[*range(1, 11), 15.5, 25.5], [2] * 12]
    assert quantifiers.by_tens([3, 4])[1].tolist() == [3, 4]


def test_shares_are_the_weights_that_the_last_token_gives_to_a_number():
    maps = np.zeros((3, 5, 2, 7, 7))
    maps[:, :4, 0, 6, 6], maps[:, 4, 0, 6, 4] = 0.5, 0.75
    maps[1] *= 2
    shares = [fig02_attention_maps.share(maps, example).tolist() for example in range(5)]
    assert shares == [[0.25, 0.5, 0.25]] * 4 + [[0.375, 0.75, 0.375]]
    assert fig02_attention_maps.token_names(0) == ["1", "true", "-2", "false", "3", "false", "70"]
    assert fig02_attention_maps.token_names(1)[-3:] == ["3", "true", "70"]
