"""Builds the website, with warnings as errors, beside the last good one, whose place it takes in the end."""

import os
import shutil
import stat
import subprocess
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from claimbook.claims import papers as all_papers
from claimbook.claims.decisions import Decision, ledger as all_decisions
from claimbook.records.errors import InputError
from claimbook.records.files import PROJECT, check_writable, locked, there, write_text
from claimbook.website.contents import pages_of_contents, write_for_sphinx
from claimbook.website.costs import cost_table
from claimbook.website.front import write_findings, write_front
from claimbook.website.ledger import what_chance_does, write_ledger
from claimbook.website.previews import write_previews

GENERATED, BUILT = PROJECT / "book/_generated", PROJECT / "_build"
JUPYTER_BOOK = "import sys; from jupyter_book.cli.main import main; sys.exit(main())"


def build() -> Path:
    """Write the ledger, build the book and return its first page; until then the last website stays in its
    place. Raises InputError, and CalledProcessError where Sphinx fails."""
    for folder in (GENERATED, BUILT):
        check_writable(folder)
    check_jupyter_book()
    check_no_links()
    check_pages()
    site, before = BUILT / "html", BUILT / "before"
    with locked(BUILT) as alone:
        if not alone:
            raise InputError(f"{BUILT}: expected to build here alone, another process does")
        if before.exists() and not site.exists():  # a process was killed between the two moves below
            before.rename(site)
        for left in [before, *BUILT.glob("new-*")]:
            shutil.rmtree(left, ignore_errors=True)
        write_generated(all_decisions())
        with tempfile.TemporaryDirectory(prefix="new-", dir=BUILT) as folder:
            new = build_in(Path(folder))
            if site.exists():
                site.rename(before)
            new.rename(site)
        shutil.rmtree(before, ignore_errors=True)
    return site / "index.html"


def check_jupyter_book() -> None:
    """Raises InputError without Jupyter Book, and for another version than 1, which builds no such books."""
    try:
        found = version("jupyter-book")
    except PackageNotFoundError:
        found = "none"
    if not found.startswith("1."):
        raise InputError(f"Jupyter Book: expected version 1, got {found}; pip install 'claimbook[book]' "
                         "brings it")


def build_in(folder: Path) -> Path:
    """Builds the book anew below this folder and returns where the website is."""
    paths = filter(None, (str(PROJECT), os.environ.get("PYTHONPATH")))
    command = [sys.executable, "-c", JUPYTER_BOOK, "build", PROJECT, "--path-output", folder, "--all", "-W",
               "-n", "--keep-going", "-q"]
    done = subprocess.run(command, stdout=subprocess.PIPE, encoding="utf-8",
                          env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)})
    if done.returncode:
        print(done.stdout, file=sys.stderr)
    done.check_returncode()
    built = folder / "_build/html"
    if missing := [name for name in pages_of_contents() if not (built / f"{name}.html").is_file()]:
        raise InputError(f"Jupyter Book: expected a page for each of _toc.yml, got none for {len(missing)}, "
                         f"such as {missing[0]}")
    return built


def check_no_links() -> None:
    """Raises InputError for a link, a pipe or a device among what the website is made of."""
    for folder in ("book", "notebooks", "results", "papers"):
        for path in (PROJECT / folder).rglob("*"):
            if not path.is_dir() and not stat.S_ISREG(path.lstat().st_mode):
                raise InputError(f"{path}: expected a file, got a link, a pipe or a device")


def check_pages() -> None:
    """Raises InputError for a paper without pages, and for a page that was never executed."""
    for name, paper in all_papers().items():
        if not paper.pages:
            raise InputError(f"{name}: expected a page, got none: python -m claimbook new page {name} PAGE")
        for page in paper.pages:
            if not there(PROJECT / "notebooks" / name / f"{page}.ipynb"):
                raise InputError(f"{name}/{page}: expected an executed page, got none: claimbook run {name}/{page}")


def write_generated(decisions: list[Decision]) -> None:
    """What is made from records and claims, which the book includes."""
    write_ledger(decisions, GENERATED)
    write_front(decisions, GENERATED)
    write_findings(GENERATED)
    write_previews(decisions, GENERATED / "served/previews")
    write_for_sphinx(GENERATED)
    write_text(GENERATED / "costs.md", cost_table())
    write_text(GENERATED / "chance.md", what_chance_does(decisions))
