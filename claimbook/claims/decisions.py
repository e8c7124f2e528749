"""Decisions: what the evidence on record says of a claim, and how strong it is; never stored.

The evidence for a claim, samples of one statistic for each part of its range, is written by the page that
decides it, into evidence.json. A decision is a pure function of claim and evidence, by the rule of rule.py.
"""

import math
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path

import numpy as np

from claimbook.claims import rule
from claimbook.claims import Claim, load_claims, papers
from claimbook.claims.controls import controlled
from claimbook.claims.rule import FEWEST_SEEDS, verdict_of, words_of
from claimbook.records import PROFILES, results_folder
from claimbook.records.checks import MEASURED, instance, numbers, rank
from claimbook.records.errors import DAMAGE, InputError
from claimbook.records.files import damage_told, read_object, there

# Of the evidence, by profile; a closed form is "exact".
STRENGTHS = {"paper": "paper", "gpu": "paper's model", "cpu": "smaller model", "smoke": "smaller model"}
CHANGED = ("its bounds were changed after the evidence was there; set them back, or mark the claim "
           "post_hoc: true and run its page again")
SEEN = {"exact": "exactly", "paper": "at the paper's size",
        "paper's model": "in the paper's model, trained for less",
        "smaller model": "in smaller models"}


@dataclass(frozen=True)
class Decision:
    """A claim with what was measured for it, and what that says."""

    claim: Claim
    profile: str | None = None  #: None if nothing was measured
    evidence: dict | None = None  #: part -> list of samples
    gate: dict | None = None  #: part -> what the models behind each sample have reached
    control: dict | None = None  #: part -> samples where the claim must not hold
    reach: dict | None = None  #: part -> the numbers nearest to the printed that these models could show

    @property
    def verdict(self) -> str:
        """One of VERDICTS, from the parts that the paper states."""
        return verdict_of(map(self.state, self.claim.judged))

    @property
    def words(self) -> str:
        """The verdict and the size at which it was seen: "holds in 3 of 8, in smaller models"."""
        return self.told(self.claim.judged)

    @property
    def beside(self) -> str | None:
        """The verdict on the parts that we added to a paper's claim, in words; None without such parts."""
        return self.told(tuple(self.claim.added)) if self.claim.added else None

    def told(self, parts) -> str:
        """The verdict of these parts, and the size at which it was seen."""
        words = words_of(map(self.state, parts))
        return words if words == "not tested" else f"{words}, {SEEN[self.strength]}"

    @property
    def strength(self) -> str | None:
        """How strong the evidence is: exact, paper, paper's model or smaller model."""
        return ("exact" if self.claim.exact else STRENGTHS[self.profile]) if self.profile else None

    @property
    def settled(self) -> bool:
        """Whether the evidence says something: neither undecided nor not tested."""
        return self.verdict not in ("undecided", "not tested")

    @property
    def left(self) -> list[str]:
        """The paper's parts that are undecided or not tested."""
        return [part for part in self.claim.judged if self.state(part) in ("undecided", "not tested")]

    def counted(self, part: str) -> list[float]:
        """The samples of a part whose models have learned."""
        samples = self.evidence[part]
        if not self.gate:
            return list(samples)
        passed = list(map(self.claim.gate.passes, self.gate[part]))
        if len(passed) != len(samples):  # no value for each sample: all must pass
            passed = [all(passed)] * len(samples)
        return [sample for sample, sound in zip(samples, passed) if sound]

    def counted_or_all(self, part: str) -> list[float]:
        """The samples of a part whose models have learned, or all if none has."""
        return self.counted(part) or self.evidence[part]

    def state(self, part: str) -> str:
        """The state of a part, one of STATES; "not tested" where too few models have learned."""
        return self.states[part]

    @cached_property
    def states(self) -> dict[str, str]:
        """The state of every part; the paper's parts share an error, and so do those that we added."""
        claim = self.claim
        outside = claim.scope and self.profile not in claim.scope.profiles
        if self.profile is None or claim.faulty or outside:
            return dict.fromkeys(claim.parts, "not tested")
        counted = {part: self.counted(part) for part in claim.parts}
        enough = lambda part: len(counted[part]) >= max(len(self.evidence[part]) / 2, FEWEST_SEEDS)
        tested = {part: own for part, own in counted.items() if not self.gate or enough(part)}
        return dict.fromkeys(claim.parts, "not tested") | states(claim, tested)

    def size(self, part: str) -> rule.Size | None:
        """How far a part's printed number is from ours; None without one, if exact or not tested."""
        printed = self.claim.printed_of(part)
        if printed is None or self.claim.exact or self.state(part) == "not tested":
            return None
        reach = rule.interval(self.reach[part], self.claim.scale)[0] if self.reach else None
        null = 1.0 if self.claim.kind_of(part) else self.claim.null
        return rule.size(self.counted(part), printed, self.claim.scale, null, reach)

    def share(self, part: str) -> tuple[float, int, float, float] | None:
        """Pairs in which the model leads, pairs, and the share's 95% interval; None where no pairs decide."""
        if not self.claim.pairs or not self.profile or not (counted := self.counted(part)):
            return None
        better = pairs_led(self.claim, part, counted)
        return better, len(counted), *rule.share_of_pairs(better, len(counted))[1:]

    @property
    def same_models(self) -> bool:
        """Whether all parts were measured on the same trained models."""
        return bool(self.gate) and len(set(map(str, self.gate.values()))) == 1

    @property
    def competence(self) -> list[tuple[float, float]]:
        """The statistic of the gate as (ours, printed), for each part if the paper prints it so. Ours: the
        mean over the models that have learned, or over all if none has."""
        known = self.claim.competence
        if not known or not self.gate:
            return []
        parts = known.printed if isinstance(known.printed, dict) else {None: known.printed}
        pairs = []
        for part, number in parts.items():
            at_gate = [self.gate[part]] if part else self.gate.values()
            values = [value for of_part in at_gate for value in of_part if math.isfinite(value)]
            if values := list(filter(self.claim.gate.passes, values)) or values:
                pairs.append((float(np.mean(values)), number))
        return pairs

    @property
    def control_verdict(self) -> str | None:
        """The verdict that the same rule gives for the control."""
        return self.control and verdict_of(states(self.claim, self.control).values())

    @property
    def can_be_lost(self) -> bool:
        """Whether the control shows that the claim could have got another verdict.

        It must not get the claim's own, in part or whole, unless that is undecided; nor may it hold, unless
        no difference is seen, the claim fails or the printed effect is laid on ours.
        """
        if not self.control:
            return False
        whole = lambda verdict: verdict.removesuffix(" in part")
        own, other = whole(self.verdict), whole(self.control_verdict)
        may_hold = own in ("fails", "no difference") or self.claim.control == "printed effect"
        differs = other != own or own == "undecided"
        return differs and (may_hold or self.control_verdict != "holds")


def decide(claim: Claim, evidence: dict[str, list[float]], profile: str, gate=None,
           control=None, reach=None) -> Decision:
    """The decision that evidence gives for a claim.

    gate: what the models behind each sample have reached, by part or one list for all. control: samples for
    each part where the claim must not hold, unless they follow from the evidence. reach: for each part the
    numbers nearest to the printed one that models like these could show. Raises InputError for an unknown
    profile, other parts than the claim's, a part without one number for each model, and a missing gate.
    """
    instance(Claim, claim=claim)
    if profile not in PROFILES:
        raise InputError(f"{claim.id}: expected evidence at one of {', '.join(PROFILES)}, got {profile!r}")
    instance(dict, evidence=evidence)
    if not claim.gate:
        gate = None
    elif gate is None:
        raise InputError(f"{claim.id}: gate: expected what the models have reached, "
                         f"{claim.gate.statistic}, got nothing")
    elif not isinstance(gate, dict):
        numbers(MEASURED, gate=gate)
        gate = {part: gate if rank(gate) == 0 else list(gate) for part in claim.parts}
    for name, parts in {"evidence": evidence, "gate": gate, "control": control, "reach": reach}.items():
        if parts is None:
            continue
        instance(dict, **{name: parts})
        if set(parts) != set(claim.parts):
            raise InputError(f"{claim.id}: expected {name} for {list(claim.parts)}, got {list(parts)}")
        for part, values in parts.items():
            if rank(values) != 1 or not len(values):
                raise InputError(f"{claim.id}: expected one number of {name} for each model behind "
                                 f"{part}, got {values!r:.200}")
            numbers(MEASURED, **{f"{claim.id}, {name}, {part}": values})
    control = control or (controlled(claim, evidence) if claim.control else None)
    decision = Decision(claim, profile, evidence, gate, control, reach)
    decision.verdict  # raises here, and not in a display, if samples are damaged
    return decision


def states(claim: Claim, samples: dict) -> dict[str, str]:
    """The states that the rule gives these parts, {part: samples}: by pairs of seeds, or by intervals, where
    direction is asked first and then absence."""
    found = {}
    for group in (claim.judged, tuple(claim.added)):
        own = {part: samples[part] for part in group if part in samples}
        asked = {part: partial(answer, claim, part, values) for part, values in own.items()}
        absent = {part: partial(no_difference, claim, part, values) for part, values in own.items()
                  if claim.margin_of(part) and not claim.pairs}
        found |= rule.states_by_holm(asked, claim.error)
        found |= {part: says for part, says in rule.states_by_holm(absent, claim.error).items()
                  if found[part] == "undecided"}
    return found


def answer(claim: Claim, part: str, samples, error: float) -> str:
    """What a part says at an error, but for the absence of a difference of means."""
    if claim.pairs:
        return rule.lead(pairs_led(claim, part, samples), len(samples), error, is_denied(claim, part))
    return rule.direction(samples, claim.region(part), claim.scale, claim.strict, error)


def no_difference(claim: Claim, part: str, samples, error: float) -> str:
    """Whether a difference of means is absent at an error."""
    absent = rule.absent(samples, claim.kind_of(part), claim.printed_of(part), error)
    return "no difference" if absent else "undecided"


def is_denied(claim: Claim, part: str) -> bool:
    """Whether a claim on pairs says that the model does not lead."""
    bottom, top = claim.region(part)
    return bottom < 1 < top


def pairs_led(claim: Claim, part: str, samples) -> float:
    """In how many pairs, given as ratios, the model leads whose lead is stated or denied; a tie is half."""
    bottom, top = claim.region(part)
    below = top <= 1 or -math.inf < bottom < 1  # "lower", and "no lower but for a tenth"
    return sum((value < 1 if below else value > 1) + (value == 1) / 2 for value in samples)


def evidence_path(page: str) -> Path:
    """The file with what a page measured for its claims."""
    return results_folder() / page / "evidence.json"


def ledger() -> list[Decision]:
    """Every claim of every paper with its verdict."""
    return [decision_on_record(claim) for paper in papers() for claim in load_claims(paper)]


def entry_on_record(claim: Claim) -> dict | None:
    """What the committed evidence has for a claim, or None; raises InputError where it is damaged."""
    path = evidence_path(claim.page) if claim.page else None
    if path is None or not there(path):
        return None
    with damage_told(path, "evidence of today's claims"):
        evidence = read_object(path)
        if claim.id in evidence:
            instance(dict, **{claim.id: evidence[claim.id]})
        return evidence.get(claim.id)


def decision_on_record(claim: Claim) -> Decision:
    """The decision that the committed evidence gives, of these bounds; raises InputError if it is damaged."""
    found = entry_on_record(claim)
    if found is None:
        return Decision(claim)
    try:
        if not claim.faulty and found.get("bounds", claim.bounds) != claim.bounds:
            claim = replace(claim, faulty=CHANGED)
        return decide(claim, found["parts"], found["profile"], found.get("gate"),
                      found.get("control"), found.get("reach"))
    except DAMAGE as error:
        path = evidence_path(claim.page)
        raise InputError(f"{path}: expected evidence of today's claims, got a damaged file or that of "
                         f"an older version ({error}); run the page again or restore it from git") from None
