"""Which code a record says it was made by."""

import os
import platform
import shutil
import subprocess

import pytest
import torch

from claimbook.records import PROJECT
from claimbook.records.processor import processor_name
from claimbook.records.provenance import clocks, commit, cost_since, provenance


@pytest.fixture(autouse=True)
def untold(monkeypatch):
    monkeypatch.delenv("CLAIMBOOK_COMMIT", raising=False)


@pytest.mark.skipif(not (PROJECT / ".git").exists() or not shutil.which("git"),
                    reason="a copy, or a machine, without git")
def test_the_commit_is_that_of_the_checkout():
    own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    told = subprocess.run(["git", "rev-parse", "HEAD"], cwd=PROJECT, encoding="utf-8", capture_output=True,
                          env=own)
    if told.returncode:  # as a checkout of another user's
        pytest.skip(told.stderr)
    head = told.stdout
    assert len(commit()["commit"]) >= 12 and head.startswith(commit()["commit"])


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A folder that is the project and a repository with one commit, whoever's settings git has."""
    if shutil.which("git") is None:
        pytest.skip("no git on this machine")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)
    git = lambda *words: subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words],
                                        cwd=tmp_path, check=True, capture_output=True)
    (tmp_path / "icllib").mkdir()
    (tmp_path / "icllib" / "code.py").write_text("1", "utf-8")
    git("init", "-q")
    git("add", ".")
    git("commit", "-q", "-m", "one")
    monkeypatch.setattr("claimbook.records.provenance.PROJECT", tmp_path)
    return tmp_path


def test_code_that_was_changed_since_its_commit_is_told(checkout):
    assert commit()["dirty"] is False
    (checkout / "results").mkdir()
    (checkout / "results/record").write_text("made", "utf-8")
    assert commit()["dirty"] is False
    (checkout / "icllib" / "code.py").write_text("2", "utf-8")
    assert commit()["dirty"] is True


def test_a_git_that_fails_is_told(checkout):
    """As where a clone is of another user, or its index is broken."""
    (checkout / ".git/HEAD").write_text("rubbish", "utf-8")
    with pytest.warns(UserWarning, match="git says: fatal: .*; set CLAIMBOOK_COMMIT"):
        assert commit() == {"commit": "unknown", "dirty": True}


def test_a_download_inside_another_repository_has_not_its_commit(checkout, monkeypatch):
    assert commit()["commit"] != "unknown"
    (checkout / "download" / "icllib").mkdir(parents=True)
    monkeypatch.setattr("claimbook.records.provenance.PROJECT", checkout / "download")
    assert commit() == {"commit": "unknown", "dirty": True}


@pytest.mark.parametrize("told, expected", [
    ("0123456789ab", {"commit": "0123456789ab", "dirty": False}),
    ("0123456789ab-dirty", {"commit": "0123456789ab", "dirty": True}), ("", {"commit": "unknown", "dirty": True})])
def test_without_git_the_commit_is_what_is_told(told, expected, monkeypatch):
    monkeypatch.setattr("claimbook.records.provenance.shutil.which", lambda name: None)
    monkeypatch.setenv("CLAIMBOOK_COMMIT", told)
    assert commit() == expected


def test_only_what_ran_on_a_gpu_is_the_gpus_and_has_its_memory(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda device: f"GPU {device}")
    monkeypatch.setattr(torch.cuda, "max_memory_allocated", lambda device: 5 << 20)
    assert provenance("paper", "cpu")["device"].endswith(f"CPU cores of {processor_name()}")
    assert provenance("gpu", "cuda:1")["device"] == "GPU cuda:1"
    assert "peak_memory_mib" not in cost_since(clocks(), "cpu")
    assert cost_since(clocks(), "cuda:1")["peak_memory_mib"] == 5


ARCHITECTURE = platform.processor() or platform.machine()


@pytest.mark.parametrize("description, name", [
    ("vendor_id\t: AuthenticAMD\nmodel name\t: AMD EPYC 9654 96-Core Processor\n", "AMD EPYC 9654 96-Core"),
    ("model name\t: Intel(R) Xeon(R) Gold 6348 CPU @ 2.60GHz\n", "Intel Xeon Gold 6348"),
    ("BogoMIPS\t: 50.00\n", ARCHITECTURE)])
def test_the_processor_has_its_makers_name(description, name, tmp_path):
    path = tmp_path / "cpuinfo"
    path.write_text(description, "utf-8")
    assert processor_name(path) == name
