"""How much does a page of the book load, and how soon can its front page be used?

    python benchmarks/page_weight.py

Every built page is opened once in Chromium, from the disk; what it loads is counted uncompressed,
MathJax apart. The front page is opened five times more; interactive is when its document is ready.
Measure on an idle machine. Nothing is kept.
"""

import statistics
from pathlib import Path
from urllib.parse import unquote, urlparse

from playwright.sync_api import sync_playwright

from claimbook.website.offline import SITE, chromium, pages

READY = "performance.getEntriesByType('navigation')[0].domInteractive"


def weight(page, path: Path) -> int:
    """Bytes of all files that a page loads, without MathJax."""
    loaded = set()
    note = lambda request: loaded.add(unquote(urlparse(request.url).path))
    page.on("request", note)
    page.goto(path.as_uri())
    page.wait_for_load_state("networkidle")
    page.remove_listener("request", note)
    return sum(Path(name).stat().st_size for name in loaded
               if "mathjax" not in name and Path(name).is_file())


def main() -> None:
    """Prints the median and the largest weights, and the seconds of the front page."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        weights = {name: weight(page, SITE / f"{name}.html") for name in pages()}
        ready = []
        for _ in range(5):
            page.goto((SITE / "book/index.html").as_uri())
            ready.append(page.evaluate(READY) / 1000)
        browser.close()
    print(f"{len(weights)} pages, median {statistics.median(weights.values()) / 1e6:.2f} MB")
    for name in sorted(weights, key=weights.get)[-5:]:
        print(f"{weights[name] / 1e6:.2f} MB  {name}")
    print(f"front page interactive after {statistics.median(ready):.2f} s")


if __name__ == "__main__":
    main()
