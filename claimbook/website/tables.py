"""Tables of pandas as HTML in which every heading says something and symbols are typeset."""

import re

from claimbook.claims.verdicts import with_symbols

HEAD = re.compile(r"<thead>(.*?)</thead>", re.DOTALL)
CELL = re.compile(r"<th\b[^>]*>(.*?)</th>", re.DOTALL)
ANY_CELL = re.compile(r"<t([dh])\b.*?</t\1>", re.DOTALL)
MARKUP = re.compile(r"(<[^>]*>|\\\(.*?\\\))")
NUMBER = re.compile(r"\d[\d.]*e-\d+")
EMPTY = re.compile(r"<th\b[^>]*></th>")


def tidy(html: str) -> str:
    """A table with one row of headings, none of them empty, and with symbols for names such as psi_L."""
    return ANY_CELL.sub(with_letters, EMPTY.sub("<td></td>", HEAD.sub(in_one_row, html)))


def with_letters(cell: re.Match) -> str:
    """A cell whose symbols are typeset, but for formulas, which MathJax shows."""
    pieces = MARKUP.split(cell[0])
    pieces[::2] = [with_symbols(unbroken(piece)) for piece in pieces[::2]]
    return "".join(pieces)


def unbroken(text: str) -> str:
    """A text in which no line ends within 5.2e-05 or beside the sign of "sigma = 1", and a yes is no True."""
    text = NUMBER.sub(r'<span class="number">\g<0></span>', re.sub(" ([=±]) ", r"&nbsp;\1&nbsp;", text))
    return {"True": "yes", "False": "no"}.get(text, text)


def in_one_row(head: re.Match) -> str:
    """A head of two rows as one, where no column has a text in both."""
    rows = [CELL.findall(row) for row in head[1].split("</tr>")[:-1]]
    if len(rows) != 2 or len(rows[0]) != len(rows[1]) or any(map(all, zip(*rows))):
        return head[0]
    cells = "".join(f"<th>{above or below}</th>" for above, below in zip(*rows))
    return f'<thead><tr style="text-align: right;">{cells}</tr></thead>'
