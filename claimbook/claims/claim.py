"""Papers and their claims, as paper.yml and claims.yml in papers/<paper>/ say."""

import math
from dataclasses import MISSING, dataclass, field, fields
from functools import lru_cache
from pathlib import Path

from claimbook.claims.controls import CONTROLS
from claimbook.claims.gates import Competence, Gate, Scope
from claimbook.claims.rule import ERROR, MARGINS, SCALES, margin_of
from claimbook.records import PROJECT, check_page, digest
from claimbook.records.checks import check, different, finite, instance, integer, one_of, text, tuple_of, types_of_fields
from claimbook.records.errors import InputError
from claimbook.records.files import check_project, damage_told, read_text, read_yaml, there

PREDICATES = {  # predicate -> the tolerances it takes
    "identity": {"at_most"},
    "value": {"factor", "distance"},
    "ordering": {"below", "above"},
    "trend": {"below", "above"},
}
READINGS = ("text", "table", "figure", "corrected")  # corrected: ours, where the print is wrong


@dataclass(frozen=True)
class Paper:
    """The description of a paper in papers/<name>/paper.yml."""

    name: str  #: of its folder
    order: int  #: its place among the papers
    title: str
    short: str  #: its title in tables and beside those of pages
    question: str
    claim: str  #: the paper's answer
    answer: str  #: ours
    links: dict  #: what -> address
    citation: str  #: in BibTeX
    pages: tuple[str, ...]  #: without the paper's name, in the order of the contents
    figure: str | None = None  #: the page whose first figure stands on the front page


def papers() -> dict[str, Paper]:
    """Every paper with a paper.yml, by name and in order; raises InputError if one is damaged."""
    check_project()
    found = [read_paper(path / "paper.yml") for path in (PROJECT / "papers").glob("*")
             if there(path / "paper.yml")]
    return {paper.name: paper for paper in sorted(found, key=lambda one: (one.order, one.name))}


def read_paper(path: Path) -> Paper:
    """The paper that this file describes; raises InputError for damage, and by name for other fields."""
    with damage_told(path, "the description of a paper"):
        found = read_yaml(read_text(path))
        check_entries(found, Paper, given=("name",))
        instance(list, "a list", pages=found["pages"])
        paper = Paper(path.parent.name, **found | {"pages": tuple(found["pages"])})
        types_of_fields(paper)
        different(pages=tuple_of(text, "pages", paper.pages, 0))
        for page in paper.pages:
            check_page(f"{paper.name}/{page}")
        one_of((*paper.pages, None), figure=paper.figure)
        if other := [url for url in paper.links.values() if not str(url).startswith("https://")]:
            raise ValueError(f"links: expected https://..., got {other[0]!r}")
        return paper


def check_entries(found, kind, given=(), within: str = "") -> None:
    """Raises InputError, by name, for entries that are not this dataclass's fields but for those given."""
    own = [one for one in fields(kind) if one.name not in given]
    check_names(found, [one.name for one in own],
                [one.name for one in own if one.default is one.default_factory is MISSING], within)


def check_names(found, known, needed, within: str = "") -> None:
    """Raises InputError if it is not a mapping, and for a name that is missing or not known."""
    if not isinstance(found, dict):
        raise InputError(f"expected {', '.join(needed)}, got {found!r:.100}")
    if missing := [name for name in needed if name not in found]:
        raise InputError(f"{within}{missing[0]}: expected this entry, got none")
    if other := [name for name in found if name not in known]:
        raise InputError(f"{within}{other[0]}: expected one of {', '.join(known)}")


@dataclass(frozen=True)
class Claim:
    """One statement of a paper, with what decides it, fixed before the run; InputError for what cannot be."""

    id: str
    source: str  #: figure, table, proposition or section
    statement: str
    printed: dict  #: value, and read: one of READINGS
    predicate: str
    statistic: str  #: the number that decides
    parts: tuple[str, ...]  #: the stated range; each part has its own samples
    tolerance: dict
    page: str | None = None
    not_run: str | None = None  #: why there is no verdict yet
    printed_on: str | None = None  #: the page with the printed numbers of a claim that was not run
    cost: str | None = None
    scale: str = "linear"  #: of SCALES: on which the interval over seeds is formed
    ours: bool = False  #: added by us, a control or a correction; it does not count as the paper's
    exact: bool = False  #: a proof or a closed form, checked numerically
    gate: Gate | None = None  #: of claims about trained models
    control: str | None = None  #: one of CONTROLS: a case in which the claim must not hold
    post_hoc: bool = False  #: written, divided or measured again after a result was known
    rule_later: bool = False  #: it had evidence before the present rule of verdicts was made
    headline: bool = False  #: shown first among its paper's claims
    kind: str | dict | None = None  #: one of MARGINS, or {part: kind}; None: no test for no difference
    null: float | None = None  #: the value that means no effect; 1 if there is a kind
    looks: int = 1  #: how often it may be judged, each time with more seeds; fixed before the first
    pairs: str | None = None  #: if pairs of seeds decide: what the models of a pair share
    added: dict = field(default_factory=dict)  #: parts that the paper does not state -> why
    scope: Scope | None = None
    competence: Competence | None = None
    faulty: str | None = None  #: why the evidence on record does not count
    objections: list = field(default_factory=list)  #: what the authors could object

    def __post_init__(self):
        for name, made in (("gate", Gate), ("scope", Scope), ("competence", Competence)):
            if isinstance(given := getattr(self, name), dict):
                check_entries(given, made, within=f"{self.id}: {name}.")
                object.__setattr__(self, name, made(**given))
        types_of_fields(self)
        one_of(tuple(PREDICATES), predicate=self.predicate)
        one_of((*CONTROLS, None), control=self.control)
        one_of(SCALES, scale=self.scale)
        if len(self.tolerance) != 1 or not set(self.tolerance) <= PREDICATES[self.predicate]:
            raise InputError(f"{self.id}: tolerance: expected one of "
                             f"{sorted(PREDICATES[self.predicate])}, got {self.tolerance}")
        different(parts=tuple_of(text, "parts", self.parts))
        tuple_of(text, "objections", self.objections, 0)
        integer(looks=self.looks)
        if not {"value", "read"} <= set(self.printed):
            raise InputError(f"{self.id}: printed: expected value and read, got {self.printed}")
        value = self.printed["value"]
        if isinstance(value, dict) and (lacking := set(self.parts) - set(value)):
            raise InputError(f"{self.id}: printed.value: expected one for each part, got none for "
                             f"{', '.join(sorted(lacking))}")
        for one in value.values() if isinstance(value, dict) else [value]:
            if not isinstance(one, str):
                finite(**{f"{self.id}: printed.value": one})
        one_of(READINGS, read=self.printed["read"])
        self.check_kinds()
        for part in self.parts:
            try:
                low, high = self.region(part)
                sound = low < high
            except (LookupError, TypeError, ZeroDivisionError):
                sound = False
            if not sound:
                raise InputError(f"{self.id}: printed.value, tolerance: expected a region for "
                                 f"{part}, got {self.printed['value']!r} and {self.tolerance}")

    def check_kinds(self) -> None:
        """Raises InputError for a kind of statistic, pairs or added parts that do not fit the claim."""
        for part in set(self.kind if isinstance(self.kind, dict) else ()) | set(self.added):
            one_of(self.parts, kind_or_added=part)
        printed = getattr(self.competence, "printed", None)
        for part in printed if isinstance(printed, dict) else ():
            one_of(self.parts, competence=part)
        for part in self.parts:
            one_of((*MARGINS, None), kind=self.kind_of(part))
        if (self.kind or self.pairs) and (self.scale, self.predicate) != ("log", "ordering"):
            raise InputError(f"{self.id}: kind, pairs: expected none, or an ordering on the log scale, "
                             f"got predicate {self.predicate} on the {self.scale} scale")
        if self.added and (self.ours or len(self.added) == len(self.parts)):
            raise InputError(f"{self.id}: added: expected some but not all parts, and a claim that is "
                             f"the paper's, got {list(self.added)}{' of ours' * self.ours}")

    @property
    def paper(self) -> str:
        return self.id.split(".")[0]

    @property
    def number(self) -> str:
        """The claim's number among its paper's claims."""
        return self.id.split(".")[1]

    @property
    def where(self) -> str:
        """The source in the paper, with notes if we added the claim or fixed it late."""
        notes = ["added by us"] * self.ours + ["post hoc"] * self.post_hoc
        return "; ".join([self.source, *notes])

    def region(self, part: str) -> tuple[float, float]:
        """The interval in which the statistic of a part must lie for the claim to hold."""
        (kind, size), = self.tolerance.items()
        if kind in ("at_most", "below"):
            return -math.inf, size
        if kind == "above":
            return size, math.inf
        printed = self.printed_for(part)
        return ((printed - size, printed + size) if kind == "distance"
                else tuple(sorted((printed / size, printed * size))))

    @property
    def strict(self) -> bool:
        """Whether the ends of a region do not belong to it, as for "below 1"."""
        return not {"below", "above"}.isdisjoint(self.tolerance)

    @property
    def bounds(self) -> str:
        """Twelve hexadecimal digits for what makes a verdict of evidence: other ones with another tolerance,
        gate or scale, the same ones in other words."""
        return digest([self.predicate, self.printed["value"], list(self.parts), self.tolerance, self.scale,
                       self.gate and [self.gate.at_most, self.gate.at_least], self.control, self.kind,
                       self.null, bool(self.pairs), sorted(self.added), self.scope and list(self.scope.profiles)])

    @property
    def judged(self) -> tuple[str, ...]:
        """The parts that make the verdict: those of the paper, or all of a claim that we added."""
        return tuple(part for part in self.parts if part not in self.added)

    def kind_of(self, part: str) -> str | None:
        """The kind of statistic of a part, one of MARGINS; None without a test for no difference."""
        return self.kind.get(part) if isinstance(self.kind, dict) else self.kind

    @property
    def error(self) -> float:
        """The chance, at most, that any part has a false state at one look."""
        return ERROR / self.looks

    def margin_of(self, part: str) -> float | None:
        """The factor within which a part's ratio is no difference; None where absence is not asked."""
        return margin_of(self.kind_of(part), self.printed_of(part))

    def printed_of(self, part: str) -> float | None:
        """The number that is printed for a part, on the scale of the statistic; None for words."""
        value = self.printed_for(part)
        return None if isinstance(value, str) else float(value)

    def printed_for(self, part: str | None) -> str | float:
        """What is printed for a part, or for all of them."""
        value = self.printed["value"]
        return value[part] if isinstance(value, dict) else value


def load_claims(paper: str) -> list[Claim]:
    """The claims of a paper, its headline first; raises InputError for an unknown paper and for damage."""
    one_of(tuple(papers()), paper=paper)
    path = PROJECT / "papers" / paper / "claims.yml"
    state = path.stat() if path.exists() else None
    return list(read_claims(path, paper, state and (state.st_mtime_ns, state.st_size)))


@lru_cache(maxsize=1000)
def read_claims(path: Path, paper: str, state) -> list[Claim]:
    """The claims in a file, cached for its present state."""
    claims = []
    with damage_told(path, "claims"):
        found = read_yaml(read_text(path))
        check_names(found, ("paper", "claims"), ("paper", "claims"))
        if found["paper"] != paper:
            raise ValueError(f"paper: expected {paper}, the name of the folder, got {found['paper']!r:.100}")
        instance(list, "a list", claims=found["claims"])
        for number, entry in enumerate(found["claims"], 1):
            check_entries(entry, Claim)
            if entry["id"] != f"{paper}.{number}":
                raise ValueError(f"expected the id {paper}.{number}, got {entry['id']}")
            with damage_told(entry["id"], "a claim"):
                claims.append(claim_of(entry))
    return sorted(claims, key=lambda claim: not claim.headline)


def claim_of(entry: dict) -> Claim:
    """The claim that an entry of a file describes; raises InputError, by name, for what cannot be."""
    instance(list | None, "a list", parts=entry.get("parts"))
    claim = Claim(**entry | {"parts": tuple(entry.get("parts") or ())})
    (kind, size), = claim.tolerance.items()
    least = {"at_most": 0, "distance": 0, "factor": 1}.get(kind, -math.inf)
    check(f"{kind} of at least {least}", lambda size: least <= size and math.isfinite(size), tolerance=size)
    for page in filter(None, (claim.page, claim.printed_on)):
        check_page(page)
        if not (PROJECT / "notebooks" / f"{page}.py").exists():
            raise InputError(f"page: expected one in notebooks/, got {page!r}")
    return claim


def find_claim(claim_id: str) -> Claim:
    """The claim with this id; raises InputError if there is none."""
    text(claim_id=claim_id)
    paper = claim_id.split(".")[0]
    claims = {claim.id: claim for claim in (load_claims(paper) if paper in papers() else ())}
    if claim_id not in claims:
        known = (f"{paper}.1 to {paper}.{len(claims)}" if claims else
                 f"<paper>.<number> with a paper of {', '.join(papers())}")
        raise InputError(f"claim id: expected {known}, got {claim_id!r}")
    return claims[claim_id]
