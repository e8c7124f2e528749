"""The front page's cards: a question, the paper's claim, our answer, the figure and the verdicts."""

import re
from html import escape
from pathlib import Path

from icllib.book.figures import first_figure
from icllib.book.ledger import bar
from icllib.claims import Paper, papers
from icllib.claims.decisions import Decision
from icllib.claims.verdicts import markdown
from icllib.files import write_text


def write_front(decisions: list[Decision], folder: Path) -> None:
    """The cards and their figures."""
    for paper in papers().values():
        if paper.figure:
            picture = first_figure(f"{paper.name}/{paper.figure}")
            write_text(folder / f"{paper.name}.svg", small(picture))
    write_text(folder / "cards.md", cards(decisions))


def small(picture: str) -> str:
    """An SVG as sharp as a thumbnail needs: coordinates to a tenth of a point, no comments and no
    spaces around the letters of a path."""
    coordinates = re.compile(r'\b(?:d|x|y)="[^"]*"')
    short = lambda found: re.sub(r"\s*([A-Zz])\s*", r"\1", re.sub(r"(\.\d)\d+", r"\1", found[0]))
    return re.sub(r"\n +|<!--.*?-->", "\n", coordinates.sub(short, picture))


def cards(decisions: list[Decision]) -> str:
    """A card for each paper, two in a row where there is room, as MyST."""
    texts = [card(paper, [item for item in decisions
                          if item.claim.paper == paper.name and not item.claim.ours])
             for paper in papers().values()]
    return "::::{grid} 1 2 2 2\n:gutter: 3\n\n" + "\n".join(texts) + "::::\n"


def card(paper: Paper, decisions: list[Decision]) -> str:
    """A question with the paper's claim and our answer."""
    picture = (f"![{escape(paper.short)}: the figure that decides](_generated/{paper.name}.svg)\n\n"
               if paper.figure else "")
    return (f":::{{grid-item-card}} {markdown(paper.question)}\n:link: {paper.name}\n:link-type: doc\n"
            f":class-card: question\n\n{picture}"
            f"*The paper:* {markdown(paper.claim)}\n\n**What we found:** {markdown(paper.answer)}\n\n"
            f"{bar(decisions)}\n:::\n")
