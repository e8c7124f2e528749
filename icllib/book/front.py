"""The front page's cards: a question, the paper's claim, our answer, the figure and the verdicts."""

import base64
import json
from html import escape
from pathlib import Path

from icllib.book.ledger import bar
from icllib.book.papers import Paper, papers
from icllib.decisions import Decision
from icllib.errors import InputError
from icllib.files import write_text
from icllib.pages import notebooks_folder


def write_front(decisions: list[Decision], folder: Path) -> None:
    """The cards and their figures."""
    for paper in papers().values():
        picture = folder / f"{paper.name}.png"
        picture.parent.mkdir(parents=True, exist_ok=True)
        picture.write_bytes(first_figure(paper.figure))
    write_text(folder / "cards.md", cards(decisions))


def first_figure(page: str) -> bytes:
    """The first figure of a committed notebook as PNG; raises InputError where there is none."""
    path = notebooks_folder() / f"{page}.ipynb"
    for cell in json.loads(path.read_text())["cells"]:
        for output in cell.get("outputs", ()):
            if picture := output.get("data", {}).get("image/png"):
                return base64.b64decode("".join(picture))
    raise InputError(f"{path}: expected a figure, found none")


def cards(decisions: list[Decision]) -> str:
    """A card for each paper, two in a row where there is room, as MyST."""
    texts = [card(paper, [item for item in decisions if item.claim.paper == paper.name])
             for paper in papers().values()]
    return "::::{grid} 1 2 2 2\n:gutter: 3\n\n" + "\n".join(texts) + "::::\n"


def card(paper: Paper, decisions: list[Decision]) -> str:
    """A question with the paper's claim and our answer."""
    return (f":::{{grid-item-card}} {paper.question}\n:link: {paper.name}\n:link-type: doc\n"
            f":class-card: question\n\n"
            f"![{escape(paper.short)}: the figure that decides](_generated/{paper.name}.png)\n\n"
            f"*The paper:* {paper.claim}\n\n**What we found:** {paper.answer}\n\n"
            f"{bar(decisions)}\n:::\n")
