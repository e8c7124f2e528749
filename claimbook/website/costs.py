"""What the records of each chapter cost, and what those that are missing would."""

from claimbook.claims import papers
from claimbook.pages.names import all_pages
from claimbook.pages.page import runs_by_profile, runs_of
from claimbook.records import digest, results_folder, settings
from claimbook.records.compute import KEPT, seconds_of, trains
from claimbook.records.errors import InputError
from claimbook.website.papers import hours, records_of


def cost_table() -> str:
    """A table of hours by chapter: what was spent, and what is missing at each profile."""
    heads = ["spent (core-hours)", "missing at `cpu` (core-hours)",
             *(f"missing at `{profile}` (hours of an H200)" for profile in KEPT[1:])]
    lines = ["| paper | " + " | ".join(heads) + " |", "|---|" + "---:|" * len(heads)]
    for name, paper in papers().items():
        missing = missing_runs(name)
        cells = [in_words(hours(records_of(f"{name}/*"))), *(estimate(missing[own], own) for own in KEPT)]
        lines.append(f"| {paper.short} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def missing_runs(paper: str) -> dict[str, list]:
    """The runs of a paper's pages that train and have no record, each once: profile -> runs."""
    found = {profile: {} for profile in KEPT}
    made = {path.stem for path in results_folder().glob(f"{paper}/*/*/*.json")}
    for page in (page for page in all_pages() if page.startswith(f"{paper}/")):
        for profile, runs in runs_by_profile(runs_of(page)):
            found[profile] |= {run: run for run in runs if trains(run) and digest(settings(run)) not in made}
    return {profile: list(models.values()) for profile, models in found.items()}


def estimate(runs, profile: str) -> str:
    """Hours of one core or of an H200 that these runs would take."""
    try:
        return in_words(seconds_of(runs, profile) / 3600)
    except InputError:
        return "not known"


def in_words(hours: float) -> str:
    """Hours to two digits."""
    return f"{hours:.2g}" if hours < 10 else f"{hours:,.0f}"
