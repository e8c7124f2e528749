"""A verdict from numbers alone: for a script that has no book around it."""

from claimbook.claims.claim import Claim
from claimbook.claims.decisions import Decision, decide as decided
from claimbook.claims.gates import Gate
from claimbook.claims.rule import words_of
from claimbook.claims.verdicts import ours_text, tolerance_text
from claimbook.records.errors import InputError

PREDICATES = {"below": "ordering", "above": "ordering", "at_most": "identity", "factor": "value",
              "distance": "value"}


class Outcome(Decision):
    """A decision whose repr says it in plain words; it has `verdict`, `state(part)` and `counted(part)`."""

    def __repr__(self) -> str:
        claim, lines = self.claim, [words_of(map(self.state, self.claim.parts))]
        for part, samples in self.evidence.items():
            counted = self.counted(part)
            passed = f"; {len(counted)} of {len(samples)} pass the gate" * bool(self.gate)
            lines.append(f"{part}: {ours_text(claim, part, counted or samples)}, holds if "
                         f"{tolerance_text(claim, part)}: {self.state(part)}{passed}")
        if self.control:
            shows = "as it should" if self.can_be_lost else "so the verdict shows nothing"
            lines.append(f"control: {self.control_verdict}, {shows}")
        return "\n".join(lines)


def decide(evidence, *, below=None, above=None, at_most=None, printed=None, factor=None, distance=None,
           scale: str = "linear", gate=None, gate_at_most=None, gate_at_least=None, control=None,
           kind: str | None = None) -> Outcome:
    """The verdict on a claim: "holds" where the 95% t interval over seeds lies in its region, "fails" where
    it lies outside, "undecided" across the border.

    evidence: {part: numbers, one per seed}, or the numbers of a single part. One bound makes the region:
    below, above or at_most a number, or within a factor or a distance of what is printed (a number, or one
    for each part). scale: "log" for ratios, "share" for shares. gate: what each model has reached, for all
    parts or by part; only those count that pass gate_at_most or gate_at_least, at least three and half of
    all. control: as evidence, from a case in which the claim must not hold. kind: "ratio of errors", "ratio
    of rates" or "no loss", for which "no difference" is tested too, where a ratio is printed. Raises
    InputError for no bound or several, and if it is not a number.

    >>> claimbook.decide([0.41, 0.52, 0.47], below=1, scale="log", control=[1.1, 0.9, 1.0])
    holds
    evidence: 0.464 [0.345, 0.625], holds if below 1: yes
    control: undecided, as it should
    """
    by_part = lambda own: own if isinstance(own, dict) else {"evidence": own}
    evidence, control = by_part(evidence), control if control is None else by_part(control)
    given = {"below": below, "above": above, "at_most": at_most, "factor": factor, "distance": distance}
    bounds = {name: bound for name, bound in given.items() if bound is not None}
    if len(bounds) != 1:
        raise InputError(f"bound: expected one of {', '.join(PREDICATES)}, got {', '.join(bounds) or 'none'}")
    (name, _), = bounds.items()
    if PREDICATES[name] == "value" and printed is None:
        raise InputError(f"printed: expected the number that is printed, beside {name}, got none")
    passing = gate is not None and Gate("gate", "a script", gate_at_most, gate_at_least)
    paper = {"value": "nothing" if printed is None else printed, "read": "text"}
    claim = Claim("decide", "a script", "a claim", paper, PREDICATES[name], "evidence", tuple(evidence),
                  bounds, scale=scale, gate=passing or None, kind=kind,
                  control=None if control is None else "other data")
    found = decided(claim, evidence, "paper", gate, control)
    return Outcome(claim, found.profile, found.evidence, found.gate, found.control)
