"""What the records of each chapter cost, and what those that are missing would."""

from math import isnan, nan

from claimbook.claims import papers
from claimbook.pages.names import all_pages
from claimbook.pages.page import runs_by_profile, runs_once
from claimbook.records import digest, results_folder, settings
from claimbook.records.compute import KEPT, seconds_of, trains
from claimbook.records.errors import InputError
from claimbook.website.papers import hours, records_of


def cost_table() -> str:
    """A table of hours by chapter: what was spent, and what is missing at each profile.

    Core-hours for what was spent and for `cpu`; hours of an H200, which nobody has measured, for
    `gpu` and `paper`.
    """
    heads = ["spent (core-hours)", "missing at `cpu` (core-hours)",
             *(f"missing at `{profile}` (hours of an H200)" for profile in KEPT[1:])]
    lines = ["| paper | " + " | ".join(heads) + " |", "|---|" + "---:|" * len(heads)]
    for name, paper in papers().items():
        missing = missing_runs(name)
        spent = [hours(records_of(f"{name}/*")), *(estimate(missing[profile], profile) for profile in KEPT)]
        lines.append(f"| {paper.short} | {' | '.join(map(hours_in_words, spent))} |")
    return "\n".join(lines) + "\n"


def missing_runs(paper: str) -> dict[str, list]:
    """The runs of a paper's pages that train and have no record, each once: profile -> runs."""
    found = {profile: {} for profile in KEPT}
    made = {path.stem for path in results_folder().glob(f"{paper}/*/*/*.json")}
    for page in (page for page in all_pages() if page.startswith(f"{paper}/")):
        for profile, runs in runs_by_profile(runs_once(page)):
            found[profile] |= {run: run for run in runs if trains(run) and digest(settings(run)) not in made}
    return {profile: list(models.values()) for profile, models in found.items()}


def estimate(runs, profile: str) -> float:
    """Hours of one core or of an H200 that these runs would take; NaN where that is not known."""
    try:
        return seconds_of(runs, profile) / 3600
    except InputError:
        return nan


def hours_in_words(hours: float) -> str:
    """Hours to two digits."""
    if isnan(hours):
        return "not known"
    return f"{hours:.2g}" if hours < 10 else f"{hours:,.0f}"
