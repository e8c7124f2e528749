"""The chapter's opening table: which mechanism is seen in which model, made from the claims' verdicts."""

from claimbook.claims.decisions import ledger
from claimbook.claims.rule import FOR_READERS, verdict_of
from claimbook.records.files import PROJECT, read_text, write_text

CHAPTER = PROJECT / "book" / "across.md"
START, END = "<!-- made by `python -m papers` from here -->\n", "<!-- to here -->\n"
MASKS = "prefix", "causal"
MODELS = {"GPT-2": "GPT-2", "SGPT": "{term}`SGPT`", "softmax": "softmax, lines", "SSA": "{term}`SSA`, lines",
          "prefix": "prefix mask", "causal": "causal mask"}
BOTH = "shared layers", "unshared layers"
# A mechanism as a paper names it: by model the number of a claim and its parts that tell. A number below 0:
# the claim says the opposite.
ROWS = {
    "LayerNorm caps its answers": {"GPT-2": (3, "GPT-2"), "SGPT": (-4, "SGPT"), "softmax": (3, "softmax"),
                                   "SSA": (3, "SSA")},
    "a temperature repairs noise": {"GPT-2": (1, "noise 0.5", "noise 1", "noise 2")},
    "a temperature repairs size": {"GPT-2": (1, "weights x 2", "weights x 3"),
                                   "softmax": (2, "sigma = 3", "sigma = 5", "sigma = 10")},
    "carries over to other inputs": {"GPT-2": (5, "Student's t", "Laplace", "autoregressive"),
                                     "SGPT": (6, "Student's t", "Laplace", "autoregressive")},
    "its kernel finds the function": {"softmax": (7, "exponential"), "SSA": (7, "SSA")},
    "later labels weigh more": {"causal": (9, *BOTH)},
    "answers as one online pass": {"causal": (12, *BOTH)},
    "its nearest algorithm holds elsewhere": {
        "GPT-2": (13, "GPT-2"), "SGPT": (13, "SGPT"), "prefix": (13, "prefix, shared", "prefix, unshared"),
        "causal": (13, "causal, shared", "causal, unshared")},
    "its loops have a fixed point": {"prefix": (10, "prefix"), "causal": (10, "causal")},
    "random loops in training make one": {"prefix": (18, "prefix"), "causal": (18, "causal")},
    "the solvable model's law in time": {
        name: (14, f"{name}, alpha = 1.8", f"{name}, alpha = 2.1") for name in ("GPT-2", "SGPT")},
    "leaving one out beats it": {mask: (16, f"{mask}, shared", f"{mask}, unshared") for mask in MASKS},
    "and on two other tasks": {mask: (19, *(
        f"{task}, {mask}, {sharing}" for task in ("nonlinear", "classes")
        for sharing in ("shared", "unshared"))) for mask in MASKS}}
OPPOSITE = {"yes": "no", "no": "yes"}


def table() -> str:
    """The table in Markdown: each entry is the verdict on its parts, and leads to the page."""
    items = {item.claim.id: item for item in ledger()}
    lines = ["| | " + " | ".join(MODELS.values()) + " |", "|---" * (len(MODELS) + 1) + "|"]
    for mechanism, row in ROWS.items():
        entries = [entry(items, *row[model]) if model in row else "" for model in MODELS]
        lines.append(f"| {mechanism} | " + " | ".join(entries) + " |")
    return "\n".join(lines) + "\n"


def entry(items: dict, number: int, *parts: str) -> str:
    """What the parts of a claim say together, as a link to the claim's page."""
    item = items[f"across.{abs(number)}"]
    word = FOR_READERS[verdict_of(map(item.state, parts)).removesuffix(" in part")]
    return f"[{OPPOSITE.get(word, word) if number < 0 else word}](../notebooks/{item.claim.page}.ipynb)"


def export() -> None:
    """Write the table into the chapter."""
    before, rest = read_text(CHAPTER).split(START)
    write_text(CHAPTER, before + START + table() + END + rest.split(END)[1])
