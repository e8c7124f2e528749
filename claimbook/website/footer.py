"""The foot of every page: how to run and to cite it, licence, version, date and source."""

from functools import cache
from html import escape
from pathlib import PurePosixPath

import yaml

from claimbook.records.files import PROJECT, read_text


@cache
def citation() -> dict:
    """What CITATION.cff says."""
    return yaml.safe_load(read_text(PROJECT / "CITATION.cff"))


def footer(app, pagename: str, context: dict) -> str:
    """The foot of a page as HTML."""
    cff = citation()
    source = source_link(app, pagename, context)
    about = f"Version {cff['version']} of {cff['date-released']} · {cff['license']}"
    return (f'<footer class="page-facts">{run_box(app, pagename)}'
            f"<details><summary>Cite</summary><pre>{escape(bibtex(cff))}</pre></details>"
            f"<span>{escape(about)} licence{source}</span></footer>")


def run_box(app, pagename: str) -> str:
    """How to run a page of notebooks/: in seconds, on a machine with a GPU and in Colab, as HTML."""
    folder, _, page = pagename.partition("/")
    if folder != "notebooks":
        return ""
    repository = app.config.html_theme_options.get("repository_url")
    run = f".venv/bin/python -m claimbook run {page} --profile"
    colab = f"<p>In Colab, as the first cell:</p><pre>{escape(colab_lines(repository))}</pre>"
    get = f"git clone {repository} icllib && cd icllib && make\n" if repository else ""
    return ("<details><summary>Run this page</summary><p>In seconds"
            f"{'' if repository else ', in a copy of the project, after <code>make</code>'}:</p><pre>{escape(get + run)} smoke</pre>"
            f"<p>On a machine with a GPU:</p><pre>{escape(run)} gpu --time-limit 1500</pre>"
            f"{colab if repository else ''}</details>")


def colab_lines(repository: str) -> str:
    """The two lines before a page in Colab, whose machine has torch but not the project."""
    return f"!git clone --depth 1 {repository} icllib && pip install -q -e icllib\n%cd icllib"


def bibtex(cff: dict) -> str:
    """The book as a BibTeX entry."""
    authors = " and ".join("{%s}" % author["name"] for author in cff["authors"])
    fields = {"title": cff["title"], "author": authors, "year": cff["date-released"][:4],
              "version": cff["version"]}
    lines = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items())
    return f"@software{{icllib,\n{lines}\n}}"


def source_link(app, pagename: str, context: dict) -> str:
    """Where a page's source is: in the repository that _config.yml names, or beside the site."""
    repository = app.config.html_theme_options.get("repository_url")
    if repository and pagename in app.env.found_docs:
        path = PurePosixPath(app.env.doc2path(pagename, base=False))
        return f' · <a href="{repository}/blob/main/{path}">Source</a>'
    if context.get("sourcename"):
        return f' · <a href="{context["pathto"]("_sources/" + context["sourcename"], 1)}">Source</a>'
    return ""
