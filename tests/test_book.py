"""The website: builds without warnings, works offline, shows every claim."""

import re

import pytest

from icllib import book
from icllib.claims import Claim, find_claim
from icllib.decisions import decide, ledger
from icllib.errors import InputError
from icllib.pages import all_pages
from icllib.results import PROJECT
from icllib.verdicts import Verdicts


@pytest.fixture(scope="module")
def site():
    """The folder of the built website; a warning fails the build."""
    return book.build().parent


def test_a_folder_that_cannot_be_written_to_is_told(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(book, "GENERATED", tmp_path / "file")
    with pytest.raises(InputError, match="file: expected a folder to write to"):
        book.build()


def html_files(site):
    return [path for path in site.rglob("*.html") if "_static" not in path.parts]


def test_every_claim_is_on_the_front_page(site):
    front = (site / "book/index.html").read_text()
    assert front.count('class="verdict ') == len(ledger())


def test_verdicts_stand_under_the_title_as_in_the_tables_of_the_page(site):
    for page in {item.claim.page for item in ledger() if item.claim.page}:
        title, line, rest = re.split('<p class="verdict-line">(.*?)</p>',
                                     (site / f"notebooks/{page}.html").read_text(), maxsplit=1)
        assert not re.search("<h2>|<p>", title.rpartition("<h1>")[2]), page  # right under it
        groups = re.findall(r'verdict-([\w-]+)"[^>]*>[^<]*</span> claims? ([\d, ]+)', line)
        above = {(number, verdict) for verdict, own in groups for number in own.strip().split(", ")}
        below = set(re.findall(r'<strong>Claim (\d+) .*?verdict verdict-([\w-]+)"', rest))
        assert below and {pair for pair in above if pair[1] != "not-run"} == below, page


def test_the_ledger_says_how_many_parts_of_a_claim_hold():
    claim = Claim("causal_lm.6", "Figure 2", "A is below B.", {"value": "below", "read": "figure"},
                  "ordering", "ratio of A to B", ("a", "b", "c"), {"below": 1.0})
    some = decide(claim, {"a": [0.5], "b": [0.9], "c": [1.1]}, "gpu")
    every = {"a": [0.5], "b": [0.9], "c": [0.7]}
    assert "mixed, paper's model</span> 2 of 3 parts |" in book.table([some])
    assert "holds, smaller model</span> |" in book.table([decide(claim, every, "cpu")])


def test_formulas_of_claims_are_typeset_in_the_ledger(site):
    front = (site / "book/index.html").read_text()
    for formula in (r"|x_N|^2 y_N", r"n &lt; d", r"\Lambda_s^2 \gg 1", r"D^{-(\alpha - 1)}"):
        assert rf'<span class="math notranslate nohighlight">\({formula}\)</span>' in front
    assert "$" not in re.sub("<script.*?</script>", "", front, flags=re.DOTALL)


def test_formulas_of_claims_are_typeset_on_pages():
    claim = find_claim("context_scaling.12")
    shown = Verdicts([decide(claim, dict.fromkeys(claim.parts, [0.0]), "paper")])
    assert "$|x_N|^2 y_N$" in repr(shown)
    html = shown._repr_html_()
    assert r'<span class="math notranslate nohighlight">\(|x_N|^2 y_N\)</span>' in html
    assert "$" not in html


def test_the_readme_has_the_verdicts_and_hours_of_the_front_page():
    readme = (PROJECT / "README.md").read_text()
    *_, rows = book.summary(ledger()).partition("---:|\n")
    for row in rows.splitlines():
        paper, numbers = re.fullmatch(r"\| \[.*\]\((.*)\) (.*)", row).groups()
        assert re.search(rf"^\| .*\(book/{paper}\).* {re.escape(numbers)}$", readme, re.MULTILINE), (
            f"README.md, the row of {paper}: expected {numbers}")


def test_every_page_is_linked_and_offers_its_notebook_and_numbers(site):
    for page in all_pages():
        html = (site / f"notebooks/{page}.html").read_text()
        assert re.search(r'href="[^"]*_downloads/[^"]*figure\.csv"', html), page
        assert re.search(r'href="[^"]*\.ipynb"[^>]*', html), page


def test_every_figure_has_alternative_text(site):
    for path in (site / "notebooks").rglob("*.html"):
        for image in re.findall(r"<img [^>]*_images[^>]*>", path.read_text()):
            alt = re.search(r'alt="([^"]*)"', image)
            assert alt and len(alt[1]) > 3 and not alt[1].endswith(".png"), f"{path.name}: {image}"


def test_nothing_is_fetched_from_the_network_to_view_it(site):
    loads = re.compile(r'<(?:script|img|iframe)[^>]+src="(https?:)?//|<link[^>]+'
                       r'rel="(?:stylesheet|preload)"[^>]+href="(https?:)?//')
    for path in html_files(site):
        assert not loads.search(path.read_text()), path.name


def test_mathjax_is_the_vendored_one(site):
    html = (site / "notebooks/causal_lm/propositions.html").read_text()
    assert "mathjax/tex-svg-full.js" in html
    assert (site / "_static/mathjax/tex-svg-full.js").stat().st_size > 10**6


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name, curves", [("try_it", "#live-plot .curve"),
                                          ("layers_as_steps", "svg .curve")])
def test_live_pages_work_in_the_book(site, browser, name, curves, theme):
    context = browser.new_context(viewport={"width": 390, "height": 844}, color_scheme=theme)
    page = context.new_page()
    page.goto((site / f"book/live/{name}.html").as_uri())
    page.wait_for_selector(curves, state="attached")
    assert page.evaluate("document.documentElement.dataset.theme") == theme
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.click('a[href*="notebooks/"]:visible')  # what it shows leads to a page of claims
    assert "/notebooks/" in page.url
    context.close()


def test_the_table_of_contents_has_every_page():
    toc = (PROJECT / "_toc.yml").read_text()
    assert set(re.findall(r"file: notebooks/(\S+)", toc)) ^ set(all_pages()) == set()
