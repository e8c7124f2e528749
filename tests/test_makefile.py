"""What `make` would do, on machines that are pretended."""

import os
import re
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from claimbook.records.files import PROJECT

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="needs make")


@pytest.fixture
def unspaced():
    """A folder whose name has no space, which make would take for two names, wherever TMPDIR is."""
    with TemporaryDirectory(dir="/tmp") as folder:
        yield Path(folder)


def test_every_part_runs_whatever_fails_and_has_its_line(unspaced):
    python = unspaced / "python"
    python.write_text('#!/bin/sh\necho "begin $*"\nsleep 0.1\necho "end $*"\n'
                      'case "$*" in *"$RED"*) exit 1;; esac\n', "utf-8")
    python.chmod(0o755)
    os.utime(python, (2**31 - 1, 2**31 - 1))  # newer than what .venv is made of, whatever clock that has
    parts = {"test-python": "loadscope", "test-golden": "test_affine", "test-notebooks": "nbval"}
    for red in ("nothing", "loadscope", "test_affine"):
        done = subprocess.run(["make", "test", f"BIN={unspaced}", f"INSTALLED={python}"], cwd=PROJECT,
                              encoding="utf-8", capture_output=True, env=os.environ | {"RED": red})
        lines = done.stdout.splitlines()
        assert lines[-3:] == [f"{part}: {'FAILED' if word == red else 'passed'}"
                              for part, word in parts.items()]
        assert bool(done.returncode) == (red != "nothing")
        told = [line.split(" -m ", 1) for line in lines if line.startswith(("begin", "end"))]
        assert len(told) == 2 * len(parts)
        for word in parts.values():
            place = next(place for place, (_, call) in enumerate(told) if word in call)
            assert told[place] == ["begin", told[place + 1][1]] and told[place + 1][0] == "end"


@pytest.mark.parametrize("words, nvidia_smi, told, untold", [
    ((), "exit 1", [r"/whl/cpu torch==[\d.]+\+cpu \|\|", "--require-hashes -r requirements.lock",
                    "make TORCH=any takes"], []),
    (("TORCH=any",), "exit 1", [r"pip install -q torch==[\d.]+\n"], []),
    ((), 'echo "GPU 0: NVIDIA H200"', ["pip install -q torch=="], ["whl/cpu"]),
    (("TORCH=present", "PYTHON=/other/python"), "exit 1",
     ["/other/python -c 'import pathlib, torch", "present.pth", r'metadata.version\("torch"\)'],
     ["torch==2", "requirements.lock"]),
    (("TORCH=other",), "exit 1", ["TORCH: expected cpu, cuda, any or present, got other"], [])])
def test_the_build_of_pytorch_is_that_of_the_machine_or_as_asked(tmp_path, words, nvidia_smi, told, untold):
    command = tmp_path / "nvidia-smi"
    command.write_text(f"#!/bin/sh\n{nvidia_smi}\n", "utf-8")
    command.chmod(0o755)
    said = subprocess.run(["make", "-n", "-B", ".venv/installed", *words], cwd=PROJECT, encoding="utf-8",
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env=os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}).stdout
    assert all(re.search(line, said) for line in told) and not any(re.search(line, said) for line in untold)


def test_the_lock_has_what_is_required_and_a_digest_for_each():
    locked = re.split(r"\n(?=\S)", (PROJECT / "requirements.lock").read_text("utf-8").split("\n", 3)[3].strip())
    assert all(" --hash=sha256:" in entry for entry in locked)
    locked = {entry.split()[0] for entry in locked}
    asked = re.findall(r"^[\w-]+==[^\s;]+", (PROJECT / "requirements.txt").read_text("utf-8"), re.MULTILINE)
    assert {name.lower().replace("_", "-") for name in asked if not name.startswith("torch==")} <= locked
