"""Verdicts as a page and the ledger show them: the paper's number beside ours."""

import re
from html import escape, unescape
from itertools import chain

import numpy as np
import pandas as pd

from claimbook.claims import Claim
from claimbook.claims.controls import CONTROLS
from claimbook.claims.decisions import Decision
from claimbook.claims.rule import STATES, interval
from claimbook.claims.sentences import ANYWHERE, SHARE, competence, sentence, short, with_interval


class Verdicts:
    """The claims that a page decided, each with its verdict and a table of its parts."""

    def __init__(self, decisions: list[Decision]):
        self.decisions = decisions

    def __repr__(self) -> str:
        return "\n\n".join(
            "\n".join([f"{name_of(item.claim)}: {item.words}, profile {item.profile}",
                       *explained(item), *[parts_table(item).to_string()] * counts(item)])
            for item in self.decisions)

    def _repr_html_(self) -> str:
        return "\n".join(
            f"<p><strong>{escape(name_of(item.claim))}</strong> {badge(item)}<br>"
            + "<br>".join(typeset(line) for line in explained(item)) + "</p>\n"
            + parts_table(item).to_html(classes="verdicts", border=0) * counts(item)
            for item in self.decisions)


GREEK = ("[Ll]ambda|[Ss]igma|[Pp]si|[Pp]hi|[Dd]elta|[Gg]amma|alpha|beta|epsilon|eta|theta|kappa|mu|pi"
         "|rho|tau|omega|[α-ωΓ-Ω]")
MARKED = re.compile(r'<span class="math[^>]*>[^<]*</span>[,.;:!?)]+')  # must stay on one line
SYMBOL = re.compile(rf"(?<![\w.])({GREEK}|[A-Za-z](?=[_^]))(?:_(\w+))?(?:\^(\w+))?(?![\w(])")


def typeset(text: str) -> str:
    """Text as HTML: each $...$ for MathJax, and names such as psi_L elsewhere as symbols.

    What a formula may do, _config.yml lists; MathJax looks for none outside of what has this class.
    """
    pieces = re.split(r"\$(.+?)\$", escape(text, quote=False))
    pieces[::2] = map(with_symbols, pieces[::2])
    pieces[1::2] = [rf'<span class="math notranslate nohighlight">\({piece}\)</span>'
                    for piece in pieces[1::2]]
    return MARKED.sub(r'<span class="unbroken">\g<0></span>', "".join(pieces))


def markdown(text: str) -> str:
    """Text as one line of Markdown without HTML, links and roles; its formulas and its emphasis stay."""
    pieces = re.split(r"\$(.+?)\$", " ".join(text.replace("`", "'").split()))
    pieces[::2] = [piece.replace("<", "&lt;").replace("](", "]&#40;") for piece in pieces[::2]]
    pieces[1::2] = [f"${piece.replace('<', chr(92) + 'lt ').replace('](', ']{}(')}$"
                    for piece in pieces[1::2]]
    return "".join(pieces)


def with_symbols(text: str) -> str:
    """Names such as psi_L and sigma^2 as HTML: a Greek letter, an index, a power."""
    def symbol(name: re.Match) -> str:
        letter, index, power = name.groups()
        return (f"<i>{unescape(f'&{letter};') if len(letter) > 1 else letter}</i>"
                + (f"<sub>{index}</sub>" if index else "") + (f"<sup>{power}</sup>" if power else ""))

    return SYMBOL.sub(symbol, text)


def badge(decision: Decision, words: str | None = None, bar: bool = True) -> str:
    """A verdict as HTML, in its color of the style sheet, with its meaning as a tooltip.

    words: by default verdict and size. bar: whether one follows with a piece for each of several parts.
    """
    states = sorted(map(decision.state, decision.claim.judged), key=STATES.index)
    pieces = "".join(f'<i class="part-{state.replace(" ", "-")}"></i>' for state in states)
    parts = f'<span class="parts" aria-hidden="true">{pieces}</span>' * (bar and len(states) > 1)
    return (f'<span class="verdict verdict-{decision.verdict.replace(" ", "-")}" '
            f'title="{escape(meaning(decision))}">{words or decision.words}{parts}</span>')


MEANINGS = {
    "holds": "every part says yes: its 95% interval lies in the region that the claim states",
    "holds in part": "some parts say yes; the others are undecided or not tested",
    "mixed": "some parts say yes, others no or no difference",
    "fails": "every part says no: its 95% interval lies outside the region that the claim states",
    "fails in part": "some parts say no and none yes",
    "no difference": "every part excludes a difference beyond the margin",
    "no difference in part": "some parts exclude a difference beyond the margin; none says yes or no",
    "undecided": "the spread is too wide to say",
    "not tested": "nothing was run, too few models have learned, or none is what the sentence names",
    "exact": "a proof or a closed form, checked numerically",
    "paper": "at the paper's size; what it leaves open, or we changed, the claim says",
    "paper's model": "the paper's model, trained for less",
    "smaller model": "a smaller model than the paper's, which has learned the task",
}


def meaning(decision: Decision) -> str:
    """What the words of a verdict mean."""
    words = [decision.verdict] + [decision.strength] * (decision.verdict != "not tested")
    return "; ".join(map(MEANINGS.get, words))


def name_of(claim: Claim) -> str:
    """The claim's number and source."""
    return f"Claim {claim.number} ({claim.where})"


def explained(decision: Decision) -> list[str]:
    """Lines of text: the claim, its result, its statistic, its gate and its control."""
    claim = decision.claim
    lines = [claim.statement, sentence(decision), f"Judged by: {claim.statistic}."]
    if not isinstance(claim.printed["value"], dict):
        lines.append(f"The paper: {printed_text(claim)}.")
    if decision.gate:
        lines += [gate_text(decision), f"Our error at the gate: {competence(decision)}."]
    if decision.control:
        lines.append(f"Control, {claim.control} ({CONTROLS[claim.control]}): "
                     f"{decision.control_verdict}{', as it should' * decision.can_be_lost}.")
    return lines


def counts(decision: Decision) -> bool:
    """Whether some part is tested, so that a table of parts says something."""
    return any(decision.state(part) != "not tested" for part in decision.evidence)


def gate_text(decision: Decision) -> str:
    """The bound of the gate in words, how many models pass it, and the worst of them."""
    gate, (first, *others) = decision.claim.gate, decision.gate.values()
    values = first if all(other == first for other in others) else [*first, *chain(*others)]
    bound, worst = (("at most", np.max) if gate.at_least is None else ("at least", np.min))
    size = gate.at_most if gate.at_least is None else gate.at_least
    passed = sum(map(gate.passes, values))
    statistic = f"{gate.statistic}," if "," in gate.statistic else gate.statistic
    worst_of_all = worst(values)
    worst_text = f", the worst has {short(worst_of_all, 3)}" if np.isfinite(worst_of_all) else ""
    return f"Counts if {statistic} is {bound} {short(size, 3)}: {passed} of {len(values)} pass{worst_text}."


def parts_table(decision: Decision) -> pd.DataFrame:
    """A table of what is printed and measured for each part, and of its state."""
    claim, rows = decision.claim, []
    for part in decision.evidence:
        counted, samples = decision.counted(part), decision.evidence[part]
        row = {"part": f"{part} (added by us)" if part in claim.added else part}
        if isinstance(claim.printed["value"], dict):
            corrected = claim.printed["read"] == "corrected"
            row["corrected" if corrected else "paper"] = printed_number(claim, part)
        seeds = f"{len(counted)} of {len(samples)}" if claim.gate else len(samples)
        row |= {"ours": ours_text(claim, part, counted or samples), "seeds": seeds}
        if share := decision.share(part):
            row["pairs led"] = f"{share[0]:g} of {share[1]}"
        rows.append(row | {"holds if": tolerance_text(claim, part), "says": decision.state(part)})
    return pd.DataFrame(rows).set_index("part").rename_axis(index=None, columns="part")


def printed_number(claim: Claim, part: str | None = None) -> str:
    """The number printed for a claim or one of its parts; the right one if the print is wrong."""
    value = claim.printed_for(part)
    return value if isinstance(value, str) else short(value, 6)


def printed_text(claim: Claim, part: str | None = None) -> str:
    """The number printed for a claim or one of its parts, or the right one, "(corrected)"."""
    number = printed_number(claim, part)
    return f"{number} (corrected)" if claim.printed["read"] == "corrected" else number


def ours_text(claim: Claim, part: str, samples) -> str:
    """Mean and interval with 3 digits, or more if they would look equal to a bound."""
    bounds, ends = claim.region(part), interval(samples, claim.scale)
    apart = lambda digits: all(end in bounds or float(short(end, digits)) not in bounds for end in ends)
    within = SHARE if claim.scale == "share" else ANYWHERE
    return with_interval(samples, next(filter(apart, (3, 4, 5)), 6), claim.scale, within)


def tolerance_text(claim: Claim, part: str) -> str:
    """The acceptance region in words."""
    (kind, size), = claim.tolerance.items()
    if kind in ("factor", "distance"):
        low, high = claim.region(part)
        return f"{short(low, 3)} to {short(high, 3)}"
    return f"{kind.replace('_', ' ')} {size:g}"
