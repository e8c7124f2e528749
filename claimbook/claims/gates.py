"""What evidence must have before it counts for a claim, and how well the paper's models have learned."""

from dataclasses import dataclass

from claimbook.records import PROFILES
from claimbook.records.checks import finite, not_negative, text
from claimbook.records.errors import InputError


@dataclass(frozen=True)
class Gate:
    """The bound that a model must reach before its evidence counts; a model that has not learned
    decides nothing. Raises InputError without exactly one bound, which is a number."""

    statistic: str
    source: str  #: of the bound
    at_most: float | None = None
    at_least: float | None = None

    def __post_init__(self):
        text(statistic=self.statistic, source=self.source)
        bounds = [bound for bound in (self.at_most, self.at_least) if bound is not None]
        if len(bounds) != 1:
            raise InputError(f"gate: expected a number as at_most or as at_least, got {self}")
        finite(gate=bounds[0])

    def passes(self, value: float) -> bool:
        """Whether a model with this value has learned; one that diverged has not."""
        return value <= self.at_most if self.at_least is None else value >= self.at_least


@dataclass(frozen=True)
class Scope:
    """What a claim names and smaller models lack, say a depth; raises InputError for unknown profiles."""

    profiles: list  #: whose models have it; evidence of others does not test the claim
    because: str

    def __post_init__(self):
        text(because=self.because)
        if not (isinstance(self.profiles, list | tuple) and self.profiles
                and all(own in PROFILES for own in self.profiles)):
            raise InputError(f"scope: expected profiles of {', '.join(PROFILES)}, got {self}")


@dataclass(frozen=True)
class Competence:
    """What the paper prints for the statistic of a claim's gate; raises InputError if it is not a number."""

    printed: float | dict  #: for all parts, or part -> number
    source: str

    def __post_init__(self):
        text(source=self.source)
        printed = self.printed if isinstance(self.printed, dict) else {"competence": self.printed}
        if not printed:
            raise InputError(f"competence: expected printed numbers, got {self.printed!r}")
        for part, number in printed.items():
            not_negative(**{str(part): number})
