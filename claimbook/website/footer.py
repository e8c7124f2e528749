"""The foot of every page: how to run and to cite it, licence, version, date and source."""

import re
from functools import cache
from html import escape
from pathlib import PurePosixPath

from claimbook.records.files import PROJECT, read_text, read_yaml, there


@cache
def citation() -> dict:
    """What CITATION.cff says; nothing where there is none."""
    path = PROJECT / "CITATION.cff"
    return read_yaml(read_text(path)) if there(path) else {}


def footer(app, pagename: str, context: dict) -> str:
    """The foot of a page as HTML."""
    facts, box = [], ""
    if cff := citation():
        facts = [f"Version {escape(str(cff['version']))} of {escape(cff['date-released'])}",
                 f"{escape(cff['license'])} licence"]
        box = f"<details><summary>Cite</summary><pre>{escape(bibtex(cff))}</pre></details>"
    facts += source_link(app, pagename, context)
    box = run_box(app, pagename) + box
    return f'<footer class="page-facts">{box}<span>{" · ".join(facts)}</span></footer>'


def run_box(app, pagename: str) -> str:
    """How to run a page of notebooks/: in seconds, on a machine with a GPU and in Colab, as HTML."""
    folder, _, page = pagename.partition("/")
    if folder != "notebooks":
        return ""
    repository = app.config.html_theme_options.get("repository_url")
    made = (PROJECT / "Makefile").is_file()  # the environment, by a project with a library of its own
    run = f"{'.venv/bin/' * made}python -m claimbook run {page} --profile"
    where, get, colab = f", in a copy of the project{', after <code>make</code>' * made}", "", ""
    if repository:
        where, folder = "", repository.rstrip("/").rpartition("/")[2]
        get = f"git clone {repository} && cd {folder}{' && make' * made}\n"
        parts = [part for part in ("/claimbook", "") if (PROJECT / f".{part}/pyproject.toml").is_file()]
        install = " && pip install -q" * bool(parts) + "".join(f" -e {folder}{part}" for part in parts)
        lines = escape(f"!git clone --depth 1 {repository}{install}\n%cd {folder}")
        colab = f"<p>In Colab, as the first cell:</p><pre>{lines}</pre>"  # whose machine lacks the project
    return (f"<details><summary>Run this page</summary><p>In seconds{where}:</p>"
            f"<pre>{escape(get + run)} smoke</pre><p>On a machine with a GPU:</p>"
            f"<pre>{escape(run)} gpu --time-limit 1500</pre>{colab}</details>")


def bibtex(cff: dict) -> str:
    """The book as a BibTeX entry."""
    authors = " and ".join("{%s}" % author["name"] for author in cff["authors"])
    fields = {"title": cff["title"], "author": authors, "year": cff["date-released"][:4],
              "version": cff["version"]}
    lines = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items())
    key = re.sub(r"\W", "", cff["authors"][0]["name"]).lower() + fields["year"]
    return f"@software{{{key},\n{lines}\n}}"


def source_link(app, pagename: str, context: dict) -> list[str]:
    """Where a page's source is, in the repository that _config.yml names or beside the site."""
    repository = app.config.html_theme_options.get("repository_url")
    if repository and pagename in app.env.found_docs:
        path = PurePosixPath(app.env.doc2path(pagename, base=False))
        return [f'<a href="{repository}/blob/main/{path}">Source</a>']
    if context.get("sourcename"):
        return [f'<a href="{context["pathto"]("_sources/" + context["sourcename"], 1)}">Source</a>']
    return []
