"""Builds the website, with warnings as errors.

First what is made from records and claims, then Jupyter Book; `extension` is what Sphinx calls while
it builds.
"""

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

from claimbook.claims.decisions import Decision, ledger
from claimbook.records.errors import InputError
from claimbook.records.files import PROJECT, check_writable, write_text
from claimbook.website.contents import write_for_sphinx
from claimbook.website.chance import what_chance_does
from claimbook.website.costs import cost_table
from claimbook.website.front import write_front
from claimbook.website.ledger import write_ledger
from claimbook.website.previews import write_previews

GENERATED = PROJECT / "book" / "_generated"


def build() -> Path:
    """Write the ledger, build the book and return its first page.

    Raises InputError without Jupyter Book and for folders that cannot be written to, and
    CalledProcessError.
    """
    for folder in (GENERATED, PROJECT / "_build"):
        check_writable(folder)
    jupyter_book = Path(sys.executable).with_name("jupyter-book")
    if not jupyter_book.exists():
        raise InputError(f"{jupyter_book}: expected Jupyter Book, got none; requirements.txt has "
                         "its version")
    check_no_links()
    write_generated(ledger())
    # Everything is built anew: an unchanged page would not repeat its warnings, and Sphinx leaves views
    # of sources as they are where another page now leads to them.
    shutil.rmtree(PROJECT / "_build" / "html", ignore_errors=True)
    command = [jupyter_book, "build", PROJECT, "--all", "-W", "-n", "--keep-going", "-q"]
    subprocess.run(command, check=True, env=os.environ | {"PYTHONPATH": str(PROJECT)})
    return PROJECT / "_build" / "html" / "index.html"


def check_no_links() -> None:
    """Raises InputError for a link to a file, a pipe or a device among what the website is made of: it
    would show what that leads to."""
    for folder in ("book", "notebooks", "results", "icllib"):
        for path in (PROJECT / folder).rglob("*"):
            if not path.is_dir() and not stat.S_ISREG(path.lstat().st_mode):
                raise InputError(f"{path}: expected a file, got a link, a pipe or a device")


def write_generated(decisions: list[Decision]) -> None:
    """What is made from records and claims, which the book includes."""
    write_ledger(decisions, GENERATED)
    write_front(decisions, GENERATED)
    write_previews(decisions, GENERATED / "served/previews")
    write_for_sphinx(GENERATED)
    write_text(GENERATED / "costs.md", cost_table())
    write_text(GENERATED / "chance.md", what_chance_does(decisions))
