"""Text from files reaches a reader as text: no tag in it becomes one."""

import csv
import io
import itertools
import json
import re
from dataclasses import replace
from importlib import import_module
from types import SimpleNamespace

import pandas as pd
import pytest
from docutils import nodes
from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.myst_role import myst_role_plugin

from claimbook import claims
from claimbook.claims import Claim, Gate, verdicts
from claimbook.claims.decisions import Decision, decide
from claimbook.claims.json_and_csv import as_csv
from claimbook.pages.page import Page
from claimbook.records.errors import InputError
from claimbook.website import claim_pages, extension, footer, front, papers
from claimbook.website.extension import HERE, LOOK

TAGS = ("<img src=x onerror=attack()>", "</td><script>attack()</script>", "$<b> <script>attack()</script>$",
        r"\$<img src=x onerror=attack()>$", "<!--", "two\n\n<iframe src=x>\n\nlines | cells")
ATTACK = re.compile(r"<\s*/?\s*(img|script|iframe|b>|!--)", re.IGNORECASE)
ledger = import_module("claimbook.website.ledger")  # whose name the package has for a function
REAL = claims.papers()["causal_lm"]


def claim(text, **changes):
    """One whose every text is this one."""
    return replace(Claim(
        "causal_lm.6", text, text, {"value": {text: text, "b": text}, "read": "figure"}, "ordering", text,
        (text, "b"), {"below": 1.0}, page="causal_lm/propositions", cost=text,
        gate=Gate(text, text, at_most=1.0)), **changes)


def decisions(text):
    samples = {text: [0.5, 0.6], "b": [1.5, 1.7]}
    yield decide(claim(text), samples, "cpu", {text: [0.5, 0.5], "b": [0.5, 0.5]})
    yield Decision(claim(text, page=None, not_run=text, printed_on="causal_lm/propositions"))
    yield Decision(claim(text, page=None, not_run=text, printed={"value": text, "read": "text"}))


@pytest.fixture
def everywhere(request, monkeypatch):
    """A text that is in every file of text: papers, claims, titles of pages, the citation."""
    text = request.param
    paper = replace(REAL, title=text, short=text, question=text, claim=text, answer=text,
                    figure=None, links={text: f"https://x/\"{text}"})
    for module in (claims, claim_pages, extension, front, ledger, papers):
        if hasattr(module, "papers"):
            monkeypatch.setattr(module, "papers", lambda: {"causal_lm": paper})
    for module in (claim_pages, ledger):
        monkeypatch.setattr(module, "title_of", lambda page: text)
    monkeypatch.setattr(ledger, "cited", lambda paper: text)
    monkeypatch.setattr(extension, "ledger_of_this_build", lambda: list(decisions(text)))
    fields = ("version", "date-released", "license", "title")
    monkeypatch.setattr(footer, "citation", lambda: dict.fromkeys(fields, text) | {
        "authors": [{"name": text}]})
    return text


APP = SimpleNamespace(config=SimpleNamespace(html_theme_options={}), env=SimpleNamespace(found_docs=()))


@pytest.mark.parametrize("everywhere", TAGS, indirect=True)
def test_no_tag_of_a_text_is_one_in_html(everywhere):
    every = list(decisions(everywhere))
    made = [ledger.app(every), extension.glance("causal_lm"), extension.verdict_line(every),
            footer.footer(APP, "notebooks/causal_lm/propositions", {}),
            verdicts.Verdicts(every[:1])._repr_html_()]
    for _, context, _ in claim_pages.claim_pages(every):
        made += [context["body"], context["title"], *(own["title"] for own in context["parents"])]
    for html in made:
        own = html.replace('<script src="../datatables.js"></script>', "").replace(
            '<script src="../_static/ledger.js"></script>', "")
        assert not ATTACK.search(own)


@pytest.mark.parametrize("everywhere", TAGS, indirect=True)
def test_nor_in_markdown(everywhere):
    every = list(decisions(everywhere))
    as_html = MarkdownIt("commonmark").enable("table").use(dollarmath_plugin).render
    for text in (ledger.table(every), ledger.summary(every), front.cards(every)):
        assert not ATTACK.search(as_html(text))
    rows = ledger.table(every).split("```\n\n")[-1].splitlines()  # what is before names its class
    assert len(rows) == 2 + len(every)
    assert all(line.replace("\\|", "").count("|") == 6 for line in rows)


LINKS = ("[x](https://attack)", "![x](https://attack/x.png)", "{download}`/etc/passwd`", "$a$ {raw-html}`<b>` $b$",
         r"\$[x](https://attack)$", r"\${download}`/etc/passwd`$")


@pytest.mark.parametrize("text", LINKS)
def test_no_text_is_a_link_an_image_or_a_role(text):
    """Of Markdown as the book's pages are read."""
    own = MarkdownIt("commonmark").use(dollarmath_plugin).use(myst_role_plugin).parse(verdicts.markdown(text))
    found = {token.type for block in own for token in [block, *(block.children or [])]}
    assert not found & {"link_open", "image", "myst_role", "code_inline"}


REACHING = [
    r"\href{javascript:pwned=1}{x}", r"\mmlToken{mi}[href='javascript:pwned=1']{x}", r"\require{html}\style{position:fixed}{x}",
    r"\bbox[background:url(https://evil.example/x.png)]{x}", r"\class{bd-header}{x}", r"\cssId{own}{x}",
    r"\bbox[position:fixed;top:0;left:0;width:100vw;height:100vh;background:red]{x}", r"\unicode[serif;position:fixed]{x41}",
    r"\mmlToken{mtext}[style='position:fixed;top:0;left:0;width:100vw;height:100vh']{x}", r"\data{evil=1}{x}",
    r"\gdef\le{\ge}\gdef\alpha{\beta}x", r"\DeclareMathOperator{\alpha}{b}x", r"\newcommand{\alpha}{b}x",
    r"\let\alpha=\beta x", r"\require{action}\texttip{x}{evil}", r"\smash{\rlap{\rule[-900em]{900em}{1800em}}}", r"\label{a}\tag{1}x"]
AROUND = ("$%s$", r"\(%s\) $a$", r"$a\) \(%s\) \(b$", r"\[%s\] $a$", r"\begin{align}%s\end{align}", "$$%s$$")
SHOWN = r"""<a id="first" href="#">first</a><p class="math">\(\alpha \le b\)</p>"""


def site(folder, body):
    """The address of a page with the site's MathJax and styles, and this body."""
    mathjax = LOOK["mathjax3_config"]
    mathjax["options"]["processHtmlClass"] = "tex2jax_process|mathjax_process|math|output_area"  # as MyST sets it
    static = (HERE / "static").as_uri()
    (folder / "page.html").write_text(
        f'<!DOCTYPE html><meta charset="utf-8"><link rel="stylesheet" href="{static}/custom.css">'
        f"<script>window.MathJax = {json.dumps(mathjax)}</script>"
        f'<script defer src="{static}/{LOOK["mathjax_path"]}"></script><body>{SHOWN}{body}{SHOWN}', "utf-8")
    return (folder / "page.html").as_uri()


def shown(tab, address):
    """The formulas of SHOWN, without what their letters are called."""
    tab.goto(address)
    tab.evaluate("MathJax.startup.promise")
    tab.evaluate("MathJax.typesetPromise([document.body])")  # as the ledger does for what it shows anew
    return [re.sub(r"MJX-\d+-", "", svg) for svg in tab.evaluate(
        "[...document.querySelectorAll('p.math svg')].map(svg => svg.outerHTML)")]


@pytest.mark.parametrize("every", [5, pytest.param(1, marks=pytest.mark.large)])  # of 6 x 17: each of both
def test_a_text_reaches_nothing_through_mathjax(browser, tmp_path, monkeypatch, every):
    """Neither a link nor a style, an address, a formula beside it, or what it lies over."""
    with browser.tab() as tab:
        asked = []
        tab.on("request", lambda request: asked.append(request.url))
        alone = shown(tab, site(tmp_path, ""))
        assert set(tab.evaluate("Object.values(MathJax.startup.document.safe.allow)")) == {"none"}
        assert len(alone) == 2 and alone[0] == alone[1]
        body = ""
        for around, reaching in [*itertools.product(AROUND, REACHING)][::every]:
            monkeypatch.setattr(claim_pages, "title_of", lambda page: around)
            told = [*decisions(around % reaching)][:2]
            body += "".join([*map(claim_pages.body, told), verdicts.Verdicts(told[:1])._repr_html_()])
        assert shown(tab, site(tmp_path, body)) == alone
        assert tab.evaluate("""() => [...document.querySelectorAll("mjx-container *")].filter(
            element => element.matches("a, [href]:not(use), [id='own'], .bd-header, [data-evil], foreignObject")
            || /url|position: *fixed/.test(element.getAttribute("style"))).map(element => element.outerHTML)""") == []
        assert tab.locator("mjx-container").count() == tab.locator(".math mjx-container").count()
        for link in tab.locator("#first").all():
            link.scroll_into_view_if_needed()
            assert link.evaluate("""link => { const { x, y } = link.getBoundingClientRect();
                return document.elementFromPoint(x + 3, y + 5) === link }""")
        assert all(url.startswith(("file:", "data:")) for url in asked)
        assert tab.evaluate("window.pwned") is None


def test_what_is_no_tag_stays_as_it_is():
    text = "A is *below* $B$, which is **small** (R&D)."
    assert verdicts.markdown(text) == text
    assert verdicts.markdown("a < b, where $x < y$") == r"a &lt; b, where $x \lt  y$"
    assert verdicts.markdown(r"$x \in [0, 1]$ [sic]") == r"$x \in [0, 1]$ [sic]"


@pytest.mark.parametrize("citation", ["@misc{own, author = {A, B}, year = {2000}, url = {javascript:attack()}}", "@misc{own, year = {2000}}", "@misc{own, "])
def test_a_citation_that_is_none_is_told(citation):
    with pytest.raises(InputError, match="causal_lm: citation: expected one entry of BibTeX with author and year"):
        papers.cited(replace(REAL, citation=citation))


@pytest.mark.parametrize("address, kept", [("https://x.org/a", True), ("#own", True), ("javascript:attack()", False),
                                           (" javascript:attack()", False), ("http://x.org", False), ("data:text/html,x", False)])
def test_a_reference_leads_to_https_or_is_no_link(address, kept):
    link = nodes.reference("", "", nodes.Text("here"), refuri=address)
    document = nodes.section("", nodes.citation("", nodes.paragraph("", "", nodes.Text("See "), link)))
    extension.keep_https(None, document, "book/references")
    assert (len(list(document.findall(nodes.reference))) == 1) is kept and document.astext() == "See here"


def test_a_widget_in_a_notebook_is_not_shown(monkeypatch):
    """myst-nb writes its state into a script as it is."""
    attack = {"application/vnd.jupyter.widget-view+json": "</SCRIPT><img src=x onerror=attack()>", "text/plain": "bar"}
    cell = {"cell_type": "code", "metadata": {}, "source": "", "outputs": [
        {"output_type": "display_data", "data": dict(attack), "metadata": {}},
        {"output_type": "stream", "name": "stdout", "text": "said"}]}
    source = [json.dumps({"cells": [cell], "metadata": {"widgets": attack}})]
    monkeypatch.setattr(extension, "with_captions", lambda page, cells: cells)
    monkeypatch.setattr(extension, "figure_first", lambda cells: cells)
    extension.prepare_cells(None, "notebooks/causal_lm/sample", source)
    own = json.loads(source[0])
    assert own["metadata"] == {} and own["cells"][0]["outputs"][0]["data"] == {"text/plain": "bar"}
    assert own["cells"][0]["outputs"][1] == cell["outputs"][1]


@pytest.mark.parametrize("text, cell", [
    ("=HYPERLINK(1)", "'=HYPERLINK(1)"), ("+1+cmd|x", "'+1+cmd|x"), ("-log", "'-log"), ("@SUM(1)", "'@SUM(1)"), ("\t=1", "'\t=1"),
    ("-0.5", "-0.5"), ("+1e-3", "+1e-3"), ("a=b", "a=b"), ("", "")])
def test_no_text_of_a_csv_file_is_computed(text, cell, output):
    item = next(decisions("x"))
    rows = list(csv.DictReader(io.StringIO(as_csv([replace(item, claim=claim("x", statistic=text))]), newline="")))
    assert {row["statistic"] for row in rows} == {cell}
    Page("causal_lm/propositions").save_figure(pd.DataFrame({"series": [text, "ours"], "y": [-1.5, 2]}))
    with open(output / "figure.csv", newline="", encoding="utf-8") as file:
        assert list(csv.reader(file)) == [["series", "y"], [cell, "-1.5"], ["ours", "2"]]
