"""One color, one dash and one marker for each model that the book compares.

Other quantities never wear these colors: theirs are in claimbook/pages/plotting.py. Hues keep apart for
readers with any kind of color vision.
"""

from claimbook.records.files import PROJECT, write_text

SHEET = PROJECT / "book" / "_static" / "colors.css"
# name: (on white, on black, dash as matplotlib and SVG have it, marker of matplotlib). On white a line
# has a contrast of at least 3 (WCAG 1.4.11), and on black likewise.
MODELS = {
    "softmax": ("#c87400", "#f0a03c", (), "s"),
    "SSA": ("#0072b2", "#56b4e9", (9, 3), "o"),
    "prefix": ("#00805e", "#2fc79a", (), "o"),
    "causal": ("#a8437e", "#e19ac0", (2, 2), "s"),
    "GPT-2": ("#c0390b", "#ff8a66", (12, 3, 2, 3), "s"),
    "SGPT": ("#008fa1", "#5fdcec", (6, 2, 1, 2), "o"),
    "perceptron": ("#6b4423", "#c9a27e", (4, 2), "^"),
    "ridge": ("#24292f", "#e6e9ec", (), "."),
    "optimum": ("#767676", "#9a9a9a", (1, 3), "_"),
}


def dashed(name: str) -> dict:
    """A model's color and dash, for matplotlib."""
    color, _, dash, _ = MODELS[name]
    return {"color": color, "ls": (0, dash) if dash else "-"}


def marked(name: str) -> dict:
    """A model's color and marker, for matplotlib."""
    color, _, _, marker = MODELS[name]
    return {"color": color, "marker": marker}


def color_of(name: str) -> str:
    """A model's color on white, where its panel or a label tells it from the others."""
    return MODELS[name][0]


def style_sheet() -> str:
    """The colors of MODELS as book/_static/colors.css: a class such as .of-ssa for each model."""
    def rules(place: int, indent: str = "") -> str:
        return "".join(f"{indent}.of-{name.lower()} {{ --color: {row[place]}; }}\n"
                       for name, row in MODELS.items())

    dashes = "".join(f".curve.of-{name.lower()} {{ stroke-dasharray: {' '.join(map(str, dash))}; }}\n"
                     for name, (_, _, dash, _) in MODELS.items() if dash)
    dark = rules(1, "  ").replace("  .of-", '  html[data-theme="dark"] .of-')
    return ("/* Made from papers/colors.py by `python -m papers`: do not edit. */\n"
            f"{rules(0)}@media screen {{ /* paper is white */\n{dark}}}\n{dashes}")


def export() -> None:
    """Write the style sheet."""
    write_text(SHEET, style_sheet())
