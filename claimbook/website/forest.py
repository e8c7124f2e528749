"""One figure for each paper: what it prints against what was measured, claim by claim."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import LogLocator, NullLocator

from claimbook.claims.decisions import Decision
from claimbook.claims.rule import interval
from claimbook.pages.plotting import as_svg, use_style

COLORS = {"yes": "#1b7f3b", "no": "#b3261e", "no difference": "#7a4fa3", "undecided": "#4a78b0",
          "not tested": "#9aa0a6"}  # of what a part says, as the badges have them


def forest(decisions: list[Decision]) -> str:
    """The figure as SVG: ratios on a logarithmic axis, other numbers less what is printed, or their bound."""
    use_style()
    shown = [item for item in decisions if not item.claim.exact and item.claim.predicate != "identity"
             and any(item.state(part) != "not tested" for part in item.claim.parts)]
    ratios = [item for item in shown if item.claim.scale == "log"]
    others = [item for item in shown if item.claim.scale != "log"]
    panels = [own for own in (ratios, others) if own]
    rows = [len(own) + 2 for own in panels] or [1]
    figure, all_axes = plt.subplots(len(rows), 1, squeeze=False, layout="constrained",
                                    height_ratios=rows, figsize=(7.2, 0.6 + 0.2 * sum(rows)))
    for axes, own in zip(all_axes[:, 0], panels):
        draw_claims(axes, own, log=own is ratios)
    return as_svg(figure, **{"svg.hashsalt": "forest"})


def draw_claims(axes, decisions: list[Decision], log: bool) -> None:
    """A row for each claim, the first one on top."""
    for row, item in enumerate(decisions):
        parts = [part for part in item.claim.parts if item.state(part) != "not tested"]
        for place, part in zip(np.linspace(-0.3, 0.3, len(parts)) if len(parts) > 1 else [0], parts):
            draw_part(axes, row + place, item, part, log)
    if log:
        axes.set_xscale("log")
        low, high = axes.get_xlim()
        if high / low < 100:  # else the powers of 10 alone
            axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_major_formatter("{x:g}")
        axes.xaxis.set_minor_formatter("")
        axes.set_xlabel("ratio")
    else:
        axes.set_xlabel("less what is printed, or its bound")
    axes.axvline(1 if log else 0, color="0.75", linewidth=0.8, zorder=0)
    axes.set_yticks(range(len(decisions)), [f"claim {item.claim.number}" for item in decisions])
    axes.set_ylim(len(decisions) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)


def draw_part(axes, y: float, item: Decision, part: str, log: bool) -> None:
    """What is measured for a part, what is printed and the bounds."""
    claim, printed = item.claim, item.claim.printed_of(part)
    bounds = [end for end in claim.region(part) if np.isfinite(end)]
    zero = 0.0 if log else printed if printed is not None else bounds[0]
    mean, low, high = np.subtract(interval(item.counted(part), claim.scale), zero)
    color = COLORS[item.state(part)]
    axes.plot([low, high], [y, y], color=color, linewidth=1)
    axes.plot(mean, y, "o", color=color, markersize=2.2)
    axes.plot(np.subtract(bounds, zero), [y] * len(bounds), "|", color="0.6", markersize=4)
    if printed is not None and (printed > 0 or not log):
        axes.plot(printed - zero, y, "D", markerfacecolor="none", markeredgecolor="0.2",
                  markersize=3.2, markeredgewidth=0.6)
