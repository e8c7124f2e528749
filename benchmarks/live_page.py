"""How fast the live page draws: its first frame, and a frame while a point is dragged.

    python benchmarks/live_page.py            prints milliseconds; measure while nothing else runs
    python benchmarks/live_page.py pictures   takes the still picture of it for the front page, and the
                                              README's figure from its notebook

Needs Chromium and the built book.
"""

import statistics
import sys

from playwright.sync_api import sync_playwright

from claimbook.records import PROJECT
from claimbook.website.figures import first_figure
from claimbook.website.offline import chromium

PAGE = (PROJECT / "_build/html/book/live/try_it.html").as_uri()
PICTURE = PROJECT / "book/_static/live/try_it.png"
FIGURE = PROJECT / "book/_static/fig02_linear_attention.png"
ALL = "#sigma=6&seed=6&shown=softmax SSA prefix causal ridge"
SCENE = "?scene=steeper"
FRAMES = """performance.getEntriesByName('live frame').map(({ startTime, duration }) =>
    [startTime, duration])"""


def first_frame(browser) -> float:
    """From the first of the page's own scripts to the first curves."""
    page = browser.new_page()
    page.goto(PAGE)
    page.wait_for_function(f"{FRAMES}.length")
    (start, duration), *_ = page.evaluate(FRAMES)
    begun = page.evaluate("performance.getEntriesByName('live begins')[0].startTime")
    page.close()
    return start + duration - begun


def frames_while_dragging(browser, points: int, moves: int = 120) -> list[float]:
    """How long every frame takes while the first of so many points is dragged about."""
    page = browser.new_page(viewport={"width": 1300, "height": 1000})
    page.goto(PAGE + ALL)
    page.locator("#live-count").fill(str(points))
    page.wait_for_timeout(1000)
    box = page.locator("[data-point='0']").bounding_box()
    x, y = box["x"] + 16, box["y"] + 16
    before = len(page.evaluate(FRAMES))
    page.mouse.move(x, y)
    page.mouse.down()
    for move in range(moves):
        page.mouse.move(x + move % 40, y - move % 60)
    page.mouse.up()
    durations = [duration for _, duration in page.evaluate(FRAMES)[before:]]
    page.close()
    return durations


def take_pictures(browser) -> None:
    """The README's figure; and the plot alone, twice as sharp as it is wide, with labels that can be read where it is small."""
    page = browser.new_page(viewport={"width": 1300, "height": 1000})
    page.set_content(first_figure("causal_lm/fig02_linear_attention"))
    page.locator("svg").screenshot(path=FIGURE)
    page.close()
    page = browser.new_page(viewport={"width": 520, "height": 1000}, device_scale_factor=2)
    page.goto(PAGE + SCENE)
    page.add_style_tag(content="#live-plot text { font-size: 20px; }")
    page.wait_for_timeout(1000)
    page.locator("#live-plot").screenshot(path=PICTURE)
    page.close()


def main(what: str = "") -> None:
    """Print both times, for a usual number of points and for the most; or take the pictures."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(),
                                             args=["--no-sandbox", "--disable-gpu"])
        if what == "pictures":
            return take_pictures(browser)
        firsts = sorted(first_frame(browser) for _ in range(7))
        print(f"first frame: median {statistics.median(firsts):.0f}, largest {firsts[-1]:.0f}")
        for points in (12, 39):
            frames = sorted(frames_while_dragging(browser, points))
            print(f"{points} points, {len(frames)} frames: median {statistics.median(frames):.1f}, "
                  f"19 of 20 under {frames[len(frames) * 19 // 20]:.1f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
