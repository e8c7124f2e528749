"""The live pages as a reader meets them: by mouse, finger and keyboard, in any width and theme."""

import re
from contextlib import contextmanager
from functools import partial
from urllib.parse import parse_qs

import numpy as np
import pytest
import torch
from contrast import contrast
from live_pages import DECODERS, keep_untrained, unpacked, write_page

from icllib.baselines import Ridge
from icllib.models import SignedAveraging, Softmax, Transformer
from icllib.models.scoring import Plain
from icllib.training import load
from papers import live_models as live

START = "#sigma=2&points=-2,1 0,0.5 1,-3&shown=softmax SSA prefix causal ridge"
ROUNDING = 0.2  # pixels: paths have one digit


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where the pages of this file are, and untrained decoders as their models."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("live")
        keep_untrained(patch, folder / "results")
        live.export(folder / "models.js")
        yield folder


@pytest.fixture
def visit(browser, folder):
    """Opens a page, checks in the end that nothing went wrong on it."""
    @contextmanager
    def visit(name="try_it", address=START, models="models.js", theme="light", **options):
        errors = []
        with browser.tab(**({"viewport": {"width": 900, "height": 1000}} | options)) as page:
            page.on("pageerror", lambda error: errors.append(str(error)))
            page.on("console", lambda said: errors.append(said.text))
            page.goto(write_page(folder, name, folder / models, theme) + address)
            rest(page)
            yield page
        assert errors == []
    return visit


def rest(page) -> None:
    """Wait until the page has drawn everything, however slow the machine."""
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    page.wait_for_selector("svg[data-state='at rest']")


def points_of(page) -> np.ndarray:
    """The points in the address of the page, once it has written them: (n, 2)."""
    rest(page)
    text, = parse_qs(page.url.partition("#")[2])["points"]
    return np.array([[float(number) for number in pair.split(",")] for pair in text.split()])


def heights_of(page, name: str) -> np.ndarray:
    """The pixels at which the page draws a curve: (61,), once it is drawn whole, which a machine under
    load does a little later."""
    page.wait_for_function("name => document.querySelector(`#live-plot [data-model=${name}]`)"
                           ".getAttribute('d').split(/[ML]/).length === 62", arg=name)
    path = page.locator(f"#live-plot [data-model={name}]").get_attribute("d")
    return np.array([float(pair.split()[1]) for pair in re.split("[ML]", path)[1:]])


@torch.no_grad()
def expected_heights(name: str, points, sigma: float) -> np.ndarray:
    """The pixels at which PyTorch's answers after these points lie: 4 sigma at 10, -4 sigma at 340."""
    exported = next(model for model in live.read() if model["name"] == name)
    module = load(live.models()[name][0]).module.double()
    module.load_state_dict({part: values[None] for part, values in unpacked(exported).items()})
    xs = torch.tensor([[*points[:, 0], x] for x in np.linspace(-3, 3, 61)])[None, ..., None]
    ys = torch.tensor([*points[:, 1], 0]).expand(1, 61, -1)
    answers = module(xs, ys, (len(points),))[0, :, 0].numpy()
    return 340 - (answers + 4 * sigma) * 330 / (8 * sigma)


@pytest.fixture(autouse=True)
def script(folder, monkeypatch):
    """The exported stand-ins where `live.read` looks for the page's models."""
    read = live.read
    monkeypatch.setattr(live, "read", lambda: read(folder / "models.js"))


def where(page, place: int) -> tuple[float, float]:
    """The middle of a point, in pixels of the window."""
    box = page.locator(f"[data-point='{place}']").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_a_drag_changes_the_curves_as_pytorch_says(visit):
    with visit() as page:
        before = {name: heights_of(page, name) for name in DECODERS}
        for name, heights in before.items():
            assert np.abs(heights - expected_heights(name, points_of(page), 2)).max() < ROUNDING, name
        x, y = where(page, 2)
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x - 60, y - 40, steps=5)
        page.mouse.up()
        points = points_of(page)
        assert np.allclose(points[:2], [[-2, 1], [0, 0.5]]) and len(points) == 3
        width = page.locator("#live-plot").bounding_box()["width"] - 64
        assert np.allclose(points[2], [1 - 60 * 6 / width, -3 + 40 * 16 / 330], atol=0.05)
        for name, heights in before.items():
            after = heights_of(page, name)
            assert np.abs(after - expected_heights(name, points, 2)).max() < ROUNDING, name
            assert np.abs(after - heights).max() > 10 * ROUNDING, name


def test_the_keyboard_alone_moves_adds_and_removes_points(visit):
    with visit() as page:
        for _ in range(30):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.id") == "live-plot":
                break
        for key in ("PageDown", "ArrowRight", "ArrowUp", "Shift+ArrowLeft"):
            page.keyboard.press(key)
        assert np.allclose(points_of(page), [[-2, 1], [-0.4, 0.7], [1, -3]])
        page.keyboard.press("Enter")
        assert np.allclose(points_of(page)[3], [0, 0])
        page.keyboard.press("Delete")
        page.keyboard.press("Delete")
        assert np.allclose(points_of(page), [[-2, 1], [-0.4, 0.7]])
        assert page.locator("#live-told").text_content().startswith("Point 2 of 2: x -0.40, y 0.70.")


def test_pointing_at_a_point_shows_where_heads_look_for_it(visit):
    with visit() as page:
        page.locator("[data-point='1']").hover()
        assert "point 2" in page.locator("#live-attention-of").text_content()
        figures = page.locator("#live-attention figure")
        assert figures.count() == 4
        cells = figures.nth(0).locator("rect:not(.chosen)")
        assert cells.count() == 2 * 2 * 7  # layers, heads, tokens: x and y of 3 points, itself
        weights = cells.evaluate_all("all => all.map(e => e.getAttribute('fill-opacity') ** 2)")
        assert np.allclose(np.reshape(weights, (4, 7)).sum(axis=1), 1)


def test_errors_are_drawn_for_every_number_of_points(visit):
    with visit() as page:
        assert page.locator("#live-errors .dot.of-ridge").count() == 2
        assert page.locator("#live-errors .band").count() == 4
        page.locator("#live-task").select_option("quadratic")
        rest(page)
        assert page.locator("#live-errors .band").count() == 0  # nothing was measured there


def test_the_address_holds_what_is_seen(visit, folder):
    with visit() as page:
        page.locator("#live-sigma").fill("7")
        page.locator("#live-noise").fill("0.5")
        page.locator("#live-models input[value=SSA]").uncheck()
        rest(page)
        drawn, address = page.locator("#live-plot").inner_html(), page.url
        other = page.context.new_page()
        other.goto(address)
        rest(other)
        assert other.locator("#live-plot").inner_html() == drawn
        assert other.locator("#live-sigma-is").text_content() == "7"
        assert other.locator("#live-plot [data-model=SSA]").count() == 0


def test_an_address_that_says_nothing_gives_the_start(visit):
    with visit(address="#points=a,b 1&sigma=x&noise=&task=no") as page:
        assert len(points_of(page)) == 12
        assert page.locator("#live-plot [data-model]").count() == 3  # ridge, and two models


def test_sigma_noise_and_number_change_the_points_and_come_back(visit):
    with visit() as page:
        page.locator("#live-sigma").fill("4")
        assert np.allclose(points_of(page), [[-2, 2], [0, 1], [1, -6]])
        page.locator("#live-noise").fill("1")
        assert np.abs(points_of(page)[:, 1] - [2, 1, -6]).min() > 0.001
        page.locator("#live-noise").fill("0")
        page.locator("#live-count").fill("39")
        assert len(points_of(page)) == 39
        page.locator("#live-count").fill("3")
        assert np.allclose(points_of(page), [[-2, 2], [0, 1], [1, -6]])


def test_a_point_outside_the_frame_stays_on_its_height_and_is_seen(visit):
    with visit(address="#sigma=1&points=0,-12 1,2&shown=ridge") as page:
        page.locator("#live-plot").focus()
        page.keyboard.press("ArrowRight")
        assert np.allclose(points_of(page), [[0.1, -12], [1, 2]])
        assert page.locator(".point.outside").count() == 1
        assert float(page.locator(".point").first.get_attribute("cy")) == 340
        page.keyboard.press("ArrowUp")
        assert np.allclose(points_of(page), [[0.1, -4], [1, 2]])


def test_the_order_matters_to_the_causal_mask_alone(visit):
    with visit(address="#seed=1&shown=prefix causal") as page:
        before = {name: heights_of(page, name) for name in ("prefix", "causal")}
        page.evaluate("let k = 0; Math.random = () => (k++ * 0.618) % 1")  # some orders move little
        page.locator("#live-shuffle").click()
        rest(page)
        moved = {name: np.abs(heights_of(page, name) - old).max() for name, old in before.items()}
        assert moved["prefix"] < ROUNDING < 5 * ROUNDING < moved["causal"]


def test_the_python_of_the_page_gives_its_numbers(visit, capsys):
    with visit() as page:
        exec(page.locator("#live-python").text_content(), {})
        printed = dict(line.split(" ", 1) for line in capsys.readouterr().out.splitlines())
        for name in (*DECODERS, "ridge"):
            answers = np.array(eval(printed[name]))
            drawn = heights_of(page, name)
            assert np.abs(340 - (answers + 8) * 330 / 16 - drawn).max() < 2 * ROUNDING + 0.01, name


def test_without_models_ridge_answers(visit, folder):
    (folder / "none.js").write_text("var live = window.live || {};\nlive.models = [];\n", "utf-8")
    with visit(models="none.js", address="") as page:
        named = page.locator("#live-models input").evaluate_all("all => all.map(e => e.value)")
        assert named == ["ridge"] and page.locator("#live-missing").is_visible()
        assert page.locator("#live-plot [data-model=ridge]").count() == 1


def moved(before, after) -> list[int]:
    """Which points are no longer where they were."""
    return np.flatnonzero(np.abs(after - before).max(axis=1) > 0.01).tolist()


@pytest.mark.parametrize("pointer", ["mouse", "pen"])
def test_a_press_takes_the_nearest_point(visit, pointer):
    with visit(address="#seed=6&shown=ridge") as page:
        session, taken = page.context.new_cdp_session(page), []
        send = lambda kind, x, y, **pressed: session.send("Input.dispatchMouseEvent", {
            "type": kind, "x": x, "y": y, "pointerType": pointer} | pressed)
        for place in range(12):
            x, y = where(page, place)
            send("mouseMoved", x, y)
            assert page.locator("#live-plot").evaluate("e => getComputedStyle(e).touchAction") == "none"
            send("mousePressed", x, y, button="left", clickCount=1)
            rest(page)
            taken.append(int(page.locator(".point.selected").get_attribute("data-point")))
            send("mouseReleased", x, y, button="left", clickCount=1)
        assert taken == list(range(12))


def test_a_finger_moves_a_point_and_not_the_page(visit):
    ways = (0, 60), (0, -60), (45, 60), (-45, -60), (60, 0)
    moves = [(place, *way) for k, way in enumerate(ways) for place in range(k, 12, 5)]
    phone = {"viewport": {"width": 390, "height": 700}, "has_touch": True, "is_mobile": True}
    with visit(address="#seed=6&sigma=2&shown=ridge", **phone) as page:
        fingers = page.context.new_cdp_session(page)
        touch = lambda kind, *at: fingers.send("Input.dispatchTouchEvent", {
            "type": kind, "touchPoints": [dict(zip("xy", at))] if at else []})
        page.locator("#live-plot").scroll_into_view_if_needed()
        scrolled = page.evaluate("scrollY")
        for place, right, down in moves:
            before, (x, y) = points_of(page), where(page, place)
            touch("touchStart", x, y)
            for part in range(1, 11):
                touch("touchMove", x + right * part / 10, y + down * part / 10)
            touch("touchEnd")
            after = points_of(page)
            assert moved(before, after) == [place], (place, right, down)
            assert page.evaluate("scrollY") == scrolled, (place, right, down)
            if down:  # all the way, unless it met the edge
                went = (before[place, 1] - after[place, 1]) / (16 / 330)
                assert abs(went - down) < 1 or abs(after[place, 1]) == 8, (place, right, down)
            page.goto(page.url.partition("#")[0] + "#seed=6&sigma=2&shown=ridge")
        box = page.locator("#live-plot").bounding_box()
        page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + 20)
        page.locator("[data-point='12']").wait_for()


def test_a_finger_beside_all_points_scrolls_the_page(visit):
    phone = {"viewport": {"width": 390, "height": 500}, "has_touch": True, "is_mobile": True}
    with visit(address="#sigma=2&points=-2,6&shown=ridge", **phone) as page:
        fingers = page.context.new_cdp_session(page)
        box = page.locator("#live-plot").bounding_box()
        page.evaluate(f"scrollTo(0, {box['y']})")
        x, y, scrolled = 300, 350, page.evaluate("scrollY")
        for kind, at in [("touchStart", y), *(("touchMove", y - 20 * k) for k in range(1, 9))]:
            fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": at}]})
        fingers.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        rest(page)
        assert page.evaluate("scrollY") > scrolled + 50
        assert len(points_of(page)) == 1


def test_every_scene_is_a_link_that_can_be_shared(visit):
    with visit(address="") as page:
        names = page.locator("#live-scenes a").evaluate_all("all => all.map(e => e.dataset.scene)")
        assert names == ["outlier", "steeper", "training", "shuffled", "few"]
        drawn = []
        for name in names:
            page.locator(f"[data-scene={name}]").click()
            page.locator("#live-show").click()
            rest(page)
            drawn.append(page.locator("#live-plot").inner_html())
            told = page.locator("#live-scene").text_content()
            assert told
            if name not in ("outlier", "few"):  # an address is made alike for all
                continue
            other = page.context.new_page()
            other.goto(page.url)
            other.locator("#live-show").click()
            rest(other)
            assert other.locator("#live-plot").inner_html() == drawn[-1]
            assert other.locator("#live-scene").text_content() == told
        assert len(set(drawn)) == len(drawn)
        page.locator("#live-plot").focus()
        page.keyboard.press("ArrowUp")
        rest(page)
        assert page.locator("#live-scene").text_content() == "" and "scene" not in page.url.partition("#")[2]


def test_it_opens_at_an_outlier_asks_for_a_guess_and_then_answers_without_a_jump(visit):
    curves = lambda page: set(page.locator("#live-plot .curve").evaluate_all("all => all.map(e => e.dataset.model)"))
    with visit(address="") as page:
        rest(page)
        assert page.locator("#live-scene").text_content().startswith("Guess first")
        assert curves(page) == {"ridge"}
        place = page.locator("#live-plot").bounding_box()
        page.locator("#live-show").click()
        rest(page)
        assert curves(page) == {"softmax", "SSA", "ridge"} and not page.locator("#live-show").is_visible()
        x, y = where(page, 9)
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x, y + 1)
        page.mouse.move(x, y + 2)
        page.mouse.up()
        rest(page)
        assert abs(where(page, 9)[1] - y - 2) < 1.5 and page.locator("#live-plot").bounding_box() == place


def shown_of_own(page, text: str) -> tuple[np.ndarray, str]:
    """Enters numbers at the start of the page; returns its points then, and what it says of them."""
    page.evaluate("start => { location.hash = start; }", START)
    assert np.array_equal(points_of(page), [[-2, 1], [0, 0.5], [1, -3]])
    page.locator("#live-own").fill(text)
    page.locator("#live-own-show").click()
    return points_of(page), page.locator("#live-own-told").text_content()


NO_NUMBERS = {
    "1 2\n3 four": 'line 2: expected two numbers, got "3 four"',
    "1 2 3": 'line 1: expected two numbers, got "1 2 3"',
    "NA,2\n1,3": 'line 1: expected two numbers, got "NA,2"',
    "1.234,5;2": 'line 1: expected two numbers, got "1.234,5;2"',
    "": "expected two columns of numbers, got none",
    "1 2\n" * 40: "expected at most 39 rows, got 40",
    "1 Infinity": "line 1: expected two numbers"}


def test_own_numbers_are_shown_as_they_are_where_they_fit_and_what_are_none_change_nothing(visit):
    with visit() as page:
        page.locator("#live-bring summary").click()
        for text in ("0.5 1\n-1 2", "x,y\n0.5,1\n-1,2\n", "0,5;1\n-1;2",
                     '"dose"\t"answer"\r\n0.5\t1\r\n-1\t2', "0.5, 1\n\n-1, 2",
                     "0,5 1,0\n-1 2", '"0,5","1"\n"-1","2"', "\ufeffx;y\n.5;1e0\n-1;+2",
                     '"dose, in mg","answer"\n0.5,1\n-1,2', "dose 1,dose 2\r0.5,1\r-1,2",
                     "dose in mg   answer\n 0.5   1 \n\u22121   2", "0,5\t1,0\n-1,0\t2,0"):
            points, told = shown_of_own(page, text)
            assert np.array_equal(points.round(6), [[0.5, 1], [-1, 2]]), text
            assert "as they are" in told, text
            assert page.locator("#live-plot .truth").count() == 0, text
        for text, expected in NO_NUMBERS.items():
            points, told = shown_of_own(page, text)
            assert expected in told, text
            assert np.array_equal(points, [[-2, 1], [0, 0.5], [1, -3]]), text


def test_own_numbers_from_a_file_are_centered_and_scaled(visit, tmp_path):
    numbers = np.random.default_rng(0).normal([100, -3e4], [7, 500], size=(20, 2)).round(3)
    path = tmp_path / "own.csv"
    path.write_text("\n".join(f"{x},{y}" for x, y in numbers), "utf-8")
    with visit() as page:
        page.locator("#live-bring summary").click()
        page.locator("#live-own-file").set_input_files(path)
        expected = (numbers - numbers.mean(axis=0)) / numbers.std(axis=0)
        rest(page)
        inside = np.abs(expected).max(axis=1) <= 3
        assert np.allclose(points_of(page)[inside], expected[inside], atol=2e-3)
        assert "centered and scaled: x = (yours" in page.locator("#live-own-told").text_content()


def test_own_numbers_are_moved_and_scaled_alone(visit):
    """No point leaves the frame to the side, and none loses its place among the others."""
    with visit() as page:
        page.locator("#live-bring summary").click()
        for xs, ys in (([*range(20), 500], range(21)), (np.arange(5) / 1e4, np.arange(5) ** 2 / 1e6),
                       ([0.1] * 3, [1e9, 2e9, 4e9]), ([1e-300, 2e-300], [5, 5])):
            shown, told = shown_of_own(page, "\n".join(f"{x},{y}" for x, y in zip(xs, ys)))
            assert "centered and scaled" in told
            for own, axis in zip((xs, ys), shown.T):
                own = np.asarray(own, float) - min(own)
                own = own / (own.max() or 1)
                assert np.allclose(axis - axis.min(), own * (axis.max() - axis.min()), atol=2e-3)
                assert own.max() == 0 or axis.max() - axis.min() > 1


@pytest.mark.parametrize("name, theme", [("try_it", "dark"), ("layers_as_steps", "light")])
def test_lines_stand_out_on_a_phone_in_both_themes(visit, name, theme):
    paper = {"light": 1.0, "dark": 0.0}[theme]
    with visit(name, theme=theme, viewport={"width": 390, "height": 844}) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        colors = page.locator("svg path.curve").evaluate_all(
            "all => all.map(e => getComputedStyle(e).stroke)")
        assert len(colors) >= 5
        for color in set(colors):
            rgb = [int(part) / 255 for part in re.findall(r"\d+", color)[:3]]
            assert contrast(rgb, 3 * [paper]) >= 3, color


class Linear(Plain):
    """Scores over the number of visible tokens."""

    def weigh(self, z, mask):
        return z * mask / mask.sum(-1, keepdim=True)


LEARNERS = {"softmax": Softmax(), "SSA": SignedAveraging(), "linear": Linear()}
SIZE = {"layers": 2, "heads": 2, "width": 8, "batch": 8, "rate": 0.01, "steps": 300, "seed": 3}


@pytest.mark.parametrize("mask", ["causal", "prefix"])
@pytest.mark.parametrize("scoring", LEARNERS)
def test_the_learner_has_the_gradients_of_autograd(visit, mask, scoring):
    """Of the book's decoder, after some steps, on prompts with every number of pairs."""
    with visit("train_one", address="") as page:
        made = page.evaluate("""settings => {
            const learner = live.learner(settings), prompts = learner.drawn(10);
            for (let k = 0; k < 20; k++) learner.train();
            const before = Object.entries(learner.views).map(([name, { p }]) => [name, [...p]]);
            const loss = learner.loss(prompts);
            const after = Object.entries(learner.views).map(([name, { d }]) => [name, [...d]]);
            return { prompts, loss, before, after,
                     ridge: learner.ridge(prompts[9].pairs, 10, 0.5) }; }""",
            SIZE | {"mask": mask, "scoring": scoring})
    model = Transformer(2, 2, 8, LEARNERS[scoring], positions="none", mask=mask, queries_see_themselves=False)
    module = model.build([0], 1, 10).double()
    names = dict(module.named_parameters())
    number = partial(torch.tensor, dtype=torch.float64)
    assert set(names) == {name for name, _ in made["before"]}
    for name, values in made["before"]:
        names[name].data = number(values).view_as(names[name])
    total = 0
    for prompt in made["prompts"]:
        points = number([*prompt["pairs"], *([own["x"], own["y"]] for own in prompt["queries"])])
        lengths = [own["pairs"] for own in prompt["queries"]]
        places = range(len(prompt["pairs"]), len(points))
        told = module(points[None, None, :, :1], points[None, None, :, 1], lengths, places)[0, 0]
        total = total + (told - points[list(places), 1]).square().mean() / len(made["prompts"])
    total.backward()
    assert made["loss"] == pytest.approx(total.item(), rel=1e-8)
    for name, values in made["after"]:
        expected = names[name].grad.flatten().numpy()
        assert np.abs(values - expected).max() <= 1e-8 * np.abs(expected).max(), name
    xs, ys = number(made["prompts"][9]["pairs"]).T
    lines = torch.stack((torch.cat((xs, number([0.5]))), torch.ones(11).double()), dim=-1)
    best = Ridge(0.09).predict(lines[None, None], torch.cat((ys, ys[:1]))[None, None], [10])
    assert made["ridge"] == pytest.approx(best.item(), rel=1e-8)


def test_the_learner_trains_stops_and_leaves_the_page_to_the_reader(visit):
    with visit("train_one", address="") as page:
        page.select_option("#live-scoring", "SSA")
        page.click("#live-train")
        page.wait_for_function("document.querySelector('#live-runs').textContent.includes('step 0 ')")
        page.wait_for_function("/step [1-9]/.test(document.querySelector('#live-runs').textContent)")
        frames = page.evaluate("""new Promise(done => { let n = 0; const end = performance.now() + 400;
            const frame = () => { n++; performance.now() < end ? requestAnimationFrame(frame) : done(n); }; frame(); })""")
        assert frames >= 2
        page.click("#live-train")
        told = page.locator("#live-runs").text_content()
        assert told.startswith("SSA, causal: step ") and page.locator("#live-trained").text_content() == "Stopped."
        page.wait_for_timeout(500)
        assert page.locator("#live-runs").text_content() == told
        page.click("#live-train")
        page.wait_for_function("document.querySelectorAll('#live-runs li').length === 2")
        page.click("#live-train")


@pytest.mark.large
@pytest.mark.parametrize("mask, scoring", [("causal", "softmax"), ("prefix", "linear")])
def test_the_learner_comes_within_half_of_ridge_regression(visit, mask, scoring):
    with visit("train_one", address="") as page:
        page.select_option("#live-mask", mask)
        page.select_option("#live-scoring", scoring)
        page.click("#live-train")
        page.wait_for_function("document.querySelector('#live-trained').textContent.startsWith('Done')")
        worst = re.search(r"([\d.]+) times at most", page.locator("#live-runs").text_content())
        assert 1 <= float(worst[1]) < 1.5


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_layers_play_and_stand_still_for_those_who_want_it(visit, motion):
    with visit("layers_as_steps", address="", reduced_motion=motion) as page:
        page.locator("#live-play").click()
        layer = int(page.wait_for_function(  # read at once, as the layers go on
            "(layer => layer > 0 && layer)(document.getElementById('live-layer').value)").json_value())
        assert layer == 50 if motion == "reduce" else 0 < layer < 50


def test_the_page_of_layers_follows_its_controls(visit):
    with visit("layers_as_steps", address="#alpha=2.1&gamma=0.5&pairs=20") as page:
        assert page.locator("#live-size-theory").text_content() == "-2.100"
        read = float(page.locator("#live-size-read").text_content())
        assert abs(read + 2.1) < 0.05
        before = page.locator("#live-by-layer").inner_html()
        page.locator("#live-mean").fill("2")
        rest(page)
        assert page.locator("#live-by-layer").inner_html() != before
        assert "mean=2" in page.url


def test_what_goes_wrong_on_a_page_is_told(visit):
    for code in ("console.log('said')", "setTimeout(() => { throw 'thrown'; })"):
        with pytest.raises(AssertionError, match="said|thrown"), visit() as page:
            page.evaluate(code)
            rest(page)
