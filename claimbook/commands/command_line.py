"""The command line: python -m claimbook."""

import dataclasses
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Annotated, Optional

import typer

from claimbook.commands import new
from claimbook.commands.output import in_full, show
from claimbook.records.errors import InputError, OutOfTime
from claimbook.records.files import check_project

app = typer.Typer(no_args_is_help=True, add_completion=False, rich_markup_mode=None,
                  pretty_exceptions_enable=False)
app.add_typer(new.app, name="new", help="Write the files of a new paper or page, with words to fill in.")

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
Pages = Annotated[list[str], typer.Argument(
    metavar="PAGE...", help="<paper>/<page> or a path; a paper for its pages, 'all' for every page.")]
TimeLimit = Annotated[Optional[float], typer.Option(
    min=0, callback=lambda seconds: None if seconds is None else time.monotonic() + seconds,
    help="Stop training after this many seconds; what is finished is kept, the next call goes on.")]
Members = Annotated[Optional[int], typer.Option(
    min=1, help="Train at most so many models at once: for a GPU with little memory, or more processors.")]
OnCpu = Annotated[bool, typer.Option("--on-cpu", help="Train models of profile gpu on the CPU, which is "
                                     "refused otherwise where no GPU can be used.")]


@app.callback()
def in_the_project(context: typer.Context):
    """Run the book's pages and read its results."""
    if context.invoked_subcommand not in ("new", "demo"):  # which start one
        check_project()


@app.command(epilog="Examples:  python -m claimbook run causal_lm/propositions  |  "
                    "python -m claimbook run notebooks/context_scaling/fig01_scaling.py "
                    "--profile gpu --time-limit 1500")
def run(
    pages: Pages,
    profile: Annotated[str, typer.Option(help="stored: show the best committed records, train "
                       "nothing. cpu, gpu, paper: compute the missing records first. "
                       "smoke: everything at tiny sizes, nothing kept.")] = "stored",
    time_limit: TimeLimit = None,
    members: Members = None,
    on_cpu: OnCpu = False,
    as_recorded: Annotated[bool, typer.Option("--as-recorded", help="Train the records of the "
                           "profile again, each with those that it was trained with, and compare; "
                           "nothing is kept.")] = False,
    parameter: Annotated[list[str], typer.Option("--parameter", "-p", metavar="NAME=VALUE",
                         help="Another value for a name in the page's parameters cell.")] = [],
):
    """Execute pages: compute what is missing, then refresh the notebook and its results."""
    from claimbook.pages.execution import check_parameters, parse_parameter
    from claimbook.pages.names import find_pages
    from claimbook.records import check_profile
    from claimbook.records.limits import Limits

    names = find_pages(*pages)
    check_profile(profile)
    if as_recorded and (parameter or members):
        raise InputError("--as-recorded: expected no --parameter and no --members, as models are "
                         "trained as they were")
    parameters = dict(parse_parameter(text) for text in parameter)
    for name in names:
        check_parameters(name, parameters)
    limits, codes = Limits(time_limit, members, on_cpu), {}
    try:
        for name in names:
            codes[name] = attempt(name, profile, parameters, limits, as_recorded)
    finally:  # at the time limit too
        failed = [name for name, code in codes.items() if code]
        if failed and len(names) > 1:
            _say(f"{len(failed)} of {len(names)} pages failed: {', '.join(failed)}", 1)
    raise typer.Exit(max(codes.values()))


def attempt(page: str, profile: str, parameters: dict, limits, as_recorded: bool) -> int:
    """Run a page and say how it went; its exit code, so that one that fails stops no others."""
    from claimbook.commands.as_recorded import train_again
    from claimbook.commands.run import run_page
    from claimbook.pages.execution import PageFailed

    try:
        done = (train_again(page, profile, limits) if as_recorded
                else run_page(page, profile, parameters, limits))
        typer.echo(f"{page}: {done}")
    except PageFailed as error:
        return _say(error, 1)
    except InputError as error:
        return _say(f"{page}: {str(error).removeprefix(f'{page}: ')}", 2)
    except OutOfTime as error:
        raise OutOfTime(f"{page}: {str(error).removeprefix(f'{page}: ')}") from None
    return 0


@app.command(epilog="Examples:  python -m claimbook compare causal_lm/propositions  |  "
                    "python -m claimbook compare all")
def compare(pages: Pages):
    """Execute pages again and tell each number that is not as in the committed notebook."""
    from claimbook.commands.compare import compare_all
    from claimbook.pages.names import find_pages

    names = find_pages(*pages)
    changed = compare_all(names, typer.echo)
    typer.echo(f"{len(names) - changed} of {len(names)} pages are as committed")
    raise typer.Exit(int(changed > 0))


@app.command(epilog="Examples:  python -m claimbook status  |  "
                    "python -m claimbook status context_scaling/fig01_scaling  |  "
                    "python -m claimbook status --json")
def status(
    pages: Annotated[Optional[list[str]], typer.Argument(metavar="[PAGE...]",
                     help="<paper>/<page>, a path or a paper; all if none is named.")] = None,
    as_json: AsJson = False,
):
    """List pages: fresh, stale (and why) or missing, and what is missing would cost."""
    from claimbook.commands.status import kept_status
    from claimbook.pages.names import find_pages

    states = kept_status(find_pages(*(pages or ["all"])))
    show([dataclasses.asdict(state) for state in states], as_json, lambda row: {
        "page": f"{row['paper']}/{row['page']}", "profile": row["profile"], "state": row["state"],
        "why, and what it would take": "; ".join(filter(None, (row["reason"], row["cost"])))})


@app.command(epilog="Examples:  python -m claimbook plan --profile gpu --budget 25m  |  "
                    "python -m claimbook plan --profile paper --page causal_lm --json")
def plan(
    profile: Annotated[str, typer.Option(help="Whose missing records are planned.")],
    pages: Annotated[Optional[list[str]], typer.Option("--page", metavar="PAGE", help="<paper>/"
                     "<page>, a path or a paper, as often as needed; all if none is named.")] = None,
    budget: Annotated[Optional[str], typer.Option(metavar="TIME", help="Those that settle most "
                      "in 25m, 2h or 1d, one after the other: whole seeds, and nothing that settles "
                      "nothing.")] = None,
    members: Members = None,
    as_json: AsJson = False,
):
    """List the fleets that pages miss, those first that settle most undecided claims per minute."""
    from claimbook.commands.plan import minutes, plan_trainings as planned
    from claimbook.pages.names import find_pages

    most = None if budget is None else minutes(budget)
    names = find_pages(*(pages or ["all"]))
    rows = [dataclasses.asdict(job) for job in planned(names, profile, members, most)]
    table = [{"minutes": row["minutes"], "GiB": row["memory_gib"], "models": row["members"],
              "for": " ".join(row["pages"])} for row in rows]
    show(rows if as_json else table, as_json,
         lambda row: row | {"for": row["for"].replace(" ", "\n")},
         "no record is missing" if most is None else f"nothing that settles a claim fits into {budget}")


@app.command(epilog="Example:  python -m claimbook train "
                    "context_scaling/fig05_one_layer/cpu/0a1b2c3d4e5f.json")
def train(
    records: Annotated[list[str], typer.Argument(metavar="RECORD...", help="<paper>/<page>/"
                       "<profile>/<name>.json, as `plan --json` lists those of a fleet.")],
    time_limit: TimeLimit = None,
    on_cpu: OnCpu = False,
):
    """Train the models of these records together, as one fleet, and save them."""
    from claimbook.commands.plan import train as train_fleet
    from claimbook.records.limits import Limits

    typer.echo(train_fleet(records, Limits(time_limit, on_cpu=on_cpu)))


@app.command(epilog="Examples:  python -m claimbook claims  |  python -m claimbook claims causal_lm  |  "
                    "python -m claimbook claims causal_lm.6 --json")
def claims(
    ids: Annotated[Optional[list[str]], typer.Argument(metavar="[ID...]",
                   help="Claims such as causal_lm.6, those of a paper or of a page; all if none "
                        "is named.")] = None,
    as_json: AsJson = False,
):
    """Print the ledger: every claim of the papers with its verdict."""
    from claimbook.claims import papers
    from claimbook.claims.decisions import decision_on_record
    from claimbook.claims.json_and_csv import claim_as_json
    from claimbook.claims.sentences import sentence

    names = papers() if not ids or "all" in ids else ids
    asked = {claim.id: claim for name in names for claim in claims_of(name)}
    decisions = list(map(decision_on_record, asked.values()))
    if as_json:
        return show(list(map(claim_as_json, decisions)), as_json, None)
    if ids and asked.keys() >= set(ids):  # claims, each by its name
        typer.echo("\n\n".join(map(in_full, decisions)))
        return
    show([{"id": item.claim.id, "verdict": item.words, "said": sentence(item),
           "statement": item.claim.statement, "source": item.claim.where, "page": item.claim.page}
          for item in decisions], as_json, lambda row: {
        "id": row["id"], "verdict": row["verdict"], "claim": "\n".join(filter(None, (
            row["statement"], row["said"], row["source"], row["page"])))}, "no claims found",
         lambda row: {"id": row["id"], "verdict": row["verdict"].partition(",")[0],
                      "claim": textwrap.shorten(row["statement"], 48, placeholder=" ...")})


def claims_of(name: str) -> list:
    """The claims of a paper or of a page, or the one with this id."""
    from claimbook.claims import find_claim, load_claims, papers

    if name in papers():
        return load_claims(name)
    if "/" not in name:
        return [find_claim(name)]
    from claimbook.pages.names import find_page  # with PyTorch, which the claims alone do without

    page = find_page(name)
    return [claim for claim in load_claims(page.split("/")[0]) if page in (claim.page, claim.printed_on)]


@app.command(epilog="Example:  python -m claimbook book")
def book():
    """Build the website from the committed records, with warnings as errors."""
    from claimbook.commands.status import kept_status
    from claimbook.pages.names import all_pages
    from claimbook.website import build

    try:
        typer.echo(f"Open {build()}")
    except subprocess.CalledProcessError as error:
        raise typer.Exit(error.returncode)
    kept_status(all_pages())  # so that `status` has them at hand


@app.command(epilog="Example:  python -m claimbook rename trees/fig01_depth fig01_size")
def rename(
    page: Annotated[str, typer.Argument(help="<paper>/<page> or a path.")],
    name: Annotated[str, typer.Argument(help="Its new name, without the paper's.")],
):
    """Give a page another name, wherever it is named; its records stay."""
    from claimbook.commands.rename import rename_page as give

    written = give(page, name)
    typer.echo("\n".join([*written, f"Now: python -m claimbook run {page.split('/')[0]}/{name}"]))


@app.command(epilog="Example:  python -m claimbook demo")
def demo(
    folder: Annotated[Path, typer.Argument(help="Where it is made: new, or empty.")] = Path("claimbook-demo"),
):
    """Make a book of one page in a folder, plant two faults in it and show that both are told: a minute."""
    from claimbook.commands.demo import make_demo as make

    raise typer.Exit(int(not make(folder)))


@app.command(epilog="Example:  python -m claimbook contents")
def contents():
    """Write the table of contents and README's table anew, from the papers and verdicts that are there."""
    from claimbook.website.contents import write_contents

    typer.echo(", ".join(write_contents()))


def main() -> None:
    """Exit codes: 0 done, 1 a page failed, 2 bad input, 3 training stopped, at the time limit or by a
    signal. Outside of training a signal just ends the command, and nothing is lost."""
    try:
        app(prog_name="python -m claimbook")
    except InputError as error:
        sys.exit(_say(error, 2))
    except OSError as error:
        if not error.strerror:
            raise
        sys.exit(_say(f"{error.filename2 or error.filename or 'output'}: {error.strerror}", 2))
    except OutOfTime as error:
        sys.exit(_say(f"{error}; what is finished is kept, the next call goes on from here", 3))


def _say(message, code: int) -> int:
    print(f"claimbook: {message}", file=sys.stderr)
    return code
