"""Numbers and intervals as text, tables of numbers, and the legend of a figure."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from contrast import contrast
from matplotlib.colors import to_rgb

from claimbook.claims.sentences import ANYWHERE, SHARE, short, with_interval
from claimbook.pages.page import Page
from claimbook.pages.plotting import draw, draw_rows, legend_below, matrix, numbers, series
from claimbook.records.errors import InputError


@pytest.mark.parametrize("value, digits, text", [
    (0.1234, 2, "0.12"), (123.4, 2, "120"), (51500.0, 2, "52000"), (-1e-5, 3, "-1e-05"), (0.0, 2, "0"),
    (float("nan"), 2, "nan"), (4.0, 3, "4")])
def test_numbers_are_short_but_not_in_powers_of_ten(value, digits, text):
    assert short(value, digits) == text


def test_intervals_end_where_the_quantity_does():
    samples = [0.0, 0.1, 0.5]  # of shares; Student's 4.303 at two degrees of freedom
    half = 4.303 * np.std(samples, ddof=1) / 3**0.5
    rows = [series("A", "a", [0], np.array([samples]).T, "cpu", within) for within in (ANYWHERE, SHARE)]
    np.testing.assert_allclose([row.low[0] for row in rows], [0.2 - half, 0], rtol=1e-3)
    np.testing.assert_allclose([row.high[0] for row in rows], 0.2 + half, rtol=1e-3)
    assert with_interval(samples, within=SHARE) == "0.2 [0, 0.86]"
    assert with_interval(samples) == "0.2 [-0.46, 0.86]"
    close = [0.8136, 0.8138, 0.814]
    assert [with_interval(close, digits) for digits in (1, 2)] == ["0.814 [0.813, 0.814]"] * 2
    assert with_interval([0.2 - 1e-9, 0.2 + 1e-9]) == with_interval([0.2]) == "0.2"


def test_numbers_have_short_heads_and_exact_counts():
    xs = (0.08, 0.36751234, 2.0, 10, 1e5, 125893)
    table = pd.concat([series("A", "a", xs, range(6), "cpu"), series("A", "b", xs, range(6), "cpu")])
    heads = ["0.08", "0.3675", "2", "10", "100000", "125893"]
    assert list(numbers(table).columns) == heads
    named = series("A", "a", ("first", "second"), (1, 2), "cpu")
    assert list(numbers(named).columns) == ["first", "second"]
    assert numbers(named, x="place").columns.name == "place"
    both = pd.concat([named, named.assign(panel="AB"), named.assign(panel="B")])
    shown = lambda panels: list(numbers(both, panels).index.get_level_values("panel"))
    assert [shown("A"), shown(["A"]), shown("")] == [["A", "AB"], ["A"], ["A", "AB", "B"]]


def test_a_legend_below_has_the_series_of_one_panel():
    figure, (left, right) = plt.subplots(1, 2)
    left.plot([0, 1], label="shown")
    right.plot([0, 1], label="of another panel")
    legend = legend_below(left, 2)
    assert figure.legends == [legend]
    assert [text.get_text() for text in legend.get_texts()] == ["shown"]
    plt.close(figure)


@pytest.mark.parametrize("drawn", [draw, draw_rows])
def test_a_series_that_is_not_there_is_told(drawn):
    table, axes = series("A", "curve", [1, 2], [1, 2], "cpu"), plt.figure().subplots()
    for panel, name, told in (("B", "curve", "panel: "), ("A", "line", "series: ")):
        with pytest.raises(InputError, match=told):
            drawn(axes, table, panel, name)
    plt.close("all")


@pytest.mark.parametrize("style", [{}, {"cmap": "Purples"}, {"cmap": "YlOrBr", "vmin": 1.0, "vmax": 9.0}])
def test_numbers_of_a_matrix_stand_out_from_their_cells(style):
    figure, axes = plt.subplots()
    matrix(axes, pd.DataFrame(np.arange(1.0, 10).reshape(3, 3)), **style)
    figure.canvas.draw()
    for text, cell in zip(axes.texts, axes.collections[0].get_facecolors(), strict=True):
        assert contrast(to_rgb(text.get_color()), to_rgb(cell)) >= 4.5, text.get_text()
    plt.close(figure)


@pytest.mark.filterwarnings("error")
def test_a_page_is_the_same_whatever_is_set_and_its_fonts_can_be_printed(tmp_path):
    """Journals refuse Type 3 fonts; a start-up file may have set how wide a table is."""
    with pd.option_context("display.width", 60, "display.max_rows", 6, "display.precision", 2):
        Page("paper/page")
        assert [pd.get_option(f"display.{name}") for name in ("width", "max_rows", "precision")] == [80, 60, 6]
    plt.figure().text(0.5, 0.5, "text and $x^2$")
    plt.savefig(tmp_path / "figure.pdf")
    plt.close()
    written = (tmp_path / "figure.pdf").read_bytes()
    assert b"/Type3" not in written and b"/CIDFontType2" in written
