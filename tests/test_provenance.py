"""Which code a record says it was made by."""

import subprocess

import pytest

from icllib.results import PROJECT
from icllib.training.provenance import commit


@pytest.fixture(autouse=True)
def untold(monkeypatch):
    monkeypatch.delenv("ICLLIB_COMMIT", raising=False)


@pytest.mark.skipif(not (PROJECT / ".git").exists(), reason="a copy without git")
def test_the_commit_is_that_of_the_checkout():
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=PROJECT, text=True,
                          capture_output=True, check=True).stdout
    assert len(commit()["commit"]) >= 12 and head.startswith(commit()["commit"])


@pytest.mark.parametrize("told, dirty", [("0123456789ab", False), ("0123456789ab-dirty", True)])
def test_a_copy_without_git_can_be_told_its_commit(told, dirty, monkeypatch):
    monkeypatch.setenv("ICLLIB_COMMIT", told)
    assert commit() == {"commit": "0123456789ab", "dirty": dirty}


def test_without_git_the_commit_is_unknown(monkeypatch):
    monkeypatch.setattr("icllib.training.provenance.shutil.which", lambda name: None)
    assert commit() == {"commit": "unknown", "dirty": True}
