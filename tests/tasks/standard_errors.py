"""Whether a mean over prompts is what a law says."""

from icllib.streams import Stream

STREAM = Stream.of([0], "evaluation")


def within_four_standard_errors(values, expected):
    """Whether the mean of independent values is near enough (a chance of 6e-5 to fail)."""
    values = values.double().flatten()
    return abs(values.mean() - expected) < 4 * values.std() / len(values) ** 0.5
