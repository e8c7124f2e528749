"""Claims and their verdicts: decided by code, from evidence, with tolerances fixed before.

A claim lives in claims/<paper>.yml. Its evidence, samples of one statistic for each part of the
claim's range, lives in results/<paper>/<page>/evidence.json, written by the page that decides it.
A verdict is a pure function of the two and is never stored.
"""

import json
import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import yaml
from scipy import stats

from icllib.errors import DAMAGE, InputError
from icllib.results import PROFILES, PROJECT, results_folder

PAPERS = ("context_scaling", "signed_averaging", "causal_lm", "solvable_attention")
PREDICATES = {  # predicate -> the tolerances it takes
    "identity": {"at_most"},
    "value": {"factor", "distance"},
    "ordering": {"below", "above"},
    "trend": {"below", "above"},
}
READINGS = ("text", "table", "figure", "corrected")  # corrected: ours, where the print is wrong
LARGE_PROFILES = ("gpu", "paper")
# log: of ratios, whose verdict must not depend on what is divided by what; share: linear, shown
# within 0 and 1
SCALES = ("linear", "log", "share")


@dataclass(frozen=True)
class Claim:
    """One statement of a paper, with a predicate and a tolerance fixed before the run.

    Raises InputError where these, the parts or what is printed are not complete.
    """

    id: str
    source: str  # figure, table, proposition or section
    statement: str
    printed: dict  # value, and read: one of READINGS
    predicate: str
    statistic: str  # the number that decides
    parts: tuple[str, ...]  # the stated range; each part has its own samples
    tolerance: dict
    page: str | None = None
    not_run: str | None = None  # why there is no verdict yet
    printed_on: str | None = None  # the page that shows what is printed for it, where it was not run
    cost: str | None = None
    scale: str = "linear"  # of SCALES: on which the interval over seeds is formed
    ours: bool = False  # added by us, a control or a correction; it does not count as the paper's
    absence: bool = False  # whether it denies an effect, as a model that learned nothing would
    gate: dict | None = None  # statistic, at_most or at_least, source: what models must have reached
    post_hoc: bool = False  # written, cut anew or measured anew when a result was known already

    def __post_init__(self):
        if self.predicate not in PREDICATES:
            raise InputError(f"{self.id}: predicate: expected one of {', '.join(PREDICATES)}, "
                             f"got {self.predicate!r}")
        if len(self.tolerance) != 1 or not set(self.tolerance) <= PREDICATES[self.predicate]:
            raise InputError(f"{self.id}: tolerance: expected one of "
                             f"{sorted(PREDICATES[self.predicate])}, got {self.tolerance}")
        if not self.parts:
            raise InputError(f"{self.id}: parts: expected at least one, got none")
        if not {"value", "read"} <= set(self.printed):
            raise InputError(f"{self.id}: printed: expected value and read, got {self.printed}")
        if self.printed["read"] not in READINGS:
            raise InputError(f"{self.id}: printed.read: expected one of {', '.join(READINGS)}, "
                             f"got {self.printed['read']!r}")
        if self.scale not in SCALES:
            raise InputError(f"{self.id}: scale: expected one of {', '.join(SCALES)}, "
                             f"got {self.scale!r}")
        for part in self.parts:
            try:
                low, high = self.region(part)
                sound = low < high
            except (LookupError, TypeError, ZeroDivisionError):
                sound = False
            if not sound:
                raise InputError(f"{self.id}: printed.value, tolerance: expected a region for "
                                 f"{part}, got {self.printed['value']!r} and {self.tolerance}")

    @property
    def paper(self) -> str:
        return self.id.split(".")[0]

    @property
    def number(self) -> str:
        """Which of its paper's claims it is."""
        return self.id.split(".")[1]

    @property
    def where(self) -> str:
        """Where the paper says so, or what it is that we added to; and whether it came late."""
        notes = ["added by us"] * self.ours + ["post hoc"] * self.post_hoc
        return "; ".join([self.source, *notes])

    def region(self, part: str) -> tuple[float, float]:
        """The interval in which the statistic of a part must lie for the claim to hold."""
        (kind, size), = self.tolerance.items()
        if kind in ("at_most", "below"):
            return -math.inf, size
        if kind == "above":
            return size, math.inf
        printed = self.printed["value"]
        printed = printed[part] if isinstance(printed, dict) else printed
        return ((printed - size, printed + size) if kind == "distance"
                else tuple(sorted((printed / size, printed * size))))


@dataclass(frozen=True)
class Decision:
    """A claim with what was measured for it."""

    claim: Claim
    verdict: str  # reproduced, partly, not reproduced, undecided, not run
    profile: str | None = None
    evidence: dict | None = None  # part -> list of samples


def interval(samples, scale: str = "linear") -> tuple[float, float, float]:
    """Mean and 95% t interval over seeds; a single sample is its own interval.

    scale: "log" for the geometric mean and the interval of the logarithms, of positive samples.
    Raises InputError where there are none.
    """
    samples = np.asarray(samples, dtype=float)
    if not samples.size:
        raise InputError("samples: expected at least one, got none")
    with np.errstate(divide="ignore", invalid="ignore"):  # a seed diverged: the interval is nan
        if scale == "log":
            return tuple(float(end) for end in np.exp(interval(np.log(samples))))
        mean = float(samples.mean())
        if len(samples) == 1:
            return mean, mean, mean
        half = float(stats.t.ppf(0.975, len(samples) - 1) * stats.sem(samples))
    return mean, mean - half, mean + half


def decide(claim: Claim, evidence: dict[str, list[float]], profile: str) -> Decision:
    """The verdict on a claim.

    reproduced: every part's interval lies in its region, at `gpu` or `paper`.
    not reproduced: every part's interval lies outside, at `gpu` or `paper`.
    partly: some parts hold and others do not, or only by their mean, at `gpu` or `paper`; or all
    hold, but only at a small profile.
    undecided: the intervals do not settle it; or a small profile does not hold, which refutes
    nothing, or shows no effect where the claim denies one, which a model that learned nothing
    would too.
    Raises InputError for an unknown profile, and for evidence without the claim's parts or samples.
    """
    if profile not in PROFILES:
        raise InputError(f"{claim.id}: expected evidence at one of {', '.join(PROFILES)}, "
                         f"got {profile!r}")
    if set(evidence) != set(claim.parts):
        raise InputError(f"{claim.id}: expected evidence for {list(claim.parts)}, "
                         f"got {list(evidence)}")
    found = [holds(claim, part, samples) for part, samples in evidence.items()]
    large = profile in LARGE_PROFILES
    if set(found) == {"yes"}:
        verdict = "reproduced" if large else "undecided" if claim.absence else "partly"
    elif not large:
        verdict = "undecided"
    elif "yes" in found:
        verdict = "partly"
    else:
        verdict = "not reproduced" if set(found) == {"no"} else "undecided"
    return Decision(claim, verdict, profile, evidence)


def holds(claim: Claim, part: str, samples) -> str:
    """Where the interval over seeds lies: "yes" inside the part's region, "no" outside.

    Across its border it is "by its mean", or "not by its mean", as with a seed that diverged.
    """
    mean, low, high = interval(samples, claim.scale)
    if not np.isfinite([mean, low, high]).all():
        return "not by its mean"
    bottom, top = claim.region(part)
    if bottom <= low and high <= top:
        return "yes"
    if high < bottom or low > top:
        return "no"
    return "by its mean" if bottom <= mean <= top else "not by its mean"


def load_claims(paper: str) -> list[Claim]:
    """The claims of a paper; raises InputError for a file or a claim that lacks what a verdict
    needs."""
    path, claims = PROJECT / "claims" / f"{paper}.yml", []
    try:
        entries = yaml.load(path.read_text(), Loader=yaml.CSafeLoader)["claims"]  # 7 times as fast
        for number, entry in enumerate(entries, 1):
            if entry["id"] != f"{paper}.{number}":
                raise ValueError(f"expected the id {paper}.{number}, got {entry['id']}")
            claims.append(Claim(**entry | {"parts": tuple(entry.get("parts", ()))}))
    except (yaml.YAMLError, *DAMAGE) as error:
        after = f" after {claims[-1].id}" if claims else ""
        reason = " ".join(str(error).split())  # YAML's has several lines
        raise InputError(f"{path}: expected claims, got a damaged file{after} ({reason}); "
                         "mend it or restore it from git") from None
    return claims


def find_claim(claim_id: str) -> Claim:
    """The claim with this id; raises InputError if there is none."""
    paper = claim_id.split(".")[0]
    if paper not in PAPERS:
        raise InputError(f"claim id: expected <paper>.<number> with a paper of "
                         f"{', '.join(PAPERS)}, got {claim_id!r}")
    claims = load_claims(paper)
    for claim in claims:
        if claim.id == claim_id:
            return claim
    raise InputError(f"claim id: expected {claims[0].id} to {claims[-1].id}, got {claim_id!r}")


def evidence_path(page: str) -> Path:
    """Where a page keeps what it measured for its claims."""
    return results_folder() / page / "evidence.json"


def ledger() -> list[Decision]:
    """Every claim of the four papers with its verdict."""
    return [decision_on_record(claim) for paper in PAPERS for claim in load_claims(paper)]


def decision_on_record(claim: Claim) -> Decision:
    """The verdict that the committed evidence gives; raises InputError where it is damaged."""
    path = evidence_path(claim.page) if claim.page else None
    if path is None or not path.exists():
        return Decision(claim, "not run")
    try:
        evidence = {**json.loads(path.read_text())}
        if claim.id not in evidence:
            return Decision(claim, "not run")
        return decide(claim, evidence[claim.id]["parts"], evidence[claim.id]["profile"])
    except DAMAGE as error:
        raise InputError(f"{path}: expected evidence, got a damaged file ({error}); run the page "
                         "again or restore it from git") from None
