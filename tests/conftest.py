"""Every test works on its own results folder unless it asks for the committed one."""

import contextlib
import os
import random
import shutil
import sys
from contextlib import contextmanager
from pathlib import Path

import own_shell  # noqa: F401  before anything reads what it forgets

with contextlib.suppress(ImportError):
    import setuptools  # noqa: F401  first: it cannot be imported where Python's own distutils came before

os.environ["HF_HUB_OFFLINE"] = "1"  # or what is not there is asked for on the network, and asked again

import numpy as np
import pytest
import torch

from claimbook.commands import command_line
from icllib.training import jobs, workers

pytest.register_assert_rewrite("contract", "rounding", "small_fleet", "live_pages", "a_record", "copied_project")

# Of processes that take file after file, none shall end long after the others.
LONGEST = ("test_book", "test_all_pages_at_smoke", "test_capture", "test_howto", "test_run",
           "test_new", "test_checkpoint", "test_foreign_pages", "test_status", "test_pages")

PAGE = '''# %% [markdown]
# # A page

# %% tags=["parameters"]
profile = "stored"
size = 1

# %%
{body}
'''


def pytest_collection_modifyitems(items):
    """The longest files first."""
    items.sort(key=lambda item: (*LONGEST, item.path.stem).index(item.path.stem))


@pytest.hookimpl(tryfirst=True)  # before the test's fixtures draw
def pytest_runtest_setup():
    """Each test draws the same numbers, whichever ran before it in its process."""
    random.seed(0)
    np.random.seed(0)
    torch.manual_seed(0)


@pytest.fixture(autouse=True)
def one_thread_of_one_process(monkeypatch):
    """Which a test about workers changes."""
    torch.set_num_threads(1)
    monkeypatch.setattr(workers, "processors", lambda: jobs.processors()[:1])


@pytest.fixture
def results(tmp_path, monkeypatch):
    """An empty results folder."""
    folder = tmp_path / "results"
    monkeypatch.setenv("CLAIMBOOK_RESULTS", str(folder))
    return folder


@pytest.fixture
def output(tmp_path, monkeypatch):
    """An empty folder for what a page writes."""
    folder = tmp_path / "output"
    monkeypatch.setenv("CLAIMBOOK_OUTPUT", str(folder))
    return folder


@pytest.fixture
def folders(tmp_path, monkeypatch, results):
    """An empty folder for a page's records, with the checkpoints beside it."""
    monkeypatch.setenv("CLAIMBOOK_CHECKPOINTS", str(tmp_path / "checkpoints"))
    return results / "test" / "page"


FORKED = pytest.mark.usefixtures("forked_kernels")  # of tests to which it is the same how a kernel starts


@pytest.fixture
def forked_kernels(monkeypatch):
    """Kernels that start quickly."""
    from forked_kernels import fork_kernels

    fork_kernels(monkeypatch)


@pytest.fixture
def page(tmp_path, monkeypatch, results):
    """Writes a page causal_lm/sample with this code; returns its folder."""
    folder = tmp_path / "notebooks" / "causal_lm"
    folder.mkdir(parents=True)
    monkeypatch.setattr("claimbook.pages.names.NOTEBOOKS", tmp_path / "notebooks")
    (results / "causal_lm/sample").mkdir(parents=True)
    (results / "causal_lm/sample/figure.csv").write_text("old", "utf-8")

    def write(body):
        (folder / "sample.py").write_text(PAGE.format(body=body), "utf-8")
        (folder / "sample.ipynb").write_text("old", "utf-8")
        return folder

    return write


# It shall ask nothing of the network, nor of a screen.
CHROMIUM_FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
                  "--disable-background-networking", "--disable-component-update", "--disable-sync")


@pytest.fixture(scope="module")  # while it runs, nothing else in the process can use asyncio
def browser():
    """Headless Chromium; its tests are skipped on a machine that has none."""
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if program is None:
        pytest.skip("no Chromium on this machine: on Debian, apt-get install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=CHROMIUM_FLAGS,
                                              timeout=Patient.MILLISECONDS)
        yield Patient(chromium)
        chromium.close()


class Patient:
    """A browser whose pages wait as long as a test may take: none fails for being slow."""

    MILLISECONDS = 3_600_000

    def __init__(self, chromium):
        self.chromium, self.browser_type, self.windows = chromium, chromium.browser_type, {}

    @contextmanager
    def tab(self, **options):
        """A new tab, in the window of all tabs with these options, where nothing is stored yet; in the end
        it is closed, and those that it opened."""
        key = str(sorted(options.items()))
        if key not in self.windows:
            self.windows[key] = self.chromium.new_context(**options)
            self.windows[key].set_default_timeout(self.MILLISECONDS)
            # While a page is open, the next one takes half the processor time: it runs in the same process.
            self.windows[key].new_page().goto(Path(__file__).parent.as_uri())
        window = self.windows[key]
        page = window.new_page()
        window.new_cdp_session(page).send("Storage.clearDataForOrigin",
                                          {"origin": "file://", "storageTypes": "all"})
        try:
            yield page
        finally:
            for tab in window.pages[1:]:
                tab.close()


@pytest.fixture
def icllib(monkeypatch, capsys, tmp_path):
    """Runs a command; returns its exit code and what it printed on both streams."""
    monkeypatch.setattr("claimbook.commands.status.TOLD", tmp_path / "status.json")  # of this test alone

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["icllib", *words])
        try:
            command_line.main()
            code = 0
        except SystemExit as stop:
            code = stop.code or 0
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run
