"""The figures of the findings (book/findings), one function for each, from the figure.csv of a page."""

from claimbook.pages.plotting import BLACK, GOLD, VIOLET, draw, rows_of
from papers.colors import color_of, dashed, marked
from papers.signed_averaging import affine

HOLLOW = {"ls": "", "mfc": "none", "ms": 7}  # as all printed numbers are drawn


def what_caps_the_answers(axes, table) -> None:
    """The bounds on an answer that printed errors need, and those that our models have."""
    ours = table[(table.panel == "bound") & table.series.str.contains("seed")]
    bounds = {"paper, SSA": rows_of(table, "bound", "Table 1, SSA").y,
              "paper, softmax": rows_of(table, "bound", "Table 1, softmax").y,
              "ours, SSA": ours.y[ours.series.str.startswith("SSA")],
              "ours, softmax": ours.y[ours.series.str.startswith("softmax")]}
    for place, (name, values) in enumerate(bounds.items()):
        whose, model = name.split(", ")
        axes.barh(-place, values.max() - values.min(), left=values.min(), height=0.5,
                  fill=whose == "ours", edgecolor=color_of(model), facecolor=color_of(model))
    axes.set_yticks([0, -1, -2, -3], bounds)
    axes.set(xlim=(0, 40), xlabel="largest answer that a model can give")


def two_tables(axes, table) -> None:
    """The errors of one model in two tables of the paper, and ours."""
    axes.plot(affine.SIGMAS, affine.PRINTED["softmax"], label="Table 1, printed",
              color=GOLD, marker="o", **HOLLOW)
    draw(axes, table, "paper", "12L8AH", label="Table 6, printed", color=VIOLET, marker="D", **HOLLOW)
    draw(axes, table, "ours", "12L8AH", label="ours", **marked("softmax"))
    axes.set(yscale="log", ylim=(0.004, 300), xlim=(1.5, 10.5),
             xlabel="size of the functions, σ", ylabel="squared error")
    axes.legend()


def one_large_input(axes, table) -> None:
    """The errors of softmax and of SSA after one large input."""
    for name in ("SSA", "softmax"):
        draw(axes, table, "error", f"{name}, ours", label=name, **marked(name))
    axes.set(yscale="log", xlabel="size of the first input, σ", ylabel="squared error on the rest")
    axes.legend()


def between_lengths(axes, table) -> None:
    """The errors at each prompt length of models that were trained on five, and on all."""
    for name, style in {"GPT-2, five lengths": {"color": color_of("GPT-2")},
                        "GPT-2, every length": {"color": color_of("GPT-2"), "ls": ":"},
                        "SGPT, five lengths": dashed("SGPT")}.items():
        rows = rows_of(table, "error / ridge", name)
        axes.plot(rows.x, rows.y, label=name, **style)
    axes.set(yscale="log", ylim=(0.9, 80), xticks=(5, 10, 20, 30, 40),
             xlabel="pairs in the prompt (ticks: trained)", ylabel="error / that of ridge")
    axes.set_yticks([1, 2, 5, 10, 20], ["1", "2", "5", "10", "20"])
    axes.legend(loc="upper center", ncols=2)


def labels_tell(axes, table) -> None:
    """How often an answer is wrong that reads but the first numbers of a list."""
    for read, color in ((0, BLACK), (5, GOLD), (10, VIOLET)):
        rows = rows_of(table, "every, independent", f"reads {read}").query("y > 0")
        axes.plot(rows.x, rows.y, color=color)
        axes.text(200, rows.y.iloc[-1], f"reads {read or 'nothing'}", ha="right", va="bottom", color=color)
    axes.set(yscale="log", ylim=(2e-4, 0.5), xlabel="numbers in the list",
             ylabel="share of lists that are wrong")
    axes.set_yticks([1e-3, 1e-2, 1 / 8], ["0.001", "0.01", "1/8"])


def causal_converges(axes, table) -> None:
    """The error of the limit of causal layers as pairs are added, without noise and with it."""
    draw(axes, table, "no noise", "mu = 0", label="no noise in the labels", **dashed("causal"))
    draw(axes, table, "noise", "mu = 0", label="noise of size 0.1", color=color_of("causal"))
    axes.set(yscale="log", ylim=(1e-13, 10), xlim=(0, 400),
             xlabel="pairs in the prompt", ylabel="squared error")
    axes.legend()


def prefix_is_harder(axes, table) -> None:
    """The errors of both masks at three rates of training."""
    for mask in ("prefix", "causal"):
        draw(axes, table, "linear", f"{mask}, unshared", label=mask, **marked(mask))
    axes.set(xscale="log", yscale="log", xlabel="learning rate", ylabel="squared error")
    axes.set_xticks([0.004, 0.008, 0.016], ["0.004", "0.008", "0.016"])
    axes.minorticks_off()
    axes.legend()


def three_gammas(axes, table) -> None:
    """The printed exponents of the laws in time and compute, and those of the closed form."""
    names = {"time, gamma = 0.5": "time, γ = 0.5", "time, gamma = 1": "time, γ = 1",
             "compute, gamma = 0.5": "compute, γ = 0.5", "compute, gamma = 1": "compute, γ = 1"}
    for series, label, style in (("printed", "printed, with 3γ", HOLLOW | {"color": BLACK}),
                                 ("limit", "the closed form", {"ls": "", "ms": 7, "color": VIOLET})):
        own = rows_of(table, "exponents", series).set_index("x").y
        axes.plot(own[list(names)], range(4), marker="o", label=label, **style)
    axes.set_yticks(range(4), names.values())
    axes.set(xlabel="exponent of the loss", ylim=(-0.5, 4.5))
    axes.legend()


def one_large_number(axes, table) -> None:
    """How often each model's answer is its own to the large number alone, at that number and later."""
    for where, style in {"at the number": {"color": color_of("softmax"), "marker": "o"},
                         "after it": {"color": BLACK, "marker": "."}}.items():
        rows = rows_of(table, "models", where)
        axes.plot(rows.x, rows.y, ls="", label=where, **style)
    axes.set(xlabel="26 models, most misled first", ylabel="share of lists misled")
    axes.legend()


def balanced_contexts(axes, table) -> None:
    """The loss of contexts of equal cost that grow with a task's rank, or do not."""
    for beta, color, label in ((0, BLACK, "all alike"), (-0.5, GOLD, "longer for rare tasks")):
        draw(axes, table, "balance: equal answers", f"beta = {beta}", color=color, label=label)
    axes.set(xscale="log", yscale="log", xlabel="step", ylabel="loss")
    axes.legend()


def one_more_loop(axes, table) -> None:
    """The error of shared layers against the number of loops, five of which were trained."""
    for mask in ("prefix", "causal"):
        draw(axes, table, "error", mask, label=mask, **dashed(mask))
    axes.axvline(5, color=BLACK, ls=":", lw=1)
    axes.text(6.5, 5e-4, "trained with five", va="bottom")
    axes.set(yscale="log", xlabel="loops", ylabel="squared error")
    axes.legend(loc="lower right")


def least_squares_at_the_end(axes, table) -> None:
    """How far a causal model's answers are from three algorithms, layer by layer."""
    for name, color in {"one pass": GOLD, "gradient steps": VIOLET, "ridge": color_of("ridge")}.items():
        label = "least squares" if name == "ridge" else name
        draw(axes, table, "causal, shared", name, label=label, color=color, marker="o")
    axes.set(yscale="log", xticks=range(1, 6), xlabel="layer", ylabel="share left unexplained")
    axes.legend()
