"""What a page of the book does beside its own code.

A page writes into $CLAIMBOOK_OUTPUT (the page runner moves it into results/ when the whole page
has succeeded) or, without a runner, into runs/, so that trying things out changes no result.
"""

import builtins
import dataclasses
import importlib
from collections.abc import Iterable
from functools import cached_property
from math import fsum

import pandas as pd

from claimbook.claims import find_claim, load_claims
from claimbook.claims.controls import FROM_EVIDENCE
from claimbook.claims.decisions import CHANGED, decide, entry_on_record
from claimbook.claims.json_and_csv import harmless
from claimbook.claims.sentences import ANYWHERE
from claimbook.claims.verdicts import Verdicts
from claimbook.pages.plotting import series, use_style
from claimbook.records import (
    DIGITS, PROFILES, Record, check_page, check_profile, check_records, digest,
    recorded_fields, rounded)
from claimbook.records.checks import in_ranges, instance, integer, lists_runs, text, tuple_of
from claimbook.records.compute import KEPT, records, runs_at, trains
from claimbook.records.errors import InputError
from claimbook.records.files import check_writable, folder_named, to_json, write_text
from claimbook.records.provenance import clock_of
from claimbook.records.values import values


class Page:
    """One page of a book, named "<paper>/<page>" after its file in notebooks/.

    profile: "stored" shows the best records that are committed, any other computes what is missing.
    """

    def __init__(self, name: str, profile: str = "stored"):
        check_page(name)
        check_profile(profile)
        self.name, self.asked = name, profile
        self.output = folder_named("CLAIMBOOK_OUTPUT", f"runs/{name}")
        self.read, self.together = [], []  # all records that the page has asked for; those not apart
        self.decisions = {}  # by claim, so that a cell that is run again replaces its own
        use_style()
        pd.reset_option("^display")  # as `use_style` does with a user's own style
        pd.set_option("display.max_colwidth", None, "display.max_columns", 20)  # of a notebook, no terminal

    @property
    def runs(self):
        """The function that lists the page's runs at a profile: `runs` of papers/<paper>/<page>.py."""
        return runs_of(self.name)

    @cached_property
    def records(self) -> list[Record]:
        """The records of the page's runs, in their order; computed where they are missing and asked for."""
        return self.recorded(self.runs)

    def recorded(self, runs, apart: bool = False) -> list[Record]:
        """The records of other runs, a function from a profile to their list. apart: they may be of another
        profile than the page's others, and say so where they are drawn or judged."""
        found = records(runs, self.asked, self.name)
        self.read += found
        if not apart:
            self.together += found
        return found

    @property
    def profile(self) -> str:
        """The profile of the records that the page shows, but for those apart and for what trains nothing
        beside models; raises InputError where they are of several."""
        found = self.together or self.records
        trained = [record for record in found if "fleet" in record.provenance or "kept_weights" in record.provenance]
        return shown_profile(trained or found)

    def values(self, metric: str, records=None, **labels) -> pd.Series:
        """A metric of those of the page's records that have it, or of these; see `claimbook.values`."""
        if records is None:
            records = [record for record in self.records if metric in record.metrics]
        return values(records, metric, **labels)

    def settings(self, assumed=(), place: int = 0, runs=None) -> pd.DataFrame:
        """The settings of one of the page's runs, or of other runs, as `settings_table` tells them."""
        return settings_of(self.runs if runs is None else runs, self.profile, assumed, place)

    def series(self, panel: str, name: str, xs, samples, within=ANYWHERE, scale: str = "linear",
               profile: str | None = None) -> pd.DataFrame:
        """Rows of the figure's table, as `claimbook.pages.plotting.series`; profile: where it is not that
        of the page, as of printed numbers."""
        return series(panel, name, xs, samples, self.profile if profile is None else profile, within, scale)

    def provenance(self, records=None) -> str:
        """Where the numbers of the page come from, in one line: of all its records, or of these."""
        return provenance_line((self.read or self.records) if records is None else records, self.name)

    def save_figure(self, *tables: pd.DataFrame) -> pd.DataFrame:
        """Write the numbers behind the figure as figure.csv and return them as one table."""
        if not tables:
            raise InputError("tables: expected at least one, got none")
        for table in tables:
            instance(pd.DataFrame, tables=table)
        check_writable(self.output)
        table = pd.concat(tables, ignore_index=True)
        write_text(self.output / "figure.csv", table.map(harmless).to_csv(
            index=False, float_format=f"%.{DIGITS}g"))
        return table

    def decide(self, claim: int | str, evidence: dict, gate=None, control=None,
               profile: str | None = None, reach=None) -> None:
        """Hand evidence, samples over seeds for each part, to a claim and note the verdict.

        claim: its number, or its name as in causal_lm.6. gate, control, reach: as
        `claimbook.claims.decisions.decide` says. profile: where it is not that of the page. Raises
        InputError for a claim of another page, and if its bounds are no longer those for which the same
        evidence was measured, unless it is marked post hoc.
        """
        claim_id = self.id_of(claim)
        own = find_claim(claim_id)
        if own.page != self.name:
            raise InputError(f"{claim_id}: expected a claim of page {self.name}, it belongs to {own.page}")
        evidence, gate, control, reach = map(rounded_samples, (evidence, gate, control, reach))
        decided = decide(own, evidence, self.profile if profile is None else profile, gate, control, reach)
        before = entry_on_record(own) or {}
        changed = before.get("bounds", own.bounds) != own.bounds
        if changed and before.get("parts") == evidence and not own.post_hoc:
            raise InputError(f"{claim_id}: {CHANGED}")
        self.decisions[claim_id] = decided
        write_text(self.output / "evidence.json", to_json(
            {name: entry(item) for name, item in self.decisions.items()}))

    def check_gate(self, claim: int | str, reached) -> None:
        """Raises InputError where a model, of a pilot say, has not passed the gate of a claim. reached: the
        statistic of the gate, one number per model."""
        gate = find_claim(self.id_of(claim)).gate
        if gate is None:
            raise InputError(f"claim: expected one with a gate, {self.id_of(claim)} has none")
        if lacking := [value for value in reached if not gate.passes(value)]:
            raise InputError(f"pilot: expected models that pass the gate of {self.id_of(claim)}, "
                             f"{gate.statistic}, got {', '.join(f'{value:.3g}' for value in lacking)}")

    def id_of(self, claim: int | str) -> str:
        """The name of a claim that is given by its number or its name."""
        return claim if isinstance(claim, str) else f"{self.name.split('/')[0]}.{claim}"

    def verdicts(self) -> Verdicts:
        """Paper beside ours for every part of every claim that was decided; a script prints it."""
        shown = Verdicts(list(self.decisions.values()))
        if not hasattr(builtins, "__IPYTHON__"):  # where nothing shows the value of a cell
            print(shown)
        return shown

    def not_run(self) -> pd.DataFrame:
        """The claims for which this page shows what is printed, and why none was run."""
        rows = [(claim.number, claim.source, "not tested", claim.not_run)
                for claim in load_claims(self.name.split("/")[0])
                if claim.printed_on == self.name]
        return pd.DataFrame(rows, columns=["claim", "source", "verdict", "because it"]).set_index("claim")


def rounded_samples(samples):
    """Samples, or those of each part, as in records; what is none stays as it is, for `decide` to tell."""
    if isinstance(samples, dict):
        return {part: rounded_samples(own) for part, own in samples.items()}
    return rounded(list(samples)) if isinstance(samples, Iterable) else samples


def entry(decision) -> dict:
    """What is kept of a decision: all that its verdict follows from."""
    kept = {"profile": decision.profile, "bounds": decision.claim.bounds, "parts": decision.evidence,
            "gate": decision.gate}
    own = decision.control if decision.claim.control not in FROM_EVIDENCE else None
    kept |= {"control": own, "reach": decision.reach}
    return {name: value for name, value in kept.items() if value is not None}


def settings_table(run, assumed=(), paper=None, profile: str = "paper") -> pd.DataFrame:
    """A run's settings, one row each, with where each is from.

    assumed: name or names of those that the paper does not give. paper: the same run at the profile `paper`;
    what differs was chosen for this profile. Raises InputError for an assumed name that no setting has.
    """
    assumed = {assumed} if isinstance(assumed, str) else set(tuple_of(text, "assumed", assumed, 0))
    rows, printed = dict(_leaves(run, "")), dict(_leaves(run if paper is None else paper, ""))
    if unknown := assumed - set(rows):
        raise InputError(f"assumed: expected names among {sorted(rows)}, got {sorted(unknown)}")

    def origin(name, value):
        return profile if printed.get(name) != value else "assumed" if name in assumed else "paper"

    return pd.DataFrame([(name, value, origin(name, value)) for name, value in rows.items()],
                        columns=["setting", "value", "from"]).set_index("setting")


def settings_of(runs_of_page, profile: str, assumed=(), place: int = 0) -> pd.DataFrame:
    """`settings_table` of the run at this place, beside that of `paper`; raises InputError for "stored"."""
    check_profile(profile, PROFILES)
    lists_runs(runs_of_page=runs_of_page)
    runs = runs_of_page(profile)
    integer(-len(runs), len(runs) - 1, place=place)
    return settings_table(runs[place], assumed, runs_of_page("paper")[place], profile)


def _leaves(value, name: str):
    if not dataclasses.is_dataclass(value) or not recorded_fields(value):
        yield name, _in_words(value)
        return
    for field, part in recorded_fields(value).items():
        yield from _leaves(part, f"{name}.{field}".lstrip("."))


def _in_words(value) -> str:
    """A setting in words: a row of neighboring integers by its ends."""
    if isinstance(value, float):
        return f"{value:g}"
    integers = isinstance(value, tuple) and all(isinstance(item, int) for item in value)
    if integers and len(value) > 2 and value == tuple(range(value[0], value[-1] + 1)):
        return f"{value[0]} to {value[-1]}"
    return str(value)


def provenance_line(records: list[Record], page: str) -> str:
    """Where the numbers of a page come from, in one line, and where its records are, each of them once."""
    check_records(records)
    check_page(page)
    records = list({digest(record.run): record for record in records}.values())
    made = [record.provenance for record in records]
    every = lambda name: ", ".join(sorted({str(item[name]) for item in made if name in item}))
    clock = "processor" if {clock_of(item) for item in made} == {"processor"} else "wall"
    # fsum rounds once: what sum makes of halves differs between versions of Python.
    seconds = fsum(item[f"{clock}_seconds"] / item.get("fleet", 1) for item in made)
    seeds = sorted({record.run["seed"] for record in records if "seed" in record.run})
    dirty = " (with uncommitted changes)" if any(item["dirty"] for item in made) else ""
    torch = f"torch {every('torch')}; " if any("torch" in item for item in made) else ""
    of = lambda things, word: f"{word}{'s' * (len(things) != 1)}"
    return (f"profile {every('profile')}; {len(records)} {of(records, 'run')}, "
            f"{of(seeds, 'seed')} {in_ranges(seeds)}, "
            f"{seconds:.0f} s of {clock} time; {every('device')}; {torch}"
            f"{every('date')}; commit {every('commit')}{dirty}; records in "
            f"results/{page.split('/')[0]}/")


def shown_profile(records: list[Record]) -> str:
    """The one profile that a set of records shows; raises InputError for a mixture."""
    check_records(records)
    profiles = {record.profile for record in records}
    if len(profiles) != 1:
        raise InputError(f"records: expected records of one profile, got {', '.join(sorted(profiles)) or 'none'}")
    return profiles.pop()


# ---- the runs of a page ----------------------------------------------------------------------


def runs_of(page: str):
    """The function that lists a page's runs, `runs` of the module with its name; InputError where none is."""
    name = "papers." + page.replace("/", ".")
    try:
        listed = getattr(importlib.import_module(name), "runs", None)
    except ModuleNotFoundError as error:
        if error.name not in (name, name.rpartition(".")[0]):
            raise
        listed = None
    if listed is None:
        raise InputError(f"{page}: expected papers/{page}.py with a function runs, which "
                         "lists the page's runs, found none")
    return listed


def runs_by_profile(runs_of_page):
    """Profiles and their runs; a page that trains nothing has the profile "paper" alone."""
    found = [(profile, runs_at(runs_of_page, profile)) for profile in KEPT]
    trained = [(profile, runs) for profile, runs in found if any(map(trains, runs))]
    return trained or found[-1:]
