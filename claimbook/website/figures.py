"""The figures of pages: their captions and places, and the first as a picture of its own."""

import io
import json
import re
from copy import deepcopy

import pandas as pd

from claimbook.pages.names import notebooks_folder
from claimbook.records import results_folder
from claimbook.records.errors import InputError
from claimbook.records.files import read_text

NUMBERED = "Figure %s of this book."  # unlike "Figure 2", which is the paper's
PANEL = re.compile(r'(<div [^>]*data-panel="([^"]*)"[^>]*>)')


def with_captions(page: str, cells: list[dict]) -> list[dict]:
    """A page's cells, each figure with the caption and the text for who cannot see it that stand in the
    cell of text behind it, and a name, by which Sphinx numbers it."""
    found = []
    for cell in cells:
        if "caption" not in cell["metadata"].get("tags", ()):
            found.append(cell)
            continue
        caption, _, alt = re.sub(r"\s+", " ", "".join(cell["source"])).partition("Alt text: ")
        place = next(place for place in reversed(range(len(found))) if "figure" in found[place]["metadata"].get("tags", ()))
        figure = found[place] = deepcopy(found[place])
        own = figure["metadata"].setdefault("mystnb", {})
        own["image"] = own.get("image", {}) | {"alt": alt.strip()}
        own["figure"] = {"name": f"figure {page} {place}", "caption": caption.strip()}
    return found


def figure_first(cells: list[dict]) -> list[dict]:
    """A page's cells with its first figure after the opening paragraph, and its code where it was.

    A notebook can draw only what it has computed; whoever reads wants to see it first.
    """
    place = next((place for place, cell in enumerate(cells)
                  if "figure" in cell["metadata"].get("tags", ())), None)
    title, *paragraphs = "".join(cells[0]["source"]).split("\n\n")
    if place is None or len(paragraphs) < 2:
        return cells
    own, between = cells[place], cells[1:place]
    figure, code = deepcopy(own), deepcopy(own) | {"outputs": []}
    figure["metadata"]["tags"] = ["remove-input"]
    del code["metadata"]["mystnb"]["figure"]
    parts = [[title, paragraphs[0]], paragraphs[1:]]
    after = ("".join(cell["source"]) for cell in cells[place:] if cell["cell_type"] == "markdown")
    told = not next(after, "#").startswith("#")
    opening, rest = (cells[0] | {"id": name, "source": "\n\n".join(part)}
                     for name, part in zip(("opening", "rest"), parts))
    return [opening, figure | {"id": "figure"}, rest,
            *(about_the_figure(cell, told) for cell in between), code, *cells[place + 1 :]]


def about_the_figure(cell: dict, told: bool) -> dict:
    """A cell whose heading "Figure" has lost its figure: "About the figure" now. Without a word below it
    or after the figure, which `told` says, the heading goes."""
    source = "".join(cell["source"])
    if not told:
        source = re.sub(r"\n*^## Figure\s*\Z", "", source, flags=re.M)
    return cell | {"source": re.sub("^## Figure$", "## About the figure", source, flags=re.M)}


def figure_table(page: str) -> pd.DataFrame:
    """The numbers behind a page's figures, its figure.csv."""
    return pd.read_csv(io.StringIO(read_text(results_folder() / page / "figure.csv")))


def with_numbers(page: str, source: str) -> str:
    """A cell of text in which each element with data-panel holds this panel of the page's figure.csv for a
    script: an object of the series, each a list of [x, y]."""
    def numbers(element) -> str:
        own = figure_table(page).query("panel == @element[2]").groupby("series")[["x", "y"]]
        series = {name: rows.values.tolist() for name, rows in own}
        if not series:
            raise InputError(f"{page}: data-panel: expected a panel of figure.csv, got {element[2]!r}")
        told = json.dumps(series).replace("<", "\\u003c")
        return f'{element[1]}<script type="application/json">{told}</script>'

    return PANEL.sub(numbers, source)


def first_figure(page: str) -> str:
    """The first figure of a committed notebook as SVG; raises InputError where there is none."""
    path = notebooks_folder() / f"{page}.ipynb"
    for cell in json.loads(read_text(path))["cells"]:
        for output in cell.get("outputs", ()):
            if picture := output.get("data", {}).get("image/svg+xml"):
                return "".join(picture)
    raise InputError(f"{path}: expected a figure, found none")
