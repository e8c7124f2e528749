"""The book to take along: one PDF of all its pages, printed by Chromium, and a zip of the site.

    python -m claimbook.website.offline

Both lie in _build/offline afterwards; the site must have been built.
"""

import io
import shutil
from html import escape
from itertools import accumulate
from pathlib import Path
from urllib.parse import unquote

from claimbook.records.errors import InputError
from claimbook.records.files import PROJECT
from claimbook.website.contents import config, pages_of_contents

SITE, OFFLINE = PROJECT / "_build/html", PROJECT / "_build/offline"
# MathJax is where there are formulas; a promise is waited for.
TYPESET = """!document.querySelector(".math") ||
             window.MathJax?.startup?.promise?.then(() => true)"""
MARGINS = dict.fromkeys(("top", "bottom", "left", "right"), "15mm")
PROGRAMS = ("chromium", "chromium-browser", "google-chrome")


def chromium() -> str:
    """The program that prints; raises InputError where there is none."""
    found = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if found is None:
        raise InputError("Chromium: expected it on this machine, found none; on Debian, "
                         "apt-get install chromium")
    return found


def pages() -> list[str]:
    """The pages of the book in the order of its contents; raises InputError where they are not built."""
    found = pages_of_contents()
    missing = [name for name in found if not (SITE / f"{name}.html").exists()]
    if missing:
        raise InputError(f"{SITE}: expected the built book, found no {missing[0]}.html; call make")
    return found


def write_pdf(path: Path) -> None:
    """Prints and binds every page, with a cover, contents, numbers, bookmarks, and links within the book."""
    from playwright.sync_api import sync_playwright
    from pypdf import PdfWriter

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        page = browser.new_page(color_scheme="light")
        page.set_default_timeout(300_000)  # a busy machine takes its time
        printed, titles = {}, {}
        for name in pages():
            page.goto((SITE / f"{name}.html").as_uri())
            page.wait_for_function(TYPESET)
            titles[name] = page.text_content("h1").strip().removesuffix("#")
            printed[name] = sheets(page)
        first = printed_contents(page, titles, dict.fromkeys(titles, 0))
        starts = dict(zip(titles, accumulate(map(len, printed.values()), initial=len(first))))
        book = PdfWriter()
        for title, own in zip(["Cover and contents", *titles.values()],
                              [printed_contents(page, titles, starts), *printed.values()]):
            start = len(book.pages)
            for sheet in own:
                book.add_page(sheet)
            book.add_outline_item(title=title, page_number=start)
        page.set_content("".join(f"<p>{place + 1}</p>" for place in range(len(book.pages))))
        page.add_style_tag(content="p { break-after: page; height: 1px; text-align: center; font-size: 10px; }")
        for sheet, number in zip(book.pages, sheets(page, top="282mm", bottom="3mm")):
            sheet.merge_page(number)
            sheet.compress_content_streams()  # which merging has unpacked
        browser.close()
    lead_within(book, starts)
    book.compress_identical_objects()
    path.parent.mkdir(parents=True, exist_ok=True)
    book.write(path)


def sheets(page, **margins) -> list:
    """The pages of paper that a page of the website is printed on."""
    from pypdf import PdfReader

    printed = page.pdf(format="A4", margin=MARGINS | margins, prefer_css_page_size=True)
    return list(PdfReader(io.BytesIO(printed)).pages)


def printed_contents(page, titles: dict[str, str], starts: dict[str, int]) -> list:
    """A cover, then every page of the website with its number on paper."""
    lines = "".join(f'<tr><td><a href="{(SITE / name).as_uri()}.html">{escape(title)}</a></td>'
                    f"<td>{starts[name] + 1}</td></tr>" for name, title in titles.items())
    title, *about = (escape(config()[name]) for name in ("title", "author", "copyright") if name in config())
    page.set_content(f"<header><h1>{title}</h1><p>{', '.join(about)}</p></header>"
                     f"<h2>Contents</h2><table>{lines}</table>")
    page.add_style_tag(content="body { font: 10px sans-serif; } td:last-child { text-align: right; } "
                               "table { width: 100%; } a { color: inherit; } header { height: 160mm; "
                               "break-after: page; padding-top: 80mm; font-size: 16px; } h1 { font-size: 44px; }")
    return sheets(page)


def lead_within(book, starts: dict[str, int]) -> None:
    """Links to a page of the book lead to its first sheet, to a claim to the ledger; others lead nowhere."""
    from pypdf.generic import ArrayObject, DictionaryObject, NameObject

    for note in (note.get_object() for sheet in book.pages for note in sheet.get("/Annots", ())):
        address = str(note.get("/A", {}).get("/URI", ""))
        if not address.startswith("file:"):
            continue
        name = unquote(address).partition("#")[0].removeprefix(f"{SITE.as_uri()}/").removesuffix(".html")
        name = "book/ledger" if name.startswith("claims/") else name
        del note[NameObject("/A")]  # a file that is not on a reader's machine
        if name in starts:
            place = ArrayObject([book.pages[starts[name]].indirect_reference, NameObject("/Fit")])
            goto = {NameObject("/S"): NameObject("/GoTo"), NameObject("/D"): place}
            note[NameObject("/A")] = DictionaryObject(goto)


def main() -> None:
    """Writes both, the zip first, which needs no Chromium."""
    pages()
    OFFLINE.mkdir(parents=True, exist_ok=True)
    print(shutil.make_archive(str(OFFLINE / "site"), "zip", SITE))
    write_pdf(OFFLINE / "book.pdf")
    print(OFFLINE / "book.pdf")


if __name__ == "__main__":
    main()
