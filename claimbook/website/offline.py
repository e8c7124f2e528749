"""The book to take along: one PDF of all its pages, printed by Chromium, and a zip of the site.

    python -m claimbook.website.offline

Both lie in _build/offline afterwards; the site must have been built.
"""

import argparse
import io
import shutil
from pathlib import Path

from claimbook.records.errors import InputError
from claimbook.records.files import PROJECT
from claimbook.website.contents import pages_of_contents

SITE, OFFLINE = PROJECT / "_build/html", PROJECT / "_build/offline"
# MathJax is where there are formulas; a promise is waited for.
TYPESET = """!document.querySelector(".math") ||
             window.MathJax?.startup?.promise?.then(() => true)"""
MARGINS = dict.fromkeys(("top", "bottom", "left", "right"), "15mm")
FOOT = """<p style="width: 100%; font-size: 8px; text-align: center">
          <span class="title"></span>, page <span class="pageNumber"></span></p>"""
PROGRAMS = ("chromium", "chromium-browser", "google-chrome")


def chromium() -> str:
    """The program that prints; raises InputError where there is none."""
    found = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if found is None:
        raise InputError("Chromium: expected it on this machine, found none; on Debian, "
                         "apt-get install chromium")
    return found


def pages() -> list[str]:
    """The pages of the book in the order of its table of contents.

    Raises InputError where the site has not been built.
    """
    found = pages_of_contents()
    missing = [name for name in found if not (SITE / f"{name}.html").exists()]
    if missing:
        raise InputError(f"{SITE}: expected the built book, found no {missing[0]}.html; call make")
    return found


def write_pdf(path: Path) -> None:
    """Prints every page and binds them, with a bookmark for each."""
    from playwright.sync_api import sync_playwright
    from pypdf import PdfWriter

    book = PdfWriter()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        page = browser.new_page(color_scheme="light")
        for name in pages():
            page.goto((SITE / f"{name}.html").as_uri())
            page.wait_for_function(TYPESET)
            printed = page.pdf(format="A4", margin=MARGINS, display_header_footer=True,
                               header_template="<p></p>", footer_template=FOOT)
            book.append(io.BytesIO(printed), outline_item=page.title().partition(" — ")[0])
        browser.close()
    book.compress_identical_objects()
    path.parent.mkdir(parents=True, exist_ok=True)
    book.write(path)


def main() -> None:
    """Writes both, the zip first, which needs no Chromium."""
    argparse.ArgumentParser(prog="python -m claimbook.website.offline", description=__doc__,
                            formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    pages()
    OFFLINE.mkdir(parents=True, exist_ok=True)
    print(shutil.make_archive(str(OFFLINE / "site"), "zip", SITE))
    write_pdf(OFFLINE / "book.pdf")
    print(OFFLINE / "book.pdf")


if __name__ == "__main__":
    main()
