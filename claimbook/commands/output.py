"""What the command line prints: rows as a table or as JSON, a claim with its numbers."""

import json
import sys
import textwrap
from dataclasses import dataclass

import typer


@dataclass(frozen=True)
class State:
    """A page at a profile; profile "stored" is the committed notebook itself."""

    paper: str
    page: str
    profile: str
    state: str  # fresh, stale or missing; unknown after an error, and where Jupyter is missing
    reason: str
    cost: str  # what making the missing and stale records is estimated to take


def show(rows: list[dict], as_json: bool, narrow, nothing: str = "", piped=dict) -> None:
    """Print rows as JSON or as a table, or `nothing` where there are none. On a terminal `narrow` makes the
    cells of a row, the last of which is wrapped; in a pipe `piped` does, and a row is one line."""
    if as_json or not rows:
        typer.echo(json.dumps(rows, indent=1, allow_nan=False) if as_json else nothing)
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    on_terminal = sys.stdout is not None and sys.stdout.isatty()  # None: closed
    rows = [narrow(row) if on_terminal else piped(row) for row in rows]
    table = Table(box=None, pad_edge=False, header_style="bold")
    for place, name in enumerate(rows[0], 1):
        table.add_column(name, no_wrap=place < len(rows[0]), overflow="fold")
    for row in rows:
        table.add_row(*(Text("" if value is None else str(value)) for value in row.values()))
    console = Console(highlight=False)
    if not on_terminal:
        console.width = console.measure(table, options=console.options.update(width=10_000)).maximum
    console.print(table)


def in_full(item) -> str:
    """A claim with its numbers beside the printed ones, in lines of at most 100 characters but for tables."""
    from claimbook.claims.verdicts import Verdicts, explained, name_of, printed_text

    claim, lines = item.claim, [item.claim.id]
    if item.evidence:
        lines += repr(Verdicts([item])).splitlines()
    else:
        parts = claim.parts if isinstance(claim.printed["value"], dict) else ()
        lines += [f"{name_of(claim)}: {item.words}", *explained(item), *filter(None, [claim.not_run]),
                  *(f"The paper, {part}: {printed_text(claim, part)}." for part in parts)]
    return "\n".join(line if "  " in line else textwrap.fill(line, 100) for line in lines)
