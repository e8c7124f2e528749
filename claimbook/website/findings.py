"""Findings: pages of a minute each, with one figure drawn from the records of another page.

book/findings/NAME.md names that page in its head (`figure: paper/page`); NAME(axes, table) of
papers/findings.py draws the figure from its figure.csv. It is also what a link to the page shows elsewhere.
"""

import re
import textwrap
from html import escape
from importlib import import_module
from pathlib import Path

import matplotlib.pyplot as plt

from claimbook.pages.plotting import as_svg, use_style
from claimbook.records.errors import InputError
from claimbook.records.files import PROJECT, read_text, read_yaml, write_text
from claimbook.website.contents import pages_of_contents
from claimbook.website.figures import figure_table
from claimbook.website.front import grid
from claimbook.website.previews import save_picture

PAGE = re.compile(r"---\n(?P<head>.*?)---\n# (?P<title>[^\n]+)\n", re.DOTALL)


def write_findings(folder: Path) -> None:
    """The figures, their previews and cards, in the order of the contents; none without findings."""
    cards = {}
    for path in (PROJECT / f"{name}.md" for name in pages_of_contents() if name.startswith("book/findings/")):
        found = PAGE.match(read_text(path))
        if not (page := found and read_yaml(found["head"]).get("figure")):
            raise InputError(f"{path}: expected a head with figure: PAPER/PAGE and a title, got none")
        use_style()
        plt.rcParams.update({"font.size": 12, "legend.fontsize": 11})
        write_text(folder / f"findings/{path.stem}.svg", as_svg(drawn(path.stem, page, (5.6, 3.4))))
        plt.rcParams.update({"font.size": 17, "legend.fontsize": 15})
        figure = drawn(path.stem, page, (12, 6.3))
        figure.suptitle(textwrap.fill(found["title"], 52), fontsize=28)
        save_picture(figure, folder / f"served/previews/{path.stem}.png")
        cards[f"findings/{path.stem}"] = escape(found["title"]), f"![](_generated/findings/{path.stem}.svg)"
    write_text(folder / "findings.md", grid(cards))


def drawn(name: str, page: str, size: tuple[float, float]):
    """The figure of a finding, in inches."""
    figure, axes = plt.subplots(figsize=size)
    getattr(import_module("papers.findings"), name)(axes, figure_table(page))
    return figure
