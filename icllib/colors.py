"""One color and one dash for each model that the book compares: in figures, live pages and tables.

Other quantities (a mean, a depth) never wear these colors. Hues keep apart for readers with any kind of
color vision, and dashes do where there is no color, in print say.
"""

from icllib.files import PROJECT, write_text

SHEET = PROJECT / "book" / "_static" / "colors.css"
# name: (on white, on black, dash as matplotlib and SVG have it). On white a line has a contrast of at
# least 3 (WCAG 1.4.11), and on black likewise.
MODELS = {
    "softmax": ("#c87400", "#f0a03c", ()),
    "SSA": ("#0072b2", "#56b4e9", (9, 3)),
    "prefix": ("#00805e", "#2fc79a", ()),
    "causal": ("#a8437e", "#e19ac0", (2, 2)),
    "GPT-2": ("#c0390b", "#ff8a66", (12, 3, 2, 3)),
    "SGPT": ("#008fa1", "#5fdcec", (6, 2, 1, 2)),
    "perceptron": ("#6b4423", "#c9a27e", (4, 2)),
    "ridge": ("#24292f", "#e6e9ec", ()),
    "optimum": ("#767676", "#9a9a9a", (1, 3)),
}


def style(name: str) -> dict:
    """What matplotlib needs to draw a model as everywhere in the book."""
    color, _, dash = MODELS[name]
    return {"color": color, "ls": (0, dash) if dash else "-"}


def style_sheet() -> str:
    """The same table as book/_static/colors.css: a class such as .of-ssa for each model."""
    def rules(place: int, indent: str = "") -> str:
        return "".join(f"{indent}.of-{name.lower()} {{ --color: {row[place]}; }}\n"
                       for name, row in MODELS.items())

    dashes = "".join(f".curve.of-{name.lower()} {{ stroke-dasharray: {' '.join(map(str, dash))}; }}\n"
                     for name, (*_, dash) in MODELS.items() if dash)
    dark = rules(1, "  ").replace("  .of-", '  html[data-theme="dark"] .of-')
    return ("/* Made from icllib/colors.py by `python -m icllib export`: do not edit. */\n"
            f"{rules(0)}@media screen {{ /* paper is white */\n{dark}}}\n{dashes}")


def export() -> None:
    """Write the style sheet."""
    write_text(SHEET, style_sheet())
