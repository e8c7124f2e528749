"""The front page's cards, of papers and of findings, and the figures on them."""

import re
import textwrap
from html import escape
from importlib import import_module
from pathlib import Path

import matplotlib.pyplot as plt

from claimbook.claims import Paper, papers
from claimbook.claims.decisions import Decision
from claimbook.claims.verdicts import markdown
from claimbook.pages.plotting import as_svg, use_style
from claimbook.records.errors import InputError
from claimbook.records.files import PROJECT, read_text, read_yaml, write_text
from claimbook.website.contents import pages_of_contents
from claimbook.website.figures import figure_table, first_figure
from claimbook.website.ledger import bar
from claimbook.website.previews import save_picture

FINDING = re.compile(r"---\n(?P<head>.*?)---\n# (?P<title>[^\n]+)\n", re.DOTALL)


def write_front(decisions: list[Decision], folder: Path) -> None:
    """The cards and their figures."""
    for paper in papers().values():
        if paper.figure:
            write_text(folder / f"{paper.name}.svg", small(figure_of(paper)))
    write_text(folder / "cards.md", cards(decisions))


def figure_of(paper: Paper) -> str:
    """What the page's module draws for a card (`draw_card`) as SVG, or else the page's first figure."""
    page = f"{paper.name}/{paper.figure}"
    module = import_module(f"papers.{page.replace('/', '.')}")
    if not hasattr(module, "draw_card"):
        return first_figure(page)
    use_style()
    # So small that its labels can be read at the width of a card on a phone.
    plt.rcParams.update({"font.size": 12, "legend.fontsize": 12})
    figure, axes = plt.subplots(figsize=(4.2, 2.0))
    module.draw_card(axes, figure_table(page))
    axes.legend(labelspacing=0.2)
    return as_svg(figure, **{"savefig.bbox": None})


def small(picture: str) -> str:
    """An SVG as sharp as a thumbnail needs: to a tenth of a point, without comments and needless spaces."""
    coordinates = re.compile(r'\b(?:d|x|y)="[^"]*"')
    short = lambda found: re.sub(r"\s*([A-Zz])\s*", r"\1", re.sub(r"(\.\d)\d+", r"\1", found[0]))
    return re.sub(r"\n +|<!--.*?-->", "\n", coordinates.sub(short, picture))


def cards(decisions: list[Decision]) -> str:
    """A card for each paper."""
    texts = {}
    for paper in papers().values():
        own = [item for item in decisions if item.claim.paper == paper.name and not item.claim.ours]
        picture = (f"![{escape(paper.short)}: the figure that decides](_generated/{paper.name}.svg)\n\n"
                   if paper.figure else "")
        texts[paper.name] = (markdown(paper.question), f"{picture}*The paper:* {markdown(paper.claim)}\n\n"
                             f"**What we found:** {markdown(paper.answer)}\n\n{bar(own)}")
    return grid(texts)


def grid(texts: dict[str, tuple[str, str]]) -> str:
    """Cards, two in a row where there is room, as MyST. texts: page that it links to -> title and text."""
    cards = [f":::{{grid-item-card}} {title}\n:link: {page}\n:link-type: doc\n:class-card: question\n\n{text}\n:::\n"
             for page, (title, text) in texts.items()]
    return "::::{grid} 1 2 2 2\n:gutter: 3\n\n" + "\n".join(cards) + "::::\n"


def write_findings(folder: Path) -> None:
    """Of each finding, a page of a minute with one figure: figure, preview and card, in the contents' order.

    book/findings/NAME.md names a page in its head (`figure: paper/page`); NAME(axes, table) of
    papers/findings.py draws the figure from this page's figure.csv.
    """
    cards = {}
    for path in (PROJECT / f"{name}.md" for name in pages_of_contents() if name.startswith("book/findings/")):
        found = FINDING.match(read_text(path))
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
