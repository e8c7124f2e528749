"""Every page at its smallest size: the longest file, by its name the first of a parallel run."""

import pytest

from icllib.pages import all_pages
from icllib.runner import run_page


@pytest.mark.parametrize("page", all_pages())
def test_the_page_runs_at_smoke(page):
    assert run_page(page, "smoke", {}, None) == "executed at smoke, nothing kept"
