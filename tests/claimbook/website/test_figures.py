"""Figures have their captions, and the first figure of a page is found."""

import json

import pytest

from claimbook.records.errors import InputError
from claimbook.website.figures import figure_first, first_figure, with_captions


def test_a_figure_has_the_caption_and_the_text_that_stand_behind_it():
    cells = [cell for text in ("A.", "B.") for cell in (
        {"metadata": {"tags": ["figure"]}},
        {"metadata": {"tags": ["caption"]}, "source": [f"{text}\n", "\n", "Alt text: Two\n", "lines."]})]
    drawn = with_captions("causal_lm/sample", [{"metadata": {}}, *cells])[1:]
    assert [cell["metadata"]["mystnb"]["image"]["alt"] for cell in drawn] == ["Two lines."] * 2
    first, second = (cell["metadata"]["mystnb"]["figure"] for cell in drawn)
    assert (first["caption"], second["caption"]) == ("A.", "B.") and first["name"] != second["name"]


def test_the_first_figure_of_a_notebook(page):
    path = page("") / "sample.ipynb"
    drawn = [{"data": {"image/svg+xml": ["<svg>", text]}} for text in ("one", "two")]
    path.write_text(json.dumps({"cells": [{}, {"outputs": [{"text": "none"}, *drawn]}]}), "utf-8")
    assert first_figure("causal_lm/sample") == "<svg>one"
    path.write_text(json.dumps({"cells": [{"outputs": []}]}), "utf-8")
    with pytest.raises(InputError, match="sample.ipynb: "):
        first_figure("causal_lm/sample")


def markdown(*paragraphs) -> dict:
    return {"cell_type": "markdown", "id": paragraphs[0], "metadata": {}, "source": "\n\n".join(paragraphs)}


def code(source, *tags) -> dict:
    drawn = {"mystnb": {"figure": {"caption": "C."}}} if "figure" in tags else {}
    return {"cell_type": "code", "id": source, "metadata": {"tags": list(tags)} | drawn,
            "source": source, "outputs": [{"text": f"output of {source}"}]}


def test_a_heading_with_nothing_below_it_goes():
    bare = [markdown("# Title", "The question.", "In short."), markdown("Settings.", "## Figure"),
            code("draw", "figure")]
    sources = lambda *more: [cell["source"] for cell in figure_first([*bare, *more])]
    assert "Settings." in sources() and "Settings." in sources(markdown("## Numbers"))
    assert "Settings.\n\n## About the figure" in sources(markdown("Left: errors."))


def test_the_first_figure_comes_after_the_opening_paragraph():
    drawn = code("draw", "figure"), code("draw more", "figure")
    cells = [markdown("# Title", "The question.", "In short.", "More."), code("compute"),
             markdown("Settings.", "## Figure", "Left: errors."), drawn[0], markdown("Bands."), drawn[1]]
    before = json.dumps(cells)
    shown = figure_first(cells)
    assert json.dumps(cells) == before
    assert [(cell["source"], len(cell.get("outputs", ()))) for cell in shown] == [
        ("# Title\n\nThe question.", 0), ("draw", 1), ("In short.\n\nMore.", 0), ("compute", 1),
        ("Settings.\n\n## About the figure\n\nLeft: errors.", 0), ("draw", 0), ("Bands.", 0),
        ("draw more", 1)]
    assert ["figure" in cell["metadata"].get("mystnb", {}) for cell in shown] == [
        False, True, False, False, False, False, False, True]
    assert len({cell["id"] for cell in shown}) == len(shown)
    assert shown[1]["metadata"]["tags"] == ["remove-input"]


def test_pages_without_a_figure_or_with_one_paragraph_stay_as_they_are():
    for cells in ([markdown("# Title", "One.", "Two."), code("compute")],
                  [markdown("# Title", "One."), code("draw", "figure")]):
        assert figure_first(cells) == cells
