"""A book of one page in a folder of its own, with two faults that it tells: a claimbook in a minute."""

import subprocess
import sys
from pathlib import Path

import typer

from claimbook.commands.new import filled
from claimbook.records.errors import InputError
from claimbook.records.files import write_text, write_together

PAGE = "trees/fig01_depth"


def make_demo(folder: Path) -> bool:
    """Makes the book by the commands that anybody would call, plants the faults, mends them; returns whether
    both were told. Raises InputError for a folder that is there already and not empty."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"folder: expected an empty one, got {folder}")
    write_together({folder / name: text for name, text in filled("project").items()})
    folder = folder.resolve()
    for words in (["new", "paper", "trees"], ["new", "page", *PAGE.split("/")],
                  ["run", PAGE, "--profile", "cpu"], ["claims"], ["book"]):
        code, said = called(folder, *words)
        if code:
            raise InputError(f"{' '.join(words)}: expected it to work, got exit code {code}: {said}")
    told = [fault(folder, f"notebooks/{PAGE}.ipynb", "0.098  0.049", "0.012  0.049",
                  asks=["status"], fails=["compare", PAGE]),
            fault(folder, "papers/trees/claims.yml", "{below: 0.5}", "{below: 0.9}",
                  asks=["claims", "trees.1"], fails=["run", PAGE])]
    typer.echo(f"\n{sum(told)} of {len(told)} faults were told and mended. "
               f"Open {folder}/_build/html/index.html")
    return all(told)


def called(folder: Path, *words: str) -> tuple[int, str]:
    """Calls claimbook in this folder and shows what it says; returns its exit code and its words."""
    typer.secho(f"\n$ claimbook {' '.join(words)}", bold=True)
    done = subprocess.run([sys.executable, "-m", "claimbook", *words], cwd=folder, encoding="utf-8",
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    typer.echo(done.stdout.rstrip())
    return done.returncode, done.stdout


def fault(folder: Path, name: str, right: str, wrong: str, asks: list[str], fails: list[str]) -> bool:
    """Changes a text in a file, calls two commands and changes it back; returns whether the first one says
    something else then and the second one fails."""
    path = folder / name
    before = path.read_text("utf-8")
    if before.count(right) != 1:
        raise InputError(f"{name}: expected {right} once, got it {before.count(right)} times")
    _, sound = called(folder, *asks)
    typer.secho(f"\nA fault, in {name}: {right} becomes {wrong}", bold=True, fg="red")
    write_text(path, before.replace(right, wrong))
    (_, told), (code, _) = called(folder, *asks), called(folder, *fails)
    write_text(path, before)
    return told != sound and code != 0
