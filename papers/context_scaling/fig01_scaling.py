"""Figure 1: which models scale with tasks, and which with context."""

from claimbook.pages.plotting import draw
from icllib.training import Run
from papers.colors import color_of, marked
from papers.context_scaling.scaling import (
    fig01_against_context, fig01_against_tasks, fig01_decoders, fig01_perceptrons)


def runs(profile: str) -> list[Run]:
    """Figure 1: a decoder and a perceptron, each at every T and seed, and the decoders of its panels."""
    runs = fig01_decoders(profile) + fig01_perceptrons(profile)
    others = fig01_against_context(profile) + fig01_against_tasks(profile)
    return runs + [run for run in others if run not in runs]


def draw_card(axes, table) -> None:
    """For the front page: the errors at growing context lengths, after a million tasks."""
    for name, style in {"MLP": marked("perceptron") | {"label": "perceptron"}, "GPT-2": marked("GPT-2"),
                        "ridge": {"color": color_of("ridge"), "ls": "--"}}.items():
        draw(axes, table, "B error, T = 1e6", name, **style)
    axes.set(yscale="log", xlabel="examples in the prompt", ylabel="squared error", ylim=(0.05, 1))
    axes.set_yticks([0.05, 0.1, 0.2, 0.5, 1], ["0.05", "0.1", "0.2", "0.5", "1"])
