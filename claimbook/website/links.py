"""Links from each "claim N" to the page of that claim."""

import re

from docutils import nodes

NAMED = re.compile(r"\b([Cc]laims?\s+)(\d+(?:(?:,\s+and|,|\s+and|\s+to)\s+\d+)*)")


def number_places(text: str, known: set[str]):
    """Where the numbers of known claims stand in a text, and these numbers."""
    for match in NAMED.finditer(text):
        for number in re.finditer(r"\d+", match[2]):
            if number[0] in known:
                yield match.start(2) + number.start(), number[0]


def linked(text: str, known: set[str], address) -> list:
    """The nodes of a text in which each number of a known claim is a link.

    address: from a claim's number to where its page is.
    """
    found, end = [], 0
    for start, number in number_places(text, known):
        found += [nodes.Text(text[end:start]),
                  nodes.reference("", number, refuri=address(number), internal=True)]
        end = start + len(number)
    return [*found, nodes.Text(text[end:])]


def linked_html(html: str, known: set[str], address) -> str:
    """HTML in which each number of a known claim is a link, but for text that is in a link already."""
    pieces, inside = re.split(r"(<[^>]*>)", html), False
    for place, piece in enumerate(pieces):
        if piece.startswith("<"):
            inside = piece.startswith("<a ") or inside and piece != "</a>"
        elif not inside:
            for start, number in reversed(list(number_places(piece, known))):
                piece = (f'{piece[:start]}<a href="{address(number)}">{number}</a>'
                         f"{piece[start + len(number):]}")
            pieces[place] = piece
    return "".join(pieces)
