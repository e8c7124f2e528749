"""Figure 1: which models scale with tasks, and which with context."""

from icllib.papers.context_scaling.scaling import (
    check_counts, fig01_against_context, fig01_against_tasks, fig01_decoders, fig01_perceptrons)
from icllib.training import Run


def runs(profile: str) -> list[Run]:
    """Figure 1: a decoder and a perceptron, each at every T and seed, and the decoders of its panels."""
    runs = fig01_decoders(profile) + fig01_perceptrons(profile)
    others = fig01_against_context(profile) + fig01_against_tasks(profile)
    return runs + [run for run in others if run not in runs]


def ratios_by_length(errors: dict, lengths) -> dict:
    """The errors at 20, 30 and 40 pairs over that at 10 for two T, for claim 4: {part: (seeds,)}.

    Raises InputError if a T is missing.
    """
    check_counts(errors, (10**5, 10**6))
    at_10 = lengths.index(10)
    return {f"T = {name} n = {n}": errors[T][:, lengths.index(n)] / errors[T][:, at_10]
            for name, T in (("1e5", 10**5), ("1e6", 10**6)) for n in (20, 30, 40)}
