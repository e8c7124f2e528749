"""A new paper and a new page: the files that they need, with words to fill in.

Their texts are the files of claimbook/templates/, in which PAPER_NAME and the like stand for what is new. A
command that was killed half way goes on when it is called again: what it wrote is there with the same text.
"""

import contextlib
import keyword
import re
from typing import Annotated

import typer

from claimbook.records.errors import InputError
from claimbook.records.files import (
    PACKAGE, PROJECT, check_writable, locked, read_text, read_yaml, there, write_together)

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)
TEMPLATES = PACKAGE / "templates"
PAGES = re.compile(r"^(pages:.*\n(?:  - .*\n)*)", re.MULTILINE)


@app.command("paper", epilog="Example:  python -m claimbook new paper trees")
def paper(name: Annotated[str, typer.Argument(help="Of its folder: small letters, digits and _.")]):
    """Write the files of a paper: what it says, its claims, its chapter; first those of a book, if none is."""
    typer.echo("\n".join([*new_paper(name), f"Fill them in, then: python -m claimbook new page {name} PAGE"]))


@app.command("page", epilog="Example:  python -m claimbook new page trees fig01_depth")
def page(
    paper: Annotated[str, typer.Argument(help="The folder of its paper.")],
    name: Annotated[str, typer.Argument(help="Of its files: small letters, digits and _.")],
    trains: Annotated[bool, typer.Option("--trains", help="One whose models train, by icllib, with a gate "
                      "that a pilot of one seed must pass first.")] = False,
):
    """Write the files of a page that works as it stands, with a claim to fill in."""
    run = f"python -m claimbook run {paper}/{name} --profile cpu"
    pilot = f"{run} -p pilot=True, and where that passes its gate: " * trains
    typer.echo("\n".join([*new_page(paper, name, trains), f"Fill them in, then: {pilot}{run}"]))


def new_paper(name: str) -> list[str]:
    """Writes the files of a paper without pages, before them those of a book where there is none, and the
    contents anew; returns what it wrote. Raises InputError for a name, or a citation's key, that is taken."""
    from claimbook.claims import papers
    from claimbook.website.contents import check_keys, write_contents

    check_name("paper", name)
    with adding_alone():
        begun = [] if (PROJECT / "_toc.yml").is_file() else written(filled("project"))
        others = [other for other in papers().values() if other.name != name]
        order = max((one.order for one in others), default=0) + 1
        texts = filled("paper", PAPER_NAME=name, PAPER_ORDER=order)
        own = f"papers/{name}/paper.yml"
        check_keys({f"papers/{one.name}/paper.yml": one.citation for one in others}
                   | {own: read_yaml(texts[own])["citation"]})
        return [*begun, *written(texts), *write_contents()]


def new_page(name: str, page: str, trains: bool = False) -> list[str]:
    """Writes the files of a page, adds it to its paper with a claim, and writes the table of contents anew;
    returns what it wrote. Raises InputError for an unknown paper, and for a page's name that is taken."""
    from claimbook.claims import load_claims
    from claimbook.website.contents import write_contents

    load_claims(name)
    check_name("page", page)
    with adding_alone():
        claims = load_claims(name)
        own = [claim.number for claim in claims if claim.page == f"{name}/{page}"]
        words = {"PAPER_NAME": name, "PAGE_NAME": page, "CLAIM_NUMBER": own[0] if own else len(claims) + 1,
                 "CLASS_NAME": "".join(part.capitalize() for part in page.split("_"))}
        kind = "_that_trains" * trains
        made = written(filled(f"page{kind}", **words))
        of = lambda file: read_text(PROJECT / "papers" / name / file).rstrip("\n") + "\n"
        init, entries, description = map(of, ("__init__.py", "claims.yml", "paper.yml"))
        imported = f"from papers.{name}.{page} import {words['CLASS_NAME']}\n"
        if imported not in init and not trains:  # which has no class of its own
            init += f"\n{imported}"
        if not own:
            claim = replaced(read_text(TEMPLATES / f"claim{kind}.yml"), words)
            entries = (entries.replace("claims: []\n", "claims:\n") + claim
                       + "    headline: true  # the one claim of the paper that comes first\n" * (not claims))
        if page not in read_yaml(description)["pages"]:
            description = PAGES.sub(rf"\g<1>  - {page}\n", description.replace("pages: []\n", "pages:\n"))
        texts = {f"papers/{name}/{file}": text for file, text in {
            "__init__.py": init, "claims.yml": entries, "paper.yml": description}.items()}
        write_together({PROJECT / file: text for file, text in texts.items()})
        return [*made, *texts, *write_contents()]


@contextlib.contextmanager
def adding_alone():
    """Within it no other process adds a page or a paper: each reads the lists that it makes longer."""
    for folder in (PROJECT, PROJECT / "papers"):
        check_writable(folder)
    with locked(PROJECT / "papers", wait=True):
        yield


def check_name(what: str, name: str) -> None:
    """Raises InputError unless the name can be that of a Python module and part of an address."""
    if not re.fullmatch("[a-z][a-z0-9_]{0,63}", name) or keyword.iskeyword(name):
        raise InputError(f"{what}: expected a name of up to 64 of a-z, 0-9 and _, none of Python's, got {name!r:.100}")


def filled(kind: str, **words) -> dict[str, str]:
    """The files of a template, by name, with these words in them; last what makes a paper or project one."""
    folder = TEMPLATES / kind
    paths = sorted((path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts),
                   key=lambda path: (path.name in ("_toc.yml", "paper.yml"), path))
    return {replaced(str(path.relative_to(folder)), words): replaced(path.read_text("utf-8"), words)
            for path in paths}


def replaced(text: str, words: dict) -> str:
    """A text with what each of these words stands for in its place."""
    for word, meant in words.items():
        text = text.replace(word, str(meant))
    return text


def written(texts: dict[str, str]) -> list[str]:
    """Writes these files and returns their names; InputError, before, if one is there with another text."""
    for name, text in texts.items():
        path = PROJECT / name
        if there(path) and not (path.is_file() and read_text(path) == text):
            raise InputError(f"{name}: expected a name that is not taken, got one that is there already")
    write_together({PROJECT / name: text for name, text in texts.items()})
    return list(texts)
