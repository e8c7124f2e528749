"""How many parts would be wrong by chance: what the rule promises, and what leaving seeds out shows of it."""

from dataclasses import dataclass

import numpy as np

from claimbook.claims.rule import ERROR, FEWEST_SEEDS, prediction_interval


@dataclass(frozen=True)
class Chance:
    """What can be expected of the parts whose seeds have a spread."""

    parts: int  #: of all claims with evidence
    spread: int  #: tested parts of several seeds with a spread; the others are exact, or of one seed
    decided: int  #: of these, yes, no or no difference
    claims: int  #: that have such parts
    left_out: int  #: seeds that were left out, one at a time
    missed: int  #: of these, outside the interval that the others of their part predict

    @property
    def inflation(self) -> float:
        """How many times as often as 5% an interval misses."""
        return self.missed / self.left_out / ERROR if self.left_out else 1.0

    @property
    def wrong_alone(self) -> float:
        """Parts that would be wrong at most if each had an interval of 95%, half of which misses one way."""
        return self.decided * ERROR / 2 * self.inflation

    @property
    def wrong_claims(self) -> float:
        """Claims with a wrong part at most, as the parts of each share the error."""
        return self.claims * ERROR * self.inflation


def chance(decisions) -> Chance:
    """What can be expected by chance of these decisions' parts. Each seed of a part with enough of them is
    compared with the 95% prediction interval of the others: of normal samples one in twenty lies outside."""
    parts = spread = decided = left_out = missed = 0
    claims = set()
    for item in decisions:
        for part in item.evidence or ():
            parts += 1
            samples = np.array(item.counted(part), dtype=float)
            if item.claim.pairs or item.state(part) == "not tested" or not varied(samples, item.claim.scale):
                continue
            spread += 1
            decided += item.state(part) != "undecided"
            claims.add(item.claim.id)
            if len(samples) > FEWEST_SEEDS:
                for place, sample in enumerate(samples):
                    _, low, high = prediction_interval(np.delete(samples, place), item.claim.scale)
                    missed += not low <= sample <= high
                left_out += len(samples)
    return Chance(parts, spread, decided, len(claims), left_out, missed)


def varied(samples, scale: str) -> bool:
    """Whether samples have a finite spread on a scale."""
    sound = len(samples) > 1 and np.isfinite(samples).all() and (scale != "log" or (samples > 0).all())
    return bool(sound and np.ptp(samples) > 0)
