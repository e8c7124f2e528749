"""Verdicts: whether a claim holds, and how strong the evidence is; made by code and never stored.

The evidence for a claim, samples of one statistic for each part of its range, lives in
results/<paper>/<page>/evidence.json, written by the page that decides it. A verdict is a pure
function of claim and evidence. book/verdicts.md tells the rules.
"""

import json
import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from icllib.claims import Claim, load_claims, papers
from icllib.controls import controlled
from icllib.errors import DAMAGE, InputError
from icllib.results import WITH_PILOT, results_folder
from icllib.rule import interval

VERDICTS = ("holds", "mixed", "fails", "open", "not run")
# Of the evidence, by profile; a closed form is "exact".
STRENGTHS = {"paper": "paper", "gpu": "paper's model", "cpu": "smaller model",
             "pilot": "smaller model", "smoke": "smaller model"}
FEWEST_SEEDS = 3  # that have learned, and no fewer than half of all


@dataclass(frozen=True)
class Decision:
    """A claim with what was measured for it."""

    claim: Claim
    verdict: str  #: of VERDICTS
    profile: str | None = None
    evidence: dict | None = None  #: part -> list of samples
    gate: dict | None = None  #: part -> what the models behind each sample have reached
    control: dict | None = None  #: part -> samples where the claim must not hold

    @property
    def strength(self) -> str | None:
        """How strong the evidence is: exact, paper, paper's model or smaller model."""
        return ("exact" if self.claim.exact else STRENGTHS[self.profile]) if self.profile else None

    @property
    def words(self) -> str:
        """The verdict and, where it says something, the strength: "holds, smaller model"."""
        return f"{self.verdict}, {self.strength}" if self.settled else self.verdict

    @property
    def settled(self) -> bool:
        """Whether the evidence says something: neither open nor not run."""
        return self.verdict in ("holds", "mixed", "fails")

    def counted(self, part: str) -> list[float]:
        """The samples of a part whose models have learned."""
        return learned(self.claim, self.evidence[part], self.gate and self.gate[part])

    def counted_or_all(self, part: str) -> list[float]:
        """The same, or all samples where no model has learned."""
        return self.counted(part) or self.evidence[part]

    def state(self, part: str) -> str:
        """What a part says, see `state`."""
        return state(self.claim, part, self.evidence[part], self.gate and self.gate[part])

    @property
    def control_verdict(self) -> str | None:
        """What the same rules say of the control."""
        return self.control and verdict_of(
            [holds(self.claim, part, samples) for part, samples in self.control.items()])

    @property
    def can_be_lost(self) -> bool:
        """Whether the control gets another verdict; one that is neither holds nor fails is not
        won, and its control only must not hold."""
        lost = self.verdict if self.verdict in ("holds", "fails") else "holds"
        return self.control_verdict not in (None, lost)


def decide(claim: Claim, evidence: dict[str, list[float]], profile: str, gate=None,
           control=None) -> Decision:
    """The verdict on a claim.

    holds: every part's interval lies in its region; fails: every part's lies outside; mixed: some
    parts hold and others do not or only by their mean; open: the intervals do not settle it, or
    too few models have learned. gate: for each part, or for all parts at once, what the models
    behind each sample have reached. control: samples for each part where the claim must not hold,
    for controls that evidence alone does not give. Raises InputError for an unknown profile, for
    evidence without the claim's parts or samples or with more than one of a model, and where the
    gate is missing.
    """
    if profile not in WITH_PILOT:
        raise InputError(f"{claim.id}: expected evidence at one of {', '.join(WITH_PILOT)}, "
                         f"got {profile!r}")
    gate = by_part(claim, gate) if claim.gate else None
    for name, parts in {"evidence": evidence, "gate": gate, "control": control}.items():
        if parts is not None and set(parts) != set(claim.parts):
            raise InputError(f"{claim.id}: expected {name} for {list(claim.parts)}, "
                             f"got {list(parts)}")
        for part, values in (parts or {}).items():
            if np.ndim(values) != 1 or not len(values):
                raise InputError(f"{claim.id}: expected one number of {name} for each model behind "
                                 f"{part}, got an array of shape {np.shape(values)}")
    control = control or (controlled(claim, evidence) if claim.control else None)
    verdict = verdict_of([state(claim, part, evidence[part], gate and gate[part])
                          for part in claim.parts])
    return Decision(claim, verdict, profile, evidence, gate, control)


def by_part(claim: Claim, gate) -> dict[str, list[float]]:
    """The values at the gate for each part; raises InputError for none."""
    if gate is None:
        raise InputError(f"{claim.id}: gate: expected what the models have reached, "
                         f"{claim.gate.statistic}, got nothing")
    return gate if isinstance(gate, dict) else {part: list(gate) for part in claim.parts}


def verdict_of(states: list[str]) -> str:
    """One verdict from the states of all parts."""
    found = set(states)
    if found == {"yes"}:
        return "holds"
    if found == {"no"}:
        return "fails"
    too_few = "not counted" in found
    return "mixed" if "yes" in found and (not too_few or "no" in found) else "open"


def state(claim: Claim, part: str, samples, gate) -> str:
    """What `holds` says of the samples whose models have passed the gate; "not counted" of too few.

    Too few: fewer than FEWEST_SEEDS, or than half. Where values at the gate are not one for each
    sample, all must pass.
    """
    if gate is None:
        return holds(claim, part, samples)
    own = learned(claim, samples, gate)
    enough = max(math.ceil(len(samples) / 2), FEWEST_SEEDS)
    return holds(claim, part, own) if len(own) >= enough else "not counted"


def learned(claim: Claim, samples, gate) -> list[float]:
    """The samples whose models have passed the gate."""
    if gate is None:
        return list(samples)
    passed = [claim.gate.passes(value) for value in gate]
    if len(passed) != len(samples):
        passed = [all(passed)] * len(samples)
    return [sample for sample, sound in zip(samples, passed) if sound]


def holds(claim: Claim, part: str, samples) -> str:
    """Where the interval over seeds lies: "yes" inside the part's region, "no" outside.

    Across its border it is "open, mean inside" or "open, mean outside", as where a seed diverged.
    """
    mean, low, high = interval(samples, claim.scale)
    if not np.isfinite([mean, low, high]).all():
        return "open, mean outside"
    bottom, top = claim.region(part)
    if bottom <= low and high <= top and not claim.on_bound(low, high):
        return "yes"
    if high < bottom or low > top:
        return "no"
    inside = bottom <= mean <= top and not claim.on_bound(mean)
    return "open, mean inside" if inside else "open, mean outside"


def finite(values) -> list[float | None]:
    """Numbers for JSON, which has no infinity and no NaN."""
    return [value if math.isfinite(value) else None for value in values]


def finite_parts(parts: dict | None) -> dict | None:
    """The same of the numbers of each part."""
    return parts and {part: finite(values) for part, values in parts.items()}


def evidence_path(page: str) -> Path:
    """Where a page keeps what it measured for its claims."""
    return results_folder() / page / "evidence.json"


def ledger() -> list[Decision]:
    """Every claim of every paper with its verdict."""
    return [decision_on_record(claim) for paper in papers() for claim in load_claims(paper)]


def decision_on_record(claim: Claim) -> Decision:
    """The verdict that the committed evidence gives; raises InputError where it is damaged."""
    path = evidence_path(claim.page) if claim.page else None
    if path is None or not path.exists():
        return Decision(claim, "not run")
    try:
        evidence = {**json.loads(path.read_text("utf-8"))}
        if claim.id not in evidence:
            return Decision(claim, "not run")
        own = evidence[claim.id]
        return decide(claim, own["parts"], own["profile"], own.get("gate"), own.get("control"))
    except DAMAGE as error:
        raise InputError(f"{path}: expected evidence, got a damaged file ({error}); run the page "
                         "again or restore it from git") from None
