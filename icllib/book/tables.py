"""Tables of pandas as HTML in which every heading says something."""

import re

HEAD = re.compile(r"<thead>(.*?)</thead>", re.DOTALL)
CELL = re.compile(r"<th\b[^>]*>(.*?)</th>", re.DOTALL)
EMPTY = re.compile(r"<th\b[^>]*></th>")


def tidy(html: str) -> str:
    """The names of columns and of the index in one row; cells without a heading are none."""
    return EMPTY.sub("<td></td>", HEAD.sub(in_one_row, html))


def in_one_row(head: re.Match) -> str:
    """A head of two rows as one, where no column has a text in both."""
    rows = [CELL.findall(row) for row in head[1].split("</tr>")[:-1]]
    if len(rows) != 2 or len(rows[0]) != len(rows[1]) or any(map(all, zip(*rows))):
        return head[0]
    cells = "".join(f"<th>{above or below}</th>" for above, below in zip(*rows))
    return f'<thead><tr style="text-align: right;">{cells}</tr></thead>'
