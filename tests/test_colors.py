"""One color for each model, in Python and in style sheets."""

import itertools
import json
import re

import numpy as np
import pandas as pd
import pytest
from contrast import contrast, linear
from matplotlib.colors import to_rgb

from claimbook.pages.plotting import COLORS
from claimbook.records import PROJECT
from papers.colors import MODELS, color_of, dashed, marked, style_sheet

# Machado, Oliveira and Fernandes (2009), severity 1: what readers see who lack one kind of cone.
LACKING = {
    "nobody": np.eye(3),
    "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
               [-0.003882, -0.048116, 1.051998]],
    "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
               [-0.011820, 0.042940, 0.968881]],
    "tritan": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
               [0.004733, 0.691367, 0.303900]],
}


def lab(rgb) -> np.ndarray:
    """CIE Lab of linear RGB, white D65."""
    xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722],
                    [0.0193, 0.1192, 0.9505]]) @ np.clip(rgb, 0, 1)
    x, y, z = np.cbrt(xyz / [0.9505, 1, 1.089])
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("place, paper", [(0, 1.0), (1, 0.0)])
def test_lines_stand_out_from_the_paper(place, paper):
    for name, row in MODELS.items():
        assert contrast(to_rgb(row[place]), 3 * [paper]) >= 3, name


@pytest.mark.parametrize("kind", LACKING)
@pytest.mark.parametrize("place", [0, 1])
def test_models_are_told_apart_by_color_or_dash(kind, place):
    for (one, first), (other, second) in itertools.combinations(MODELS.items(), 2):
        away = np.linalg.norm(lab(np.array(LACKING[kind]) @ linear(to_rgb(first[place])))
                              - lab(np.array(LACKING[kind]) @ linear(to_rgb(second[place]))))
        assert away >= 20 or (away >= 6 and first[2] != second[2]), (one, other, kind, away)


def test_dashes_and_markers_tell_apart_what_a_paper_compares():
    for together in (("softmax", "SSA"), ("prefix", "causal"), ("GPT-2", "SGPT", "perceptron"),
                     ("softmax", "SSA", "prefix", "causal")):
        for one, other in itertools.combinations(together, 2):
            assert MODELS[one][2] != MODELS[other][2] or {one, other} == {"softmax", "prefix"}
    for together in (("softmax", "SSA"), ("prefix", "causal"), ("GPT-2", "SGPT", "perceptron", "ridge")):
        assert len({marked(name)["marker"] for name in together}) == len(together)
    assert dashed("SSA") == {"color": color_of("SSA"), "ls": (0, (9, 3))} and dashed("softmax")["ls"] == "-"


def test_the_style_sheet_is_made_of_the_table():
    committed = (PROJECT / "book/_static/colors.css").read_text("utf-8")
    assert committed == style_sheet(), "run: python -m papers"
    assert color_of("SSA") in committed


def test_other_quantities_wear_no_model_s_color():
    for color, (name, row) in itertools.product(COLORS, MODELS.items()):
        assert np.linalg.norm(lab(linear(to_rgb(color))) - lab(linear(to_rgb(row[0])))) >= 20, (color, name)


PAGES = sorted((PROJECT / "notebooks").glob("*/*.ipynb"))
WORN = {color_of(name): name for name in MODELS}
NAMED = {"MLP": "perceptron"} | {name: name for name in MODELS}  # series by their names


def drawn(notebook) -> str:
    """The figures of a notebook, as SVG."""
    cells = json.loads(notebook.read_text("utf-8"))["cells"]
    return "".join("".join(output.get("data", {}).get("image/svg+xml", ()))
                   for cell in cells for output in cell.get("outputs", ()))


def test_figures_draw_models_in_their_colors_and_nothing_else_in_them():
    for notebook in PAGES:
        svg, page = drawn(notebook), notebook.with_suffix(".py").read_text("utf-8")
        paper = PROJECT / "papers" / notebook.parent.name / f"{notebook.stem}.py"
        worn = {name for color, name in WORN.items() if color in svg}
        told = set(re.findall(r"(?:color_of|marked|dashed)\(", page + paper.read_text("utf-8")))
        if worn:
            assert told or "STYLES" in page + paper.read_text("utf-8") or re.search(r"quantifiers|comparisons|trained\.", page), worn
        figure = PROJECT / "results" / notebook.parent.name / notebook.stem / "figure.csv"
        if told and figure.exists():
            series = set(pd.read_csv(figure).series.astype(str))
            assert {model for name, model in NAMED.items() if name in series} <= worn
