"""Every page at its smallest size.

Pages run as scripts here; in a kernel they run when their notebooks are compared.
"""

from contextlib import nullcontext
from importlib import import_module

import pytest

from claimbook.pages.execution import execute_as_script
from claimbook.pages.names import all_pages
from claimbook.records import find_record, is_fresh
from icllib import court


@pytest.fixture(scope="module")
def computed(tmp_path_factory):
    """A folder in which a page finds what pages before it have computed."""
    return tmp_path_factory.mktemp("computed")


@pytest.mark.parametrize("page", all_pages())
def test_the_page_runs_at_smoke(page, output, computed, monkeypatch):
    """What trains nothing has one size, at which tests/test_golden.py computes it again: its record is taken."""
    module = import_module("claimbook.records.compute")
    monkeypatch.setattr(module, "temporary_folder", lambda: nullcontext(str(computed)))

    def recorded(run, folder, measure=module.measure):
        stored = find_record(run, folder.parent.name)
        return stored.save(folder) if is_fresh(stored) else measure(run, folder)

    monkeypatch.setattr(module, "measure", recorded)
    monkeypatch.setattr(court, "PROMPTS", 32)
    monkeypatch.setattr(court, "CHUNK", 32)
    execute_as_script(page, {"profile": "smoke"})
