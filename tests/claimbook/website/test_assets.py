"""A page loads the files that it uses; of the icons' fonts the icons that the book names are left."""

from pathlib import Path
from shutil import copytree
from types import SimpleNamespace

import pydata_sphinx_theme
import pytest
from fontTools.ttLib import TTFont

from claimbook.website.assets import cut_icons, leave_out

FILES = [SimpleNamespace(filename=name, attributes=attributes) for name, attributes in (
    ("_static/mathjax/tex-svg-full.js", {}), (None, {"body": "window.MathJax = {}"}),
    ("_static/mystnb.11b3.css", {}), ("_static/custom.css", {}), ("_static/sphinx-thebe.css", {}))]
THEME = Path(pydata_sphinx_theme.__file__).parent / "theme/pydata_sphinx_theme/static"


@pytest.mark.parametrize("body, count", [
    ("<p>Words.</p>", 1), ('<span class="math notranslate">', 3), ('<div class="cell docutils">', 2)])
def test_a_page_loads_what_it_uses(body, count):
    left = leave_out(FILES, body)
    assert len(left) == count and FILES[3] in left


def test_the_icons_that_pages_name_are_left(tmp_path):
    folder = tmp_path / "_static/vendor/fontawesome"
    copytree(THEME / "vendor/fontawesome", folder)
    (tmp_path / "page.html").write_text('<i class="fa-solid fa-bars"></i>', "utf-8")
    (tmp_path / "_static/own.css").write_text('a:before { content: "\\f107"; }', "utf-8")
    cut_icons(SimpleNamespace(outdir=tmp_path), None)
    font, = folder.rglob("fa-solid-900.ttf")
    assert set(TTFont(font).getBestCmap()) == {0xF0C9, 0xF107} and font.stat().st_size < 5000
    css = next(folder.rglob("all.min.css")).read_text("utf-8")
    assert "fa-bars" in css and "fa-moon" not in css and "woff2" not in css
    assert ".fa-solid" in css and not list(folder.rglob("*.woff2"))
