"""Another name for a page: its files, its results, and what names it elsewhere."""

import re

from claimbook.commands.new import adding_alone, check_name, written
from claimbook.pages.names import find_page, notebooks_folder
from claimbook.records import results_folder
from claimbook.records.errors import InputError
from claimbook.records.files import PROJECT, read_text, write_together
from claimbook.website.contents import write_contents

TEXTS = ("papers/**/*.py", "papers/**/*.yml", "notebooks/*/*.py", "book/**/*.md", "README.md")


def rename_page(page: str, new: str) -> list[str]:
    """Renames a page within its paper and returns the files that were written; its records, which no page's
    name is part of, stay as they are. Raises InputError for a name that is taken."""
    paper, old = find_page(page).split("/")
    check_name("name", new)
    with adding_alone():
        moved = {f"{folder}/{paper}/{old}.py": f"{folder}/{paper}/{new}.py"
                 for folder in ("papers", "notebooks")}
        notebook = notebooks_folder() / paper / f"{old}.ipynb"
        folders = {results_folder() / paper / old: results_folder() / paper / new,
                   notebook: notebook.with_stem(new)}
        if taken := [path for path in folders.values() if path.exists()]:
            raise InputError(f"{taken[0]}: expected a name that is not taken, got one that is there already")
        texts = {str(path.relative_to(PROJECT)): read_text(path)
                 for pattern in TEXTS for path in sorted(PROJECT.glob(pattern))
                 if "_generated" not in path.parts and path.is_file() and not path.is_symlink()}
        named = {name: renamed(text, paper, old, new) for name, text in texts.items()}
        made = written({moved[name]: named[name] for name in moved})
        changed = {name: text for name, text in named.items() if text != texts[name] and name not in moved}
        write_together({PROJECT / name: text for name, text in changed.items()})
        for before, after in folders.items():
            if before.exists():
                before.rename(after)
        for name in moved:
            (PROJECT / name).unlink()
        return [*made, *changed, *write_contents()]


def renamed(text: str, paper: str, old: str, new: str) -> str:
    """A text with the new name of a page wherever the old one is that of the page, no word of a sentence."""
    for pattern in (rf"\b({paper}[/.]){old}\b", rf"^(from papers\.{paper} import .*\b){old}\b",
                    rf"()\b{old}(?=\.ipynb)", rf"^(  - |figure: ){old}$"):
        text = re.sub(pattern, rf"\g<1>{new}", text, flags=re.MULTILINE)
    return text
