"""What Sphinx calls while it builds the website."""

import json
import re
import textwrap
from functools import cache
from html import escape, unescape
from pathlib import Path

from docutils import nodes

from claimbook.claims import papers
from claimbook.claims.decisions import SEEN, Decision, ledger
from claimbook.claims.rule import FOR_READERS, VERDICTS
from claimbook.claims.sentences import sentence
from claimbook.claims.verdicts import badge, typeset
from claimbook.pages.execution import SHOWN
from claimbook.pages.names import all_pages
from claimbook.website.accessible import repair
from claimbook.website.assets import cut_icons, leave_out
from claimbook.website.claim_pages import claim_pages
from claimbook.website.figures import NUMBERED, figure_first, with_captions, with_numbers
from claimbook.website.footer import footer
from claimbook.website.ledger import bar, in_words
from claimbook.website.links import NAMED, link_terms, linked, linked_html
from claimbook.website.papers import duration, hours, records_of
from claimbook.website.previews import tags
from claimbook.website.tables import tidy

HERE = Path(__file__).parent
LOOK = {  # of every claimbook, where _config.yml says nothing else: all it loads comes with it
    "html_search_scorer": str(HERE / "static/scorer.js"), "html_extra_path": ["book/_generated/served"],
    "mathjax_path": "mathjax/tex-svg-full.js", "mathjax_options": {},
    "mathjax3_config": {  # texts of others stand in formulas: what they may do is listed
        "loader": {"load": ["ui/safe"]},
        "tex": {"packages": ["base", "ams", "configmacros", "noerrors", "noundefined"],
                "macros": {"mmlToken": "", "DeclareMathOperator": ""}},  # attributes; changes of other formulas
        "options": {"safeOptions": {"allow": dict.fromkeys(["URLs", "classes", "cssIDs", "styles"], "none")},
                    "ignoreHtmlClass": ".*",  # but for what has the class of a formula
                    "enableMenu": False}},  # it would make each formula a tab stop
    "nb_ipywidgets_js": {}}
PUNCTUATION, OPENING = re.compile(r"\A[,.;:!?)]+"), re.compile(r"[(\[]\Z")
EVIDENCE = ('<details class="evidence"><summary>Evidence: claims one by one, numbers, settings, code, '
            "what differs and why</summary>")
ledger_of_this_build = cache(ledger)
contents_of_claims = {}  # in this build, by what the theme asks for


def setup(app) -> dict:
    """What Sphinx calls first."""
    app.set_html_assets_policy("always")  # formulas of claims are HTML, in which Sphinx sees none
    app.add_js_file("reach.js", loading_method="defer")
    app.config.numfig_format = {"figure": NUMBERED}
    for change in (dress, offer_colab):
        app.connect("config-inited", change)
    app.connect("source-read", prepare_cells)
    app.connect("doctree-read", write_under_title)
    for change in (link_claims, link_terms, tidy_tables, hold_punctuation, keep_https):
        app.connect("doctree-resolved", change)
    app.connect("html-collect-pages", lambda app: claim_pages(ledger_of_this_build()))
    app.connect("html-page-context", share_contents, priority=400)  # before the theme reads it
    app.connect("html-page-context", complete_page, priority=900)  # after the theme and Thebe
    for change in (cut_icons, repair):
        app.connect("build-finished", change)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def dress(app, config) -> None:
    """The look of every claimbook, in the light of the reader's; the book's own files come last."""
    for name, value in LOOK.items():
        if name not in config.overrides:
            setattr(config, name, value)
    config.html_static_path = [str(HERE / "static"), *config.html_static_path]
    config.templates_path = [str(HERE / "theme"), *config.templates_path]
    config.html_css_files = ["type/type.css", "custom.css", *config.html_css_files]
    config.html_context = {"default_mode": "auto", "descriptions": {}} | config.html_context


def offer_colab(app, config) -> None:
    """A button on each page of a published book; without a repository the theme would fail."""
    if config.html_theme_options.get("repository_url"):
        config.html_theme_options["launch_buttons"] = {"colab_url": "https://colab.research.google.com"}


# ---- before a page is read ------------------------------------------------------------------


def prepare_cells(app, docname: str, source: list[str]) -> None:
    """Code cells of pages begin folded, captions are completed, the first figure comes first, and nothing is
    shown of a type that pages do not have, widgets say; files on disk stay as they are."""
    if docname.startswith("notebooks/"):
        notebook = json.loads(source[0])
        notebook["cells"] = with_captions(docname.removeprefix("notebooks/"), notebook["cells"])
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                fold(cell["metadata"])
                for output in cell["outputs"]:
                    for kind in output.get("data", {}).keys() - SHOWN:
                        del output["data"][kind]
            else:
                cell["source"] = with_numbers(docname.removeprefix("notebooks/"), "".join(cell["source"]))
        notebook["metadata"].pop("widgets", None)
        notebook["cells"] = figure_first(notebook["cells"])
        source[0] = json.dumps(notebook)


def fold(metadata: dict) -> None:
    """Hides the input of a cell, and says what one sees by unfolding it."""
    tags = metadata.setdefault("tags", [])
    hidden = "hide-output" in tags
    metadata["tags"] = [tag for tag in tags if tag != "hide-output"]
    metadata["tags"].append("hide-cell" if hidden else "hide-input")
    own = metadata.get("mystnb", {})
    what = own.get("code_prompt_show") or ("Settings, and their code" if hidden else "Code")
    metadata["mystnb"] = own | {
        "code_prompt_show": what, "code_prompt_hide": f"Hide: {what[0].lower()}{what[1:]}"}


# ---- under the title ------------------------------------------------------------------------


def write_under_title(app, document) -> None:
    """A page's verdicts of today; a chapter's facts."""
    folder, _, name = app.env.docname.partition("/")
    own = [item for item in ledger_of_this_build()
           if folder == "notebooks" and name in (item.claim.page, item.claim.printed_on)]
    html = verdict_line(own) if own else glance(name) if folder == "book" and name in papers() else ""
    if html:
        title = next(document.findall(nodes.title))
        page = title.parent
        behind = next((place for place, node in enumerate(page) if isinstance(node, nodes.section)), len(page))
        page.insert(2 if own else behind, nodes.raw("", html, format="html"))
    if folder == "notebooks":
        fold_evidence(next(document.findall(nodes.section)))


def fold_evidence(page) -> None:
    """Folds what stands after a page's answer, figure and explanation: its cells and all with a heading."""
    drawn = next((place for place, node in enumerate(page) if list(node.findall(nodes.figure))), 0)
    begins = next((place for place, node in enumerate(page.children[drawn + 1 :], drawn + 1)
                   if isinstance(node, nodes.section | nodes.container)), None)
    if drawn and begins:
        page.insert(begins, nodes.raw("", EVIDENCE, format="html"))
        page.append(nodes.raw("", "</details>", format="html"))


def verdict_line(decisions: list[Decision]) -> str:
    """Which of the paper's claims hold, in a reader's words, as HTML."""
    groups = {}
    for item in sorted(decisions, key=lambda item: VERDICTS.index(item.verdict)):
        groups.setdefault(FOR_READERS[item.verdict], []).append(item)
    parts = []
    for word, own in groups.items():
        links = ", ".join(f'<a href="../../claims/{item.claim.id}.html">{item.claim.number}</a>' for item in own)
        parts.append(f"<span>{badge(own[0], word.capitalize(), bar=False)} claim{'s' * (len(own) > 1)} {links}</span>")
    return f'<p class="verdict-line">{" ".join(parts)}</p>'


def glance(paper: str) -> str:
    """What a chapter is about in a box: scope, hardware, time and outcome, as HTML."""
    own = [item for item in ledger_of_this_build() if item.claim.paper == paper]
    pages = [page for page in all_pages() if page.startswith(f"{paper}/")]
    records = [record for page in pages for record in records_of(page)]
    named = {record.provenance["device"] for record in records}
    devices = sorted(name for name in named if not any(f"{name} of" in other for other in named))
    links = " · ".join(f'<a href="{escape(url)}">{escape(name)}</a>'
                       for name, url in papers()[paper].links.items())
    theirs, ours = ([item for item in own if item.claim.ours is added] for added in (False, True))
    also = f"; of {len(ours)} that we added {in_words(ours)}" * bool(ours)
    first = next((item for item in own if item.claim.headline), None)
    headline = first and (f'<a href="../claims/{first.claim.id}.html">Claim {first.claim.number}</a> '
                          f"{badge(first)}<br>{typeset(first.claim.statement)} "
                          f"<em>{typeset(sentence(first))}</em>")
    rows = {"Headline": headline or "", "Outcome": f"{bar(theirs)}<small aria-hidden='true'>{in_words(theirs)}{also}</small>",
            "Read": f'{links} · <a href="#errata">its errata</a>',
            "Scope": f"{len(theirs)} claim{'s' * (len(theirs) != 1)} of the paper on "
            f"{len(pages)} page{'s' * (len(pages) != 1)}, from {len(records)} records",
            "Hardware": escape("; ".join(devices)),
            "Time": f"{duration(hours(records))} in all",
            "Evidence": told_by_strength(theirs)}
    listed = "".join(f"<dt>{name}</dt><dd>{text}</dd>" for name, text in rows.items() if text)
    return f'<aside class="glance"><p>At a glance</p><dl class="facts">{listed}</dl></aside>'


def told_by_strength(decisions: list[Decision]) -> str:
    """How many claims are settled on which evidence, in words: "5 exactly, 14 in smaller models"."""
    settled = [item.strength for item in decisions if item.settled]
    told = [f"{count} {text}" for name, text in SEEN.items() if (count := settled.count(name))]
    rest = len(decisions) - len(settled)
    return ", ".join(told + [f"{rest} not settled"] * bool(rest))


# ---- after all pages are read ---------------------------------------------------------------


def link_claims(app, doctree, docname: str) -> None:
    """Makes each "claim N" in a chapter and its pages a link to the page of that claim."""
    paper = next((part for part in docname.split("/") if part in papers()), None)
    if paper is None:
        return
    join_texts(doctree)  # "claim" and its number, where a line ends between them
    known = {item.claim.number for item in ledger_of_this_build() if item.claim.paper == paper}
    address = lambda number: app.builder.get_relative_uri(docname, f"claims/{paper}.{number}")
    for text in list(doctree.findall(nodes.Text)):
        if NAMED.search(text) and not isinstance(text.parent, (nodes.reference, nodes.title,
                                                               nodes.literal, nodes.literal_block)):
            text.parent.replace(text, linked(text, known, address))
    for raw in doctree.findall(nodes.raw):
        raw[:] = [nodes.Text(linked_html(raw.astext(), known, address))]


def join_texts(doctree) -> None:
    """Makes one text of neighbors: MyST has one for each line."""
    for element in doctree.findall(nodes.TextElement):
        joined = []
        for child in element.children:
            if joined and isinstance(child, nodes.Text) and isinstance(joined[-1], nodes.Text):
                child = nodes.Text(joined.pop() + child)
            joined.append(child)
        element[:] = joined


def keep_https(app, doctree, docname: str) -> None:
    """What a reference leads to is https, or no link: anyone may write an entry."""
    for citation in doctree.findall(nodes.citation):
        for link in list(citation.findall(nodes.reference)):
            if not link.get("refuri", "#").startswith(("https://", "#")):
                link.parent.replace(link, link.children)


def tidy_tables(app, doctree, docname: str) -> None:
    """The tables that cells print, with headings that all say something."""
    for raw in doctree.findall(nodes.raw):
        raw[:] = [nodes.Text(tidy(raw.astext()))]


def hold_punctuation(app, doctree, docname: str) -> None:
    """A comma after a formula does not begin a line, nor does a bracket before it end one."""
    for math in list(doctree.findall(nodes.math)):
        parent, held = math.parent, [math]
        place = parent.index(math)
        for beside, mark in ((place - 1, OPENING), (place + 1, PUNCTUATION)):
            text = parent[beside] if 0 <= beside < len(parent) else None
            if isinstance(text, nodes.Text) and (found := mark.search(text)):
                parent[beside] = nodes.Text(text[: found.start()] + text[found.end() :])
                held.insert(len(held) * (beside > place), nodes.Text(found[0]))
        if len(held) > 1:
            parent[place] = nodes.inline("", "", *held, classes=["unbroken"])


# ---- around a page --------------------------------------------------------------------------


def share_contents(app, pagename: str, templatename: str, context: dict, doctree) -> None:
    """One table of contents for all pages of claims, which lie in one folder: else a third of the build."""
    make = context["toctree"]

    def contents(**asked) -> str:
        place = tuple(sorted(asked.items()))
        if place not in contents_of_claims:
            contents_of_claims[place] = make(**asked)
        return contents_of_claims[place]

    if pagename.startswith("claims/"):
        context["toctree"] = contents


def complete_page(app, pagename: str, templatename: str, context: dict, doctree) -> None:
    """Descriptions, title with the paper's name, cite button; and no file that nothing uses."""
    paper = next((part for part in pagename.split("/") if part in papers()), None)
    if paper and pagename.startswith("notebooks/"):
        short = escape(papers()[paper].short)
        context["title"] = f"{context['title']}: {short}"
        context["parents"][-1]["title"] = short  # or the breadcrumbs take lines
    if doctree is not None:
        paragraphs = (item.astext() for item in doctree.findall(nodes.paragraph))
        context["description"] = next(paragraphs, "")
    about = (context.get("description") or app.config.html_title).replace("$", "")
    about = context["descriptions"][pagename] = textwrap.shorten(about, 160, placeholder=" ...")
    title = unescape(re.sub("<[^>]*>", "", context.get("title") or app.config.html_title))
    context["metatags"] = context.get("metatags", "") + (
        f'<meta name="description" content="{escape(about)}">\n'
        + tags(app, pagename, title, about))
    for kind in ("script_files", "css_files"):
        context[kind] = leave_out(context.get(kind, ()), context.get("body", ""))
    if "body" in context:
        context["body"] += footer(app, pagename, context)
