"""Captions say which runs a figure shows, and the first figure of a page is found."""

import json

import pytest

from icllib.book.figures import complete_captions, first_figure, runs_shown
from icllib.errors import InputError

@pytest.fixture(autouse=True)
def afresh():
    runs_shown.cache_clear()
    yield
    runs_shown.cache_clear()


def show(results, *records) -> None:
    """A page causal_lm/sample that showed these records."""
    (results / "causal_lm/sample").mkdir(parents=True)
    (results / "causal_lm/sample/shown.json").write_text(
        json.dumps({"records": dict.fromkeys(records, "sum")}))


def test_a_caption_ends_with_the_profiles_of_the_records_that_are_shown(results):
    for profile, name in (("cpu", "a"), ("gpu", "b"), ("paper", "c")):
        path = results / f"causal_lm/other/{profile}/{name}.json"
        path.parent.mkdir(parents=True)
        path.write_text("")
    show(results, "b", "a")
    cells = [{"metadata": {"mystnb": {"figure": {"caption": text}}}} for text in ("A.", "B.")]
    complete_captions("causal_lm/sample", [{"metadata": {}}, *cells])
    first, second = (cell["metadata"]["mystnb"]["figure"] for cell in cells)
    assert first["caption"] == "A. Our runs: profile cpu and gpu."
    assert second["caption"] == "B. Our runs: profile cpu and gpu."
    assert first["name"] != second["name"]


def test_a_page_without_records_has_no_runs(results):
    assert runs_shown("causal_lm/sample") == ""
    show(results)
    runs_shown.cache_clear()
    assert runs_shown("causal_lm/sample") == ""


def test_the_first_figure_of_a_notebook(page):
    path = page("") / "sample.ipynb"
    drawn = [{"data": {"image/svg+xml": ["<svg>", text]}} for text in ("one", "two")]
    path.write_text(json.dumps({"cells": [{}, {"outputs": [{"text": "none"}, *drawn]}]}))
    assert first_figure("causal_lm/sample") == "<svg>one"
    path.write_text(json.dumps({"cells": [{"outputs": []}]}))
    with pytest.raises(InputError, match="sample.ipynb: expected a figure, found none"):
        first_figure("causal_lm/sample")
