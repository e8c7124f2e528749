"""Verdicts as a page and the ledger show them: the paper's number beside ours."""

import re
from html import escape

import pandas as pd

from icllib.claims import Claim, Decision, holds, interval
from icllib.plotting import ANYWHERE, SHARE, short, with_interval


class Verdicts:
    """The claims that a page decided, each with its verdict and a table of its parts."""

    def __init__(self, decisions: list[Decision]):
        self.decisions = decisions

    def __repr__(self) -> str:
        return "\n\n".join(
            f"{name_of(item.claim)}: {item.verdict}, profile {item.profile}\n"
            + "\n".join(explained(item.claim)) + "\n" + parts_table(item).to_string()
            for item in self.decisions)

    def _repr_html_(self) -> str:
        return "\n".join(
            f"<p><strong>{escape(name_of(item.claim))}</strong> {badge(item.verdict)} "
            f"at profile {item.profile}<br>"
            + "<br>".join(typeset(line) for line in explained(item.claim)) + "</p>\n"
            + parts_table(item).to_html(classes="verdicts", border=0)
            for item in self.decisions)


def typeset(text: str) -> str:
    """Text as HTML, in which MathJax shows each $...$."""
    return re.sub(r"\$(.+?)\$", r'<span class="math notranslate nohighlight">\\(\1\\)</span>',
                  escape(text, quote=False))


def badge(verdict: str) -> str:
    """A verdict in the color that the style sheet gives it."""
    return f'<span class="verdict verdict-{verdict.replace(" ", "-")}">{verdict}</span>'


def name_of(claim: Claim) -> str:
    """Its number and where the paper says so."""
    return f"Claim {claim.number} ({claim.where})"


def explained(claim: Claim) -> list[str]:
    """What a claim says, and what is judged."""
    lines = [claim.statement, f"Judged by: {claim.statistic}."]
    if not isinstance(claim.printed["value"], dict):
        lines.append(f"The paper: {printed_text(claim)}.")
    return lines


def parts_table(decision: Decision) -> pd.DataFrame:
    """What is printed and what was measured for each part, and whether it holds."""
    claim, rows = decision.claim, []
    for part, samples in decision.evidence.items():
        row = {"part": part}
        if isinstance(claim.printed["value"], dict):
            row["paper"] = printed_text(claim, part)
        rows.append(row | {"ours": ours_text(claim, part, samples), "seeds": len(samples),
                           "holds if": tolerance_text(claim, part),
                           "holds": holds(claim, part, samples)})
    return pd.DataFrame(rows).set_index("part").rename_axis(index=None, columns="part")


def printed_text(claim: Claim, part: str | None = None) -> str:
    """What the paper prints for a claim or for one of its parts, or what it should."""
    value = claim.printed["value"]
    value = value if part is None else value[part]
    value = value if isinstance(value, str) else short(value, 6)
    return f"{value} (corrected)" if claim.printed["read"] == "corrected" else value


def ours_text(claim: Claim, part: str, samples) -> str:
    """Mean and interval with 3 digits, or as many as tell them from the bounds."""
    bounds, ends = claim.region(part), interval(samples, claim.scale)
    apart = lambda digits: all(end in bounds or float(short(end, digits)) not in bounds
                               for end in ends)
    within = SHARE if claim.scale == "share" else ANYWHERE
    return with_interval(samples, next(filter(apart, (3, 4, 5)), 6), claim.scale, within)


def tolerance_text(claim: Claim, part: str) -> str:
    """The acceptance region in words."""
    (kind, size), = claim.tolerance.items()
    if kind in ("factor", "distance"):
        low, high = claim.region(part)
        return f"{short(low, 3)} to {short(high, 3)}"
    return f"{kind.replace('_', ' ')} {size:g}"
