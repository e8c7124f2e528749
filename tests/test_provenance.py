"""Which code a record says it was made by."""

import subprocess

import pytest
import torch

from icllib.results import PROJECT
from icllib.training.provenance import clocks, commit, cost_since, provenance


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


def test_a_computation_on_the_cpu_of_a_gpu_machine_is_the_cpus(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda device: f"GPU {device}")
    assert provenance("paper", "cpu")["device"].endswith("CPU cores")
    assert provenance("gpu", "cuda:1")["device"] == "GPU cuda:1"


def test_only_what_ran_on_a_gpu_has_its_memory(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "max_memory_allocated", lambda device: 5 << 20)
    assert "peak_memory_mib" not in cost_since(clocks(), "cpu")
    assert cost_since(clocks(), "cuda:1")["peak_memory_mib"] == 5
