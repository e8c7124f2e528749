"""One plotting style for all pages, and the table behind every figure."""

import builtins
import io
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from claimbook.claims.rule import interval
from claimbook.claims.sentences import ANYWHERE, short
from claimbook.records import checks
from claimbook.records.checks import instance, integer, one_of, shaped, text
from claimbook.records.errors import InputError

# Of all that is no model (those are in papers/colors.py): apart from models and, with any kind of color
# vision, from each other.
VIOLET, GOLD, OLIVE, ROSE, STEEL, CRIMSON, BLACK = (
    "#6f4fd8", "#a39200", "#5f7a2a", "#ee5f92", "#7c93bd", "#8a0f2e", "#000000")
COLORS = [VIOLET, GOLD, OLIVE, ROSE, STEEL, CRIMSON, BLACK]
# The book's own type: IBM Plex Sans, cut to the characters of figures.
TYPE, FAMILY = Path(__file__).parent / "type", "Book Sans"
COLUMNS = ["panel", "series", "x", "y", "low", "high", "seeds", "profile"]


def use_style() -> None:
    """Figures on white, which the book's style sheet turns dark where the page is; SVG in notebooks.

    Text of 11 points can still be read where the book shrinks a figure of 9 inches, the widest
    on our pages, to the width of its column.
    """
    if hasattr(builtins, "__IPYTHON__"):
        show_as_svg()
    plt.rcdefaults()  # a page looks the same whatever a user's own style is
    for face in sorted(TYPE.glob("*.ttf")):  # and whatever fonts a machine has
        font_manager.fontManager.addfont(face)
    plt.rcParams.update({
        "font.family": [FAMILY, "DejaVu Sans"], "mathtext.fontset": "custom",
        "mathtext.rm": FAMILY, "mathtext.it": f"{FAMILY}:italic", "mathtext.bf": FAMILY,
        "mathtext.cal": f"{FAMILY}:italic", "mathtext.sf": FAMILY, "mathtext.tt": FAMILY, "mathtext.fallback": "stixsans",
        "figure.figsize": (9, 3.4), "figure.dpi": 110, "figure.constrained_layout.use": True,
        "figure.constrained_layout.hspace": 0.06,
        "savefig.facecolor": "white", "savefig.bbox": "tight", "savefig.pad_inches": 0.15,
        "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True,
        "grid.alpha": 0.25, "axes.prop_cycle": plt.cycler(color=COLORS), "font.size": 11,
        "axes.titlesize": 11, "legend.fontsize": 10, "legend.frameon": False,
        "lines.markersize": 4, "pdf.fonttype": 42, "ps.fonttype": 42, "svg.hashsalt": "icllib", "image.cmap": "viridis",
    })


def show_as_svg() -> None:
    """What a notebook shows: sharp at every size, and the same file each time it is drawn."""
    from matplotlib_inline.config import InlineBackend

    shown = InlineBackend.instance()
    shown.figure_formats = {"svg"}
    shown.print_figure_kwargs = {"bbox_inches": "tight", "metadata": {"Date": None}}


def as_svg(figure, **settings) -> str:
    """A figure as SVG, the same text each time it is drawn; closes it. settings: of Matplotlib."""
    instance(Figure, figure=figure)
    text = io.StringIO()
    with plt.rc_context(settings):
        figure.savefig(text, format="svg", metadata={"Date": None})
    plt.close(figure)
    return text.getvalue()


def series(panel: str, name: str, xs, samples, profile: str, within=ANYWHERE,
           scale: str = "linear") -> pd.DataFrame:
    """Rows of a figure's table: mean and 95% interval over seeds at each x.

    samples: (seeds, len(xs)), or (len(xs),) for a curve without spread. within: what the quantity can be,
    such as SHARE; the interval is cut there. scale: "log" for means and intervals of the logarithm.
    """
    checks.numbers(checks.MEASURED, samples=samples)
    shaped((2,), "numbers", within=within)
    if np.ndim(samples) > 2:
        raise InputError(f"samples: expected (seeds, len(xs)), got {np.shape(samples)}")
    samples = np.atleast_2d(np.asarray(samples, dtype=float))
    means, lows, highs = np.transpose([interval(column, scale) for column in samples.T])
    return band(panel, name, xs, means, np.clip(lows, *within), np.clip(highs, *within),
                len(samples), profile)


def band(panel: str, name: str, xs, ys, lows, highs, seeds: int, profile: str) -> pd.DataFrame:
    """Rows of a figure's table for a curve whose interval is known. seeds: NaN where their number is not;
    raises InputError for columns of unequal lengths."""
    instance(str | int | float, panel=panel, name=name, profile=profile)
    if not (isinstance(seeds, float) and np.isnan(seeds)):
        integer(seeds=seeds)
    for what, own in {"xs": xs, "ys": ys, "lows": lows, "highs": highs}.items():
        if checks.rank(own) != 1:
            raise InputError(f"{what}: expected a list, got {own!r:.200}")
        if len(own) and what != "xs":
            checks.numbers(checks.MEASURED, **{what: own})
    columns = [panel, name, xs, ys, lows, highs, seeds, profile]
    if len(found := {len(values) for values in (xs, ys, lows, highs)}) > 1:
        raise InputError(f"{name}: expected x, y, low and high of one length, got {sorted(found)}")
    return pd.DataFrame(dict(zip(COLUMNS, columns)))


def rows_of(table: pd.DataFrame, panel: str, name: str) -> pd.DataFrame:
    """The rows of one series, none where this panel lacks it; raises InputError for an unknown name."""
    _check_table(table)
    one_of(tuple(table.panel.unique()), panel=panel)
    one_of(tuple(table.series.unique()), series=name)
    return table[(table.panel == panel) & (table.series == name)]


def _check_table(table) -> None:
    """Raises InputError if it is not a table as `series` makes it."""
    instance(pd.DataFrame, table=table)
    if missing := [name for name in COLUMNS if name not in table]:
        raise InputError(f"table: expected the columns {', '.join(COLUMNS)}, got none named {missing[0]}")


def draw(axes, table: pd.DataFrame, panel: str, name: str, **style) -> None:
    """One series of a figure's table as a line with a band for its interval."""
    instance(Axes, axes=axes)
    rows = rows_of(table, panel, name).infer_objects()  # other panels may have names for x
    line, = axes.plot(rows.x, rows.y, label=style.pop("label", name), **style)
    if (rows.seeds > 1).any():
        axes.fill_between(rows.x, rows.low, rows.high, color=line.get_color(), alpha=0.2, lw=0)


def dots(axes, xs, samples, **style) -> None:
    """Each seed as a small dot beside its mean. samples: (seeds, len(xs))."""
    instance(Axes, axes=axes)
    if checks.rank(xs) != 1:
        raise InputError(f"xs: expected a list, got {xs!r:.200}")
    checks.numbers(checks.MEASURED, samples=samples)
    shaped((None, len(xs)), checks.MEASURED, samples=np.atleast_2d(samples))
    for own in np.atleast_2d(np.asarray(samples, dtype=float)):
        axes.plot(xs, own, **{"ls": "", "marker": ".", "ms": 4, "alpha": 0.6, "label": "_"} | style)


def draw_rows(axes, table: pd.DataFrame, panel: str, name: str, **style) -> None:
    """One series of a figure's table as a point in each row, with a bar for its interval."""
    instance(Axes, axes=axes)
    rows = rows_of(table, panel, name)
    reach = [rows.y - rows.low, rows.high - rows.y]
    axes.errorbar(rows.y, rows.x, xerr=reach, **{"ls": "", "marker": "o", "label": name} | style)


def legend_below(axes, columns: int, side: str = "center"):
    """A legend for the whole figure, below it, with the series of one of its panels, in place of its own."""
    instance(Axes, axes=axes)
    integer(columns=columns)
    one_of(("left", "center", "right"), side=side)
    if own := axes.get_legend():
        own.remove()
    return axes.figure.legend(*axes.get_legend_handles_labels(), loc=f"outside lower {side}", ncols=columns)


def numbers(table: pd.DataFrame, panels="", xs=None, digits: int = 2, x: str = "x") -> pd.DataFrame:
    """The figure's numbers as text with few digits, one row per curve: what the tests compare.

    panels: the names of those to show, or what their names start with. xs: which columns. x: what they are.
    """
    _check_table(table)
    integer(digits=digits)
    text(x=x)
    if not isinstance(panels, str):
        panels = checks.tuple_of(text, "panels", panels, 0)
    if xs is not None and checks.rank(xs) != 1:
        raise InputError(f"xs: expected a list, got {xs!r:.200}")
    by_name = table.panel.str.startswith if isinstance(panels, str) else table.panel.isin
    rows = table[by_name(panels)]
    rows = rows[rows.x.isin(rows.x if xs is None else xs)]
    wide = rows.pivot(index=["panel", "series"], columns="x", values="y").rename_axis(columns=x)
    head = lambda x: x if isinstance(x, str) else short(x, 4 if x % 1 else 15)  # counts are exact
    wide = wide.reindex(rows[["panel", "series"]].drop_duplicates()).rename(columns=head)
    return wide.map(lambda value: "" if pd.isna(value) else short(value, digits))


def matrix(axes, values: pd.DataFrame, digits: int = 2, **style) -> None:
    """A small matrix as colored cells with their numbers; zeros are left empty."""
    instance(pd.DataFrame, values=values)
    integer(digits=digits)
    size = values.abs().max(axis=None)
    texts = values.map(lambda value: short(value, digits) if value else "")
    heat_map(axes, values, square=True, annot=texts, fmt="", annot_kws={"fontsize": 9},
             **{"cmap": "PuOr", "vmin": -1.5 * size, "vmax": 1.5 * size} | style)
    from seaborn.utils import relative_luminance

    for text, cell in zip(axes.texts, axes.collections[0].get_facecolors()):
        text.set_color("white" if relative_luminance(cell) < 0.18 else "black")  # the greater contrast


def heat_map(axes, values: pd.DataFrame, **style):
    """Colored cells, the first row on top; returns them, for a color bar. style: of seaborn.heatmap."""
    instance(Axes, axes=axes)
    instance(pd.DataFrame, values=values)
    import seaborn  # takes a second, which commands that draw nothing need not wait

    seaborn.heatmap(values, ax=axes, cbar=False, linewidths=0.5, linecolor="face",  # no seams
                    **{"cmap": plt.rcParams["image.cmap"]} | style)
    axes.grid(False)
    axes.tick_params(rotation=0)
    return axes.collections[0]
