"""Every page at its smallest size.

Pages run as scripts here; in a kernel they run when their notebooks are compared.
"""

import pytest

from icllib.pages import all_pages
from icllib.runner import execute_as_script


@pytest.mark.parametrize("page", all_pages())
def test_the_page_runs_at_smoke(page, output, tmp_path, monkeypatch):
    monkeypatch.setenv("ICLLIB_CHECKPOINTS", str(tmp_path / "checkpoints"))
    execute_as_script(page, {"profile": "smoke"})
