"""Every test works on its own results folder unless it asks for the committed one."""

import pytest
import torch

pytest.register_assert_rewrite("contract")


@pytest.fixture(autouse=True)
def one_thread():
    torch.set_num_threads(1)


@pytest.fixture
def results(tmp_path, monkeypatch):
    """An empty results folder."""
    folder = tmp_path / "results"
    monkeypatch.setenv("ICLLIB_RESULTS", str(folder))
    return folder


@pytest.fixture
def output(tmp_path, monkeypatch):
    """An empty folder for what a page writes."""
    folder = tmp_path / "output"
    monkeypatch.setenv("ICLLIB_OUTPUT", str(folder))
    return folder
