"""Fill in: what the page shows."""

from dataclasses import dataclass

import numpy as np

from claimbook.records import Component


@dataclass(frozen=True)
class CLASS_NAME(Component):
    """Fill in: what is measured. In the example, the error of a mean of n numbers."""

    counts: tuple = (10, 20, 40)  # Fill in: where the paper says so, or ASSUMED and why
    seed: int = 0

    def measure(self) -> dict:
        """The mean squared error of a mean of n numbers, for each n of `counts`; and that of n copies of
        one number, a control: more copies do not help."""
        numbers = np.random.default_rng(self.seed).normal(size=(1000, max(self.counts)))
        copies = np.repeat(numbers[:, :1], max(self.counts), axis=1)
        errors = lambda of: [(of[:, :count].mean(axis=1) ** 2).mean() for count in self.counts]
        return {"error": errors(numbers), "control": errors(copies)}

    def axes(self, metric: str) -> dict:
        """Both metrics have one axis, n."""
        return {"n": self.counts}


def runs(profile: str) -> list[CLASS_NAME]:
    """The runs of a profile; these train nothing and are the same in each."""
    return [CLASS_NAME(seed=seed) for seed in range(5)]
