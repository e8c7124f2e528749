"""Which pages there are, and how one is named: known without what a page needs to run."""

import difflib
import os
from itertools import chain
from pathlib import Path

from claimbook.records.errors import InputError
from claimbook.records.files import PROJECT

NOTEBOOKS = PROJECT / "notebooks"  # which tests change


def notebooks_folder() -> Path:
    """Where pages live."""
    return NOTEBOOKS


def all_pages() -> list[str]:
    """Every page that has a file in notebooks/; raises InputError where there is none."""
    folder = notebooks_folder()
    paths = sorted(folder.glob("*/*.py"))
    if not paths:
        raise InputError(f"{folder}: expected pages, <paper>/<page>.py, found none")
    return [str(path.relative_to(folder).with_suffix("")) for path in paths]


def find_pages(*texts: str) -> list[str]:
    """All pages for "all", those of a paper for its name, or else the one of `find_page`; each once."""
    own = [[page for page in all_pages() if text in ("all", page.split("/")[0])]
           or [find_page(text)] for text in texts]
    return list(dict.fromkeys(chain(*own)))


def find_page(text: str) -> str:
    """A page by its name, by what it alone begins with, or by its file's path; InputError for others."""
    path, name = Path(text), text
    if path.suffix in (".py", ".ipynb"):
        name = os.path.relpath(path.resolve().with_suffix(""), notebooks_folder().resolve())
    if name not in all_pages():
        begun = [page for page in all_pages() if "/" in name and page.startswith(name)]
        if len(begun) == 1:
            return begun[0]
        near = begun or difflib.get_close_matches(name, all_pages(), cutoff=0)
        raise InputError(f"page: expected one that python -m claimbook status lists, such as "
                         f"{', '.join(near)}, got {text!r}")
    return name
