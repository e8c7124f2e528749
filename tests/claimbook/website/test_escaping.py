"""Text from files reaches a reader as text: no tag in it becomes one."""

import re
from dataclasses import replace
from importlib import import_module

import pytest
from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.myst_role import myst_role_plugin

from claimbook import claims
from claimbook.claims import verdicts
from claimbook.claims import Claim, Gate, read_paper
from claimbook.claims.decisions import Decision, decide
from claimbook.records.errors import InputError
from claimbook.records.files import PROJECT
from claimbook.website import claim_pages, extension, footer, front, papers

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


class App:
    """As much of Sphinx as a footer asks for."""

    class config:
        html_theme_options = {}

    class env:
        found_docs = ()


@pytest.mark.parametrize("everywhere", TAGS, indirect=True)
def test_no_tag_of_a_text_is_one_in_html(everywhere):
    every = list(decisions(everywhere))
    made = [ledger.app(every), extension.glance("causal_lm"), extension.verdict_line(every),
            footer.footer(App, "notebooks/causal_lm/propositions", {}),
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


LINKS = (r"$\href{javascript:attack()}{x}$", r"$\\href{javascript:attack()}{x}$", r"$a\\\href {javascript:attack()}{x}$",
         r"$\require{html} \style{position:fixed}{x}$", r"$\cssId{search}{x}$", r"\$\href{javascript:attack()}{x}$",
         "[x](https://attack)", "![x](https://attack/x.png)", "{download}`/etc/passwd`", "$a$ {raw-html}`<b>` $b$",
         r"\$[x](https://attack)$", r"\${download}`/etc/passwd`$")
COMMAND = re.compile(r"(?<!\\)(\\\\)*\\(href|require|style|cssId)\b")


@pytest.mark.parametrize("text", LINKS)
def test_no_text_is_a_link_a_style_or_a_role(text):
    """Of MathJax, where it is between dollars, or of Markdown as the book's pages are read."""
    own = MarkdownIt("commonmark").use(dollarmath_plugin).use(myst_role_plugin).parse(verdicts.markdown(text))
    found = {token.type for block in own for token in [block, *(block.children or [])]}
    assert not found & {"link_open", "image", "myst_role", "code_inline"}
    formulas = [token.content for block in own for token in block.children or [] if token.type == "math_inline"]
    for made in (*formulas, *re.findall(r"\\\((.*?)\\\)<", verdicts.typeset(text))):
        assert not COMMAND.search(made)


def test_what_is_no_tag_stays_as_it_is():
    text = "A is *below* $B$, which is **small** (R&D)."
    assert verdicts.markdown(text) == text
    assert verdicts.markdown("a < b, where $x < y$") == r"a &lt; b, where $x \lt  y$"
    assert verdicts.markdown(r"$x \in [0, 1]$ [sic]") == r"$x \in [0, 1]$ [sic]"


def test_a_link_of_a_paper_is_an_address(tmp_path):
    text = (PROJECT / "papers/causal_lm/paper.yml").read_text("utf-8")
    path = tmp_path / "causal_lm" / "paper.yml"
    path.parent.mkdir()
    path.write_text(text.replace("https://openreview.net/forum?id=guRNebwZBb", "javascript:attack()", 1),
                    "utf-8")
    with pytest.raises(InputError, match="links: "):
        read_paper(path)


@pytest.mark.parametrize("citation", ["nothing", "@misc{own, year = {2000}}", "@misc{own, author = {A, B}}", "@misc{own, "])
def test_a_citation_that_is_none_is_told(citation):
    with pytest.raises(InputError, match="causal_lm: citation: expected one entry of BibTeX with author and year"):
        papers.cited(replace(REAL, citation=citation))
