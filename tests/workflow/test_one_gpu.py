"""The script that gives a command a GPU of its own, on machines whose GPUs are told by a script."""

import os
import subprocess
import time

import pytest

from claimbook.records.files import PROJECT


@pytest.fixture
def start(tmp_path, monkeypatch):
    """Starts commands on a machine with so many GPUs, each of which writes which one it sees."""
    def on(count, name, allotted=None, wait="true", folder=tmp_path):
        (tmp_path / "nvidia-smi").write_text(f"#!/bin/sh\nseq 0 {count - 1}\n", "utf-8")
        (tmp_path / "nvidia-smi").chmod(0o755)
        own = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}",
                            "TMPDIR": str(folder)}  # where no other process takes a GPU
        own.pop("CUDA_VISIBLE_DEVICES", None)
        return subprocess.Popen(
            [PROJECT / "workflow/one_gpu.sh", "sh", "-c",
             f"echo \"$CUDA_VISIBLE_DEVICES\" > {name}.part; mv {name}.part {name}; {wait}"],
            cwd=tmp_path, env=own if allotted is None else own | {"CUDA_VISIBLE_DEVICES": allotted},
            stderr=subprocess.PIPE, encoding="utf-8")
    return on


def seen(path):
    until = time.monotonic() + 300
    while not path.exists():
        assert time.monotonic() < until
        time.sleep(0.02)
    return path.read_text("utf-8").strip()


def test_two_commands_have_a_gpu_each_and_a_third_none(start, tmp_path):
    first = start(2, "first", wait="exec sleep 3600")
    one = seen(tmp_path / "first")
    second = start(2, "second", wait="exec sleep 3600")
    assert {one, seen(tmp_path / "second")} == {"0", "1"}
    third = start(2, "third")
    assert third.wait() == 2 and "--resources gpu=2" in third.stderr.read()
    first.kill(), first.wait()  # whatever its end, its GPU is free
    assert start(2, "fourth").wait() == 0 and seen(tmp_path / "fourth") == one
    second.kill(), second.wait()


@pytest.mark.parametrize("count, allotted, expected", [(0, None, ""), (1, None, ""), (8, "5", "5"), (8, "6,7", "6"),
                                                       (8, "", ""), (2, "GPU-1a,GPU-2", "GPU-1a")])
def test_a_command_keeps_to_what_it_was_allotted(start, tmp_path, count, allotted, expected):
    assert start(count, "only", allotted).wait() == 0
    assert seen(tmp_path / "only") == expected


def test_a_gpu_behind_the_end_of_the_list_is_not_handed_out(start, tmp_path):
    first = start(2, "first", "0,-1,1", wait="exec sleep 3600")
    assert seen(tmp_path / "first") == "0"
    second = start(2, "second", "0,-1,1")
    assert second.wait() == 2 and "expected a free one" in second.stderr.read()
    first.kill(), first.wait()


def test_a_lock_that_cannot_be_opened_is_told_as_such(start, tmp_path):
    command = start(2, "only", folder=tmp_path / "none")
    assert command.wait() == 2 and "TMPDIR: expected a folder to write to" in command.stderr.read()
