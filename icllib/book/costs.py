"""What the records of each chapter cost, and what those that are missing would."""

from math import isnan, nan

from icllib.book.papers import hours, records_of
from icllib.claims import papers
from icllib.page_names import all_pages
from icllib.pages import runs_by_profile, runs_once
from icllib.results import digest, results_folder, settings
from icllib.training.costs import ON_CPU, seconds_of, work
from icllib.training.fleets import fleets
from icllib.training.provenance import clock_of
from icllib.training.run import Run
from icllib.training.weights import model_of

PROFILES = ("cpu", "gpu", "paper")


def cost_table() -> str:
    """A table of hours by chapter: what was spent, and what is missing at each profile.

    Core-hours for what was spent and for `cpu`; hours of an H200, which nobody has measured, for
    `gpu` and `paper`.
    """
    heads = ["spent (core-hours)", "missing at `cpu` (core-hours)",
             *(f"missing at `{profile}` (hours of an H200)" for profile in PROFILES[1:])]
    lines = ["| paper | " + " | ".join(heads) + " |", "|---|" + "---:|" * len(heads)]
    speeds = recorded_speeds()
    for paper in papers():
        missing = missing_runs(paper)
        spent = [hours(records_of(f"{paper}/*")),
                 *(estimate(missing[profile], profile, speeds) for profile in PROFILES)]
        lines.append(f"| {papers()[paper].short} | {' | '.join(map(rounded, spent))} |")
    return "\n".join(lines) + "\n"


def missing_runs(paper: str) -> dict[str, list[Run]]:
    """The training runs of a paper's pages that have no record, one of each model: profile -> runs."""
    found = {profile: {} for profile in PROFILES}
    made = {path.stem for path in results_folder().glob(f"{paper}/*/*/*.json")}
    for page in all_pages():
        if page.startswith(f"{paper}/"):
            for profile, runs in runs_by_profile(runs_once(page)):
                for run in runs:
                    if (profile in found and isinstance(run, Run)
                            and digest(settings(run)) not in made):
                        found[profile][model_of(run)] = run
    return {profile: list(models.values()) for profile, models in found.items()}


def estimate(runs, profile: str, speeds: dict) -> float:
    """Hours that these runs would take; on a CPU at the speed of models of their kind, or at that of
    all models where none of their kind is recorded; NaN where none is."""
    if profile in ON_CPU:
        return sum(work(run) / speeds.get(kind(run.model), speeds.get(None, nan))
                   for run in runs) / 3600
    return sum(seconds_of(fleet, profile) for fleet in fleets(runs)) / 3600


def recorded_speeds() -> dict:
    """Multiply-adds per second of one core, over committed records of training on a CPU: by kind of
    model, and under None of all. Wide models make several times as many as narrow ones."""
    trained = [record for paper in papers() for record in records_of(f"{paper}/*")
               if record.run["type"] == "training.Run" and "fleet" in record.provenance
               and clock_of(record.provenance) == "processor"]
    spent = {}
    for record in trained:
        run, made = record.component, record.provenance
        pair = work(run), made["processor_seconds"] / made["fleet"]
        for own in (kind(run.model), None):
            spent.setdefault(own, []).append(pair)
    return {own: sum(done for done, _ in pairs) / sum(seconds for _, seconds in pairs)
            for own, pairs in spent.items()}


def kind(model) -> tuple:
    """What the speed of a model depends on most: its class and its width."""
    return type(model), getattr(model, "width", None)


def rounded(hours: float) -> str:
    """Hours to two digits."""
    if isnan(hours):
        return "not known"
    return f"{hours:.2g}" if hours < 10 else f"{hours:,.0f}"
