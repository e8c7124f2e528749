"""The website: builds without warnings, works offline, shows every claim."""

import io
import json
import re
import subprocess
import sys
from contextlib import contextmanager
from html import unescape
from pathlib import Path
from statistics import median
from urllib.parse import unquote, urlparse

import pytest
from axe_playwright_python.sync_playwright import Axe
from fontTools.ttLib import TTFont
from PIL import Image
from pypdf import PdfReader

from claimbook.claims import papers
from claimbook.claims.decisions import ledger
from claimbook.claims.rule import FOR_READERS
from claimbook.claims.verdicts import typeset
from claimbook.pages.names import all_pages
from claimbook.pages.plotting import rows_of
from claimbook.records.errors import InputError
from claimbook.records.files import PROJECT
from claimbook.website.figures import figure_table, with_numbers
from claimbook.website.offline import TYPESET


@pytest.fixture(scope="module")
def site():
    """The folder of the website as `make book` builds it; a warning fails the build."""
    done = subprocess.run([sys.executable, "-m", "claimbook", "book"], cwd=PROJECT, check=True,
                          encoding="utf-8", stdout=subprocess.PIPE)
    return Path(done.stdout.splitlines()[-1].removeprefix("Open ")).parent


def test_whoever_has_built_the_book_is_told_the_status_at_once(site):
    kept = json.loads((PROJECT / "_build/status.json").read_text("utf-8"))
    assert kept.keys() == set(all_pages())


def html_files(site):
    return [path for path in site.rglob("*.html") if "_static" not in path.parts]


def test_every_claim_is_in_the_ledger_with_its_formulas_and_has_its_page(site):
    page = (site / "book/ledger.html").read_text("utf-8")
    for item in ledger():
        assert f'href="../claims/{item.claim.id}.html"' in page
        own = re.sub("</?a[^>]*>", "", (site / f"claims/{item.claim.id}.html").read_text("utf-8"))
        assert item.words in own and typeset(item.claim.statement) in own
    for formula in (r"\lVert x_N \rVert^2 y_N", r"n &lt; d", r"\Lambda_s^2 \gg 1", r"D^{-(\alpha - 1)}"):
        assert rf'<span class="math notranslate nohighlight">\({formula}\)</span>' in page
    assert "$" not in re.sub("<(script|style).*?</\\1>", "", page, flags=re.DOTALL)
    assert len(json.loads((site / "claims.json").read_text("utf-8"))) == len(ledger())
    assert (site / "claims.csv").read_text("utf-8").startswith("id,part,verdict")


def test_every_mention_of_a_claim_leads_to_its_page(site):
    for path in (site / "notebooks").rglob("*.html"):
        words = re.sub(r"<(script|title|pre|h\d|head|a)\b.*?</\1>", "", path.read_text("utf-8"),
                       flags=re.DOTALL)
        assert not re.search(r"[Cc]laim \d+[ ,.:;)]", words), path.name


def test_every_link_within_the_book_leads_somewhere(site):
    """To a file, and to a place in it; source views and pictures too."""
    pages = {path: re.sub(r"<(script|style)\b.*?</\1>", "", path.read_text("utf-8"), flags=re.DOTALL)
             for path in html_files(site)}
    places = {path: set(re.findall(r'\s(?:id|name)="([^"]*)"', html)) for path, html in pages.items()}
    broken, anchors = [], 0
    for path, html in pages.items():
        for address in set(map(unescape, re.findall(r'<[^>]*\s(?:href|src)="([^"]*)"', html))):
            file, _, anchor = address.partition("#")
            if re.match("[a-z]+:|//", address) or "=" in anchor:  # elsewhere; what a live page shows
                continue
            aim = (path.parent / unquote(file.partition("?")[0])).resolve() if file else path
            anchors += bool(anchor)
            if not aim.exists() or anchor and aim in places and unquote(anchor) not in places[aim]:
                broken.append(f"{path.relative_to(site)}: {address}")
    assert broken == [] and anchors > 1000


def test_the_words_under_the_answer_are_those_of_the_verdicts_in_the_evidence(site):
    claims = [item.claim for item in ledger()]
    for page in {claim.page for claim in claims if claim.page}:
        title, line, rest = re.split('<p class="verdict-line">(.*?)</p>',
                                     (site / f"notebooks/{page}.html").read_text("utf-8"), maxsplit=1)
        assert title.rpartition("</h1>")[2].count("<p>") == 1, page  # the answer stands between
        line = re.sub('</?a[^>]*>', "", line)
        above = {(number, unescape(word).lower())
                 for word, own in re.findall(r'verdict-[\w-]+"[^>]*>([^<]*)</span> claims? ([\d, ]+)', line)
                 for number in own.strip().split(", ")}
        below = {(number, FOR_READERS[verdict.replace("-", " ")]) for number, verdict in re.findall(
            r'<strong>Claim <a [^>]*>(\d+)</a> .*?verdict verdict-([\w-]+)"', rest)}
        printed = {claim.number for claim in claims if claim.printed_on == page}
        assert below and {pair for pair in above if pair[0] not in printed} == below, page


@pytest.mark.parametrize("width, height", [
    pytest.param(1366, 768, id="a laptop", marks=pytest.mark.large), pytest.param(390, 844, id="a phone")])
def test_the_answer_ends_on_the_first_screen_of_every_page(site, browser, width, height):
    low = {}
    with browser.tab(viewport={"width": width, "height": height}, java_script_enabled=False) as page:
        for name in all_pages():
            page.goto((site / f"notebooks/{name}.html").as_uri())
            answer = page.locator("h1 + p").first.bounding_box()
            if answer["y"] + answer["height"] > height:
                low[name] = answer
    assert not low


def test_every_page_offers_its_notebook_and_numbers_and_its_figures_have_captions_and_alternative_text(site):
    numbers = []
    for page in all_pages():
        html = (site / f"notebooks/{page}.html").read_text("utf-8")
        for file in (r'_downloads/[^"]*figure\.csv', r"\.ipynb"):
            assert re.search(f'href="[^"]*{file}"', html), page
        for image in re.findall(r"<img [^>]*_images[^>]*>", html):
            alt = re.search(r'alt="([^"]*)"', image)
            assert alt and len(alt[1]) > 3 and not alt[1].endswith(".png"), f"{page}: {image}"
        figures = re.findall(r"<figure.*?</figure>", html, re.DOTALL)
        assert figures, page
        for figure in figures:
            number = re.search(r'caption-number">Figure (\d+) of this book', figure)
            caption = re.search(r'caption-text">(.*?)</figcaption>', figure, re.DOTALL)
            assert number and len(caption[1]) > 100, f"{page}: {figure}"
            numbers.append(int(number[1]))
    assert len(set(numbers)) == len(numbers) > len(all_pages())


def test_nothing_is_fetched_from_the_network_to_view_it(site):
    loads = re.compile(r'<(?:script|img|iframe)[^>]+src="(https?:)?//|<link[^>]+'
                       r'rel="(?:stylesheet|preload)"[^>]+href="(https?:)?//')
    for path in html_files(site):
        assert not loads.search(path.read_text("utf-8")), path.name


@pytest.mark.parametrize("name, curves, theme", [("try_it", "#live-plot .curve", "light"),
                                                 ("layers_as_steps", "svg .curve", "dark"),
                                                 ("train_one", "svg .curve", "light")])
def test_live_pages_work_in_the_book(site, browser, name, curves, theme):
    phone = {"viewport": {"width": 390, "height": 844}, "color_scheme": theme}
    with visited(browser, site / f"book/live/{name}.html", **phone) as page:
        page.wait_for_selector(curves, state="attached")
        assert page.evaluate("document.documentElement.dataset.theme") == theme
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        page.click('a[href*="notebooks/"]:visible')  # what it shows leads to a page of claims
        assert "/notebooks/" in page.url


@pytest.mark.parametrize("page, panel, series, at", [
    ("signed_averaging/fig03_softmax_ssa", "error", "SSA, ours, cpu", 6),
    ("context_scaling/every_length", "error / ridge", "GPT-2, five lengths", 17)])
def test_a_slider_moves_through_the_numbers_of_the_page(site, browser, page, panel, series, at):
    """By keyboard, and by dragging in the plot; what it has not passed is not drawn."""
    rows = rows_of(figure_table(page), panel, series).set_index("x").y
    told = lambda place: f" {float(f'{rows[place]:.2g}'):g}"
    with visited(browser, site / f"notebooks/{page}.html") as opened:
        slider, dots = opened.locator("[data-panel] input"), opened.locator("svg.dragged .dot")
        before = dots.count()
        slider.focus()
        for _ in range(at - int(slider.input_value())):
            opened.keyboard.press("ArrowRight")
        assert slider.input_value() == str(at) and told(at) in slider.get_attribute("aria-valuetext")
        assert before < dots.count() < 10 * len(rows)
        opened.locator("svg.dragged").scroll_into_view_if_needed()
        box = opened.locator("svg.dragged").bounding_box()
        opened.mouse.move(box["x"] + box["width"] / 2, box["y"] + 50)
        opened.mouse.down()
        opened.mouse.move(box["x"] + box["width"] - 14, box["y"] + 50)
        opened.mouse.up()
        last = rows.index.max()
        assert slider.input_value() == f"{last:g}" and told(last) in slider.get_attribute("aria-valuetext")


def test_a_panel_that_a_page_does_not_have_is_told():
    with pytest.raises(InputError, match="data-panel: expected a panel of figure.csv, got 'none'"):
        with_numbers("context_scaling/every_length", '<div class="live" data-panel="none"></div>')


# ---- in a browser ---------------------------------------------------------------------------


def sample(site):
    """All pages that are no notebooks, every seventh of those, and a claim of each paper."""
    of = lambda folder: sorted((site / folder).rglob("*.html"))
    return [*of("book"), *of("notebooks")[::7], *(site / f"claims/{name}.1.html" for name in papers())]


def font(said) -> bool:
    """Whether it is about the theme's preloaded fonts, which a browser refuses from a folder only."""
    return ".woff2" in said.text + said.location["url"]


@contextmanager
def tab(browser, **options):
    """A tab of a browser; errors and requests of the pages that it opens are checked in the end."""
    errors = []
    with browser.tab(**({"viewport": {"width": 1400, "height": 900}} | options)) as page:
        told = lambda words: errors.append(f"{page.url}: {words}")
        page.on("pageerror", told)
        page.on("console", lambda said: said.type == "error" and not font(said) and told(said.text))
        page.on("request", lambda asked: asked.url.startswith("http") and told(asked.url))
        yield page
    assert errors == []


@contextmanager
def visited(browser, path, **options):
    """An opened page in a tab of its own."""
    with tab(browser, **options) as page:
        page.goto(path.as_uri())
        yield page


# Of paragraphs of plain text of three lines and more: their characters and lines.
PARAGRAPHS = """[...document.querySelectorAll(".bd-article section > p")].flatMap(item => {
    const lines = Math.round(item.offsetHeight / parseFloat(getComputedStyle(item).lineHeight));
    return lines < 3 || !item.innerText || item.querySelector(".math, img, code, .verdict") ? [] : [[item.innerText.length, lines]];
})"""


@pytest.mark.parametrize("every", [4, pytest.param(2, marks=pytest.mark.large)])
def test_pages_fit_a_phone_and_have_lines_of_60_to_80_characters(site, browser, every):
    """In the mean of a paragraph, whose last line is full, or empty, at the utmost."""
    lines = []
    with tab(browser, viewport={"width": 390, "height": 844}) as page:
        for path in sample(site)[::every]:
            page.goto(path.as_uri())
            assert page.evaluate("document.documentElement.scrollWidth") <= 390, path.name
            page.wait_for_function(TYPESET)
            raw = page.evaluate("""[...document.querySelectorAll('.math')].filter(item =>
                item.offsetParent && !item.querySelector('mjx-container')).length""")
            assert raw == 0, f"{path.name}: {raw} formulas are not rendered"
            assert page.locator("mjx-merror").count() == 0, path.name
            stops = "mjx-container[tabindex]"  # of the keyboard: formulas that scroll alone
            assert page.locator(stops).evaluate_all("all => all.every(e => e.scrollWidth > e.clientWidth)")
            page.set_viewport_size({"width": 1400, "height": 900})
            page.wait_for_function("innerWidth === 1400")
            page.evaluate("document.fonts.ready")
            lines += page.evaluate(PARAGRAPHS)
            page.set_viewport_size({"width": 390, "height": 844})
    assert len(lines) > 60 / every
    assert all(60 <= length / (count - 1) and length / count <= 80 for length, count in lines), lines


# Pixels of the smallest letters in a picture that is no SVG: 10 points at 160 pixels an inch, 20 pixels
# taken twice as sharp.
LETTERS = {"learner.png": 10 / 72 * 160, "try_it.png": 2 * 20}


@pytest.mark.parametrize("width", [390, 1440])
def test_labels_of_figures_on_the_front_page_can_be_read(site, browser, width):
    with visited(browser, site / "book/index.html", viewport={"width": width, "height": 900}) as page:
        pictures = page.locator(".bd-article img").all()
        assert len(pictures) == 2 + sum(bool(paper.figure) for paper in papers().values())
        for picture in pictures:
            path, scale = picture.evaluate("""image => {
                const scales = [image.clientWidth / image.naturalWidth,
                                image.clientHeight / image.naturalHeight];
                const whole = getComputedStyle(image).objectFit !== "cover";
                return [image.currentSrc, whole ? Math.min(...scales) : Math.max(...scales)]; }""")
            file = Path(unquote(urlparse(path).path))
            # Matplotlib draws letters of 100 units, which it scales to points; 3 points are 4 pixels.
            letters = LETTERS.get(file.name) or 400 / 3 * min(
                map(float, re.findall(r"scale\(([\d.]+) -", file.read_text("utf-8"))))
            assert letters * scale >= 11, f"{file.name} at {width}: {letters * scale:.1f} pixels"


def loaded(browser, path) -> set:
    """The files that a browser reads to show a page."""
    files = set()
    with browser.tab() as page:
        page.on("request", lambda asked: files.add(Path(unquote(urlparse(asked.url).path))))
        page.goto(path.as_uri(), wait_until="networkidle")
    return {file for file in files if file.is_file()}


def test_pages_are_light(site, browser):
    """Uncompressed, and apart from MathJax, which only pages with formulas load."""
    weights = []
    for path in (site / "book/index.html", *sample(site)[::6]):
        files = loaded(browser, path)
        formulas = {file for file in files if "mathjax" in file.parts}
        assert bool(formulas) == ('class="math' in path.read_text("utf-8")), path.name
        weights.append(sum(file.stat().st_size for file in files - formulas))
    assert path in files and weights[0] < 1e6 and median(weights) < 0.8e6


VIOLATIONS = {"resultTypes": ["violations"]}  # axe takes half the time where it need not tell the rest


@pytest.mark.parametrize("every", [18, pytest.param(4, marks=pytest.mark.large)])
def test_text_stands_out_from_its_background_on_paper(site, browser, every):
    """Printed from a dark screen; on screens axe asks below."""
    with tab(browser, color_scheme="dark") as page:
        page.emulate_media(media="print", color_scheme="dark")
        for path in sample(site)[::every]:
            page.goto(path.as_uri())
            found = Axe().run(page, ".bd-article", {"runOnly": ["color-contrast"], **VIOLATIONS})
            told = [f"{item['html']} {item['any'][0]['message']}"
                    for rule in found.response["violations"] for item in rule["nodes"]]
            assert told == [], path.name


SYNONYMS = [("perceptron", "MLP"), ("GPT2", "gpt-2"), ("SSA", "scaled signed averaging"),
            ("multi-layer perceptron", "mlp"), ("multi layer perceptron", "mlp"),
            ("pretraining", "pre-training"), ("least squares", "least-squares"),
            ("feedforward", "feed-forward")]


def test_the_ledger_searches_sorts_and_filters(site, browser):
    with visited(browser, site / "book/ledger.html") as page:
        for words in SYNONYMS:
            found = []
            for word in words:
                page.fill("form.asked input", word)
                found.append(page.locator(".dt-info").first.inner_text())
            assert found[0] == found[1] and "filtered" in found[0] and " 0 of 0" not in found[0], words
        rows = page.locator("table.ledger tbody tr:visible")
        page.fill("form.asked input", "entropy")
        assert 0 < rows.count() < 10
        assert all("entropy" in text.lower() for text in rows.all_inner_texts())
        page.fill("form.asked input", "")
        for order in ("ascending", "descending"):
            page.click("table.ledger thead th:nth-child(2)")
            page.wait_for_selector(f"table.ledger th[aria-sort={order}]")
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert page.locator("table.ledger tbody tr").count() == len(ledger())
        assert page.locator("table.ledger .math:not(:has(mjx-container))").count() == 0
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        numbers = page.evaluate("""[...document.querySelectorAll("table.ledger tbody tr")].map(
            row => parseInt(row.cells[1].textContent))""")
        assert numbers == sorted(numbers, reverse=True) and len(numbers) > 9
        page.click("table.ledger tbody tr:first-child td:nth-child(2) a")
        page.wait_for_selector("dl.facts")
        assert "/claims/" in page.url and page.locator("dl.facts").count() == 1
    with visited(browser, site / "book/ledger.html", java_script_enabled=False) as page:
        assert page.locator("table.ledger tbody tr:visible").count() == len(ledger())


@pytest.mark.parametrize("name", ["ledger", "causal_lm"])
def test_what_is_asked_of_a_list_of_claims_stands_in_its_address(site, browser, name):
    rows = "table:is(.ledger, .claims) tbody tr:visible"
    with visited(browser, site / f"book/{name}.html") as page:
        page.wait_for_selector("form.asked")
        # A choice of one click, and a search letter by letter, are one step back each.
        page.select_option("select[name=verdict]", "fails")
        few = page.locator(rows).count()
        page.locator("form.asked input").press_sequentially("the")
        page.click("table:is(.ledger, .claims) thead th:nth-child(2)")
        page.wait_for_selector("th[aria-sort=ascending]")
        address, shown = page.url, page.locator(rows).all_inner_texts()
        assert address.endswith("#verdict=fails&q=the&order=rising+by+" + (
            "claim" if name == "ledger" else "verdict")) and shown
        for asked in ("#verdict=fails&q=the", "#verdict=fails", ""):
            page.go_back()
            page.wait_for_url(lambda url: url.partition(".html")[2] == asked)
        page.wait_for_function("rows => document.querySelectorAll(rows.split(':visible')[0]).length > 14",
                               arg=rows)
        assert page.input_value("select[name=verdict]") == "" and page.locator(rows).count() > few
    with tab(browser) as page:
        page.goto(address)
        page.wait_for_selector("form.asked")
        assert page.locator(rows).all_inner_texts() == shown


def test_the_printed_ledger_has_what_is_claimed_and_what_came_out(site, browser):
    with tab(browser) as page:
        page.goto((site / "book/ledger.html").as_uri() + "#q=entropy")
        page.wait_for_selector("form.asked")
        titles = page.locator("table.ledger thead th").all_inner_texts()[:3]
        last = page.locator("table.ledger tbody tr td:nth-child(7)").all_inner_texts()
        pages = PdfReader(io.BytesIO(page.pdf(format="A4"))).pages
        wide = [item for item in pages if item.mediabox.width > item.mediabox.height]
        told = re.sub(r"\s", "", "".join(item.extract_text() for item in wide))
        for words in titles + last:
            assert re.sub(r"\s", "", words) in told, words
        # What runs over the paper's edge is in a PDF too, but not on paper.
        page.set_viewport_size({"width": 1000, "height": 700})
        page.emulate_media(media="print")
        over = page.evaluate("""[...document.querySelectorAll("table.ledger :is(th, td)")].filter(
            cell => cell.getBoundingClientRect().right > 1000).length""")
        assert over == 0


def test_the_faces_have_every_character_of_the_book(site):
    """But for brackets raised in one figure's table, which a font of the machine shows."""
    has = {path.stem: set(map(chr, TTFont(path).getBestCmap()))
           for path in (site / "_static/type").glob("*.woff2")}
    assert sum(path.stat().st_size for path in (site / "_static/type").glob("*")) < 150_000
    text, code = set(), set()
    for path in html_files(site):
        page = re.sub(r'<(script|style|svg|span class="math|div class="math).*?</(script|style|svg|span|div)>',
                      "", path.read_text("utf-8"), flags=re.DOTALL)
        shown = lambda part: unescape(re.sub("<[^>]*>", "", part))
        code |= set(shown("".join(re.findall("<(?:pre|code).*?</(?:pre|code)>", page, re.DOTALL))))
        text |= set(shown(page))
    assert len(text) > 100 and len(code) > 90
    for name in ("BookSans-Regular", "BookSans-Italic", "BookSans-SemiBold"):
        assert text - has[name] - {"\n"} <= set("⁽⁾"), name
    assert code - has["BookMono-Regular"] - {"\n"} <= set("αβγδψ⁽⁾")  # these Greek letters are in Book Sans


# What someone new types, and the page that answers it.
QUERIES = {
    "custom task": "howto/test_your_own", "my own attention": "howto/test_your_own",
    "custom model": "howto/test_your_own", "extrapolation": "signed_averaging",
    "how to run on GPU": "howto/run_a_page", "install": "howto/run_a_page",
    "run in colab": "howto/run_a_page", "reproduce a figure": "howto/run_a_page",
    "what is context scaling": "start_here/glossary", "context scaling": "context_scaling",
    "what is in-context learning": "start_here/glossary",
    "how do I train a transformer": "start_here/index", "tutorial": "start_here/index",
    "scaled signed averaging": "signed_averaging", "SSA": "signed_averaging",
    "SSA huggingface": "howto/signed_averaging_in_your_model", "sklearn": "howto/scikit_learn",
    "prefix attention llama": "howto/prefix_language_models", "slurm": "howto/cluster",
    "papermill": "howto/reexecute", "how are verdicts made": "verdicts",
    "add my own paper": "howto/add_a_paper", "add a page": "howto/add_a_page",
    "scaling laws": "solvable_attention", "prefix vs causal": "causal_lm", "demo": "live/try_it",
    "download data": "howto/language_data", "related work": "bibliography",
    "list of all claims": "ledger", "SSA vs softmax": "signed_averaging", "causal vs prefix": "causal_lm",
    "GPU": "howto/run_a_page", "windows": "howto/run_a_page", "download weights": "howto/scikit_learn",
    "layer norm": "findings/what_caps_the_answers", "how many seeds": "verdicts",
    "prefix mask code": "howto/prefix_language_models", "reproduce figure 3": "howto/run_a_page",
    "temperature": "across", "train in the browser": "live/train_one", "cite this book": "index",
    "gradient descent in context": "causal_lm", "reproduce table 1": "howto/run_a_page",
    "positional embeddings": "findings/between_lengths", "docker": "howto/run_a_page", "cite": "index",
    "how long does it take to train": "howto/run_a_page", "leaderboard": "across"}


def test_search_finds_first_the_page_that_answers(site, browser):
    wrong = {}
    with tab(browser) as page:
        page.goto(f"{(site / 'search.html').as_uri()}?q=install")
        page.wait_for_selector("#search-results li a")
        page.evaluate("window.setTimeout = () => 0")  # the first result comes at once, others after a while
        for query, name in QUERIES.items():  # the address has it, as where the page is opened with it
            first, told = page.evaluate("""query => {
                history.replaceState(null, "", `?q=${encodeURIComponent(query)}`);
                document.getElementById("search-results").replaceChildren();
                Search.performSearch(query);
                const found = document.querySelector("#search-results li");
                return [found?.querySelector("a").getAttribute("href"), found?.querySelector(".context").textContent];
            }""", query)
            if first is None or first.partition("#")[0] != f"book/{name}.html" or len(told) < 20:
                wrong[query] = first
    assert wrong == {}


def test_the_pdf_leads_within_itself_and_counts_its_pages(site, tmp_path):
    names = ["book/index", "book/findings/two_tables", "book/ledger"]
    code = ("import sys, pathlib; from claimbook.website import offline; "
            f"offline.pages = lambda: {names}; offline.write_pdf(pathlib.Path(sys.argv[1]))")
    subprocess.run([sys.executable, "-c", code, tmp_path / "book.pdf"], cwd=PROJECT, check=True)
    book = PdfReader(tmp_path / "book.pdf")
    starts = [book.get_destination_page_number(item) for item in book.outline]
    assert starts[:2] == [0, 2] and len(starts) == 4  # after the cover and the contents
    assert [book.pages[place].extract_text().split()[0] for place in (0, 1)] == ["In-context", "Contents"]
    actions = [note.get_object().get("/A", {}) for sheet in book.pages for note in sheet.get("/Annots", ())]
    assert not [action for action in actions if "file:" in str(action.get("/URI"))]
    assert sum(action.get("/S") == "/GoTo" for action in actions) >= len(names)
    assert all(sheet.extract_text().split()[-1] == str(place + 1) for place, sheet in enumerate(book.pages))
    assert len(book.pages) - starts[-1] <= 15  # of the ledger


KINDS = 40


def kinds(site) -> list[Path]:
    """So many pages of all kinds, the first three a sample of them."""
    named = ("book/ledger", "book/library/estimators", "claims/causal_lm.1", "book/library/tasks",
             "book/context_scaling", "notebooks/causal_lm/fig01_dynamics", "_modules/claimbook/claims/claim", "search", "genindex",
             "py-modindex", "book/live/layers_as_steps", "_modules/index")
    named = [site / f"{name}.html" for name in named]
    rest = [path for path in sample(site) if path not in named]
    found = named + rest[:: len(rest) // 28][:28]
    assert len(set(found)) == KINDS
    return found


@pytest.mark.parametrize("theme, width", [("light", 1400), ("dark", 390)])
@pytest.mark.parametrize("place", [
    *range(3), *(pytest.param(place, marks=pytest.mark.large) for place in range(3, KINDS))])
def test_axe_finds_nothing(site, browser, place, theme, width):
    """By all of its rules, on a whole page with nothing folded."""
    path = kinds(site)[place]
    with visited(browser, path, color_scheme=theme, viewport={"width": width, "height": 900}) as page:
        page.wait_for_function(TYPESET)
        page.evaluate("document.querySelectorAll('.bd-article details').forEach(own => { own.open = true; })")
        page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        rules = {"label-content-name-mismatch": {"enabled": True}}  # axe has it off
        found = Axe().run(page, options={"preload": False, "rules": rules, **VIOLATIONS}).response
        told = [f"{rule['id']}: {item['html'][:200]}" for rule in found["violations"] for item in rule["nodes"]]
        assert told == [], path.name


@pytest.mark.large
def test_no_page_is_wider_than_a_phone(site, browser):
    wide = {}
    with tab(browser, viewport={"width": 390, "height": 844}) as page:
        for path in html_files(site):
            page.goto(path.as_uri())
            width = page.evaluate("document.documentElement.scrollWidth")
            if width > 390:
                wide[str(path.relative_to(site))] = width
    assert wide == {}


def test_a_link_shows_a_picture_and_a_description(site):
    for name in ("book/index", *(f"book/{name}" for name in papers()),
                 *(f"claims/{item.claim.id}" for item in ledger())):
        path = site / f"{name}.html"
        told = dict(re.findall(r'<meta property="og:(\w+)" content="([^"]+)">', path.read_text("utf-8")))
        assert told["title"] and len(told["description"]) > 20, name
        with Image.open(path.parent / told["image"]) as picture:
            assert picture.format == "PNG" and min(picture.size) >= 200, name


def test_the_table_of_contents_has_every_page():
    toc = (PROJECT / "_toc.yml").read_text("utf-8")
    assert set(re.findall(r"file: notebooks/(\S+)", toc)) ^ set(all_pages()) == set()
