"""What is said while a command works."""

import io
import os
import subprocess
import sys
from contextlib import nullcontext

import pytest

import claimbook.__main__ as entry
from claimbook.pages.execution import NowAndThen
from claimbook.records.files import PROJECT


@pytest.mark.parametrize("terminal, lines", [(True, 1), (False, 3)])
def test_a_line_comes_within_a_second_and_one_every_30_where_nobody_sits(monkeypatch, terminal, lines):
    slept = []

    def sleep(seconds):
        if len(slept) == 3:
            raise TimeoutError("or it would go on for ever")
        slept.append(seconds)

    err = io.StringIO()
    err.isatty = lambda: terminal
    monkeypatch.setattr(sys, "stderr", err)
    monkeypatch.setattr(sys, "argv", ["claimbook", "book"])
    monkeypatch.setattr(entry.time, "sleep", sleep)
    with nullcontext() if terminal else pytest.raises(TimeoutError):
        entry.tell_that_it_works()
    told = err.getvalue().splitlines()
    assert told[0] == "claimbook book: at work" and len(told) == lines
    assert slept[0] < 1 and set(slept[1:]) <= {30.0}


@pytest.mark.parametrize("words", [["claimbook", "claims"], ["icllib", "compare", "mine.py"]], ids=str)
def test_where_the_working_folder_is_gone_one_line_says_so(words, tmp_path):
    gone = "import os, runpy, sys; os.rmdir(os.getcwd()); sys.argv = sys.argv[1:]; runpy.run_module(sys.argv[0], run_name='__main__')"
    (tmp_path / "gone").mkdir()
    done = subprocess.run([sys.executable, "-c", gone, *words], cwd=tmp_path / "gone", capture_output=True, encoding="utf-8",
                          env=os.environ | {"PYTHONPATH": str(PROJECT)})
    assert done.returncode == 2 and done.stderr.splitlines()[-1].startswith(f"{words[0]}: the working folder: expected")
    assert "Traceback" not in done.stderr


def test_of_a_pages_progress_the_last_line_is_passed_on_every_30_seconds(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr("claimbook.pages.execution.time.monotonic", lambda: clock[0])
    out = io.StringIO()
    stream = NowAndThen(out)
    for clock[0] in range(1, 100):
        stream.write(f"\r\x1b[Kfleet {clock[0]}/99 steps")
    assert out.getvalue().splitlines() == ["fleet 31/99 steps", "fleet 62/99 steps", "fleet 93/99 steps"]
