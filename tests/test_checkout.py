"""A clone has every byte of what is committed; `make test` runs all of its parts."""

import os
import shutil
import subprocess

import pytest

from claimbook.records.files import PROJECT

# A Python that fails where golden numbers are tried.
PYTHON = '''#!/bin/sh
echo "$@" >> "{calls}"
case "$*" in *test_golden.py*) exit 1;; esac
'''


def test_a_clone_that_turns_ends_of_lines_changes_no_byte(tmp_path):
    if not (PROJECT / ".git").exists() or shutil.which("git") is None:
        pytest.skip("not a git checkout, or no git")
    taken = subprocess.run(["git", "rev-parse", "HEAD"], cwd=PROJECT, encoding="utf-8", capture_output=True)
    if taken.returncode:  # as a checkout of another user's
        pytest.skip(taken.stderr)
    told = subprocess.run(["git", "clone", "-q", "--shared", "-c", "core.autocrlf=true",
                           PROJECT, tmp_path / "clone"], encoding="utf-8", capture_output=True)
    assert told.returncode == 0, told.stderr
    files = subprocess.run(["git", "ls-files", "--eol"], cwd=tmp_path / "clone", encoding="utf-8",
                           capture_output=True, check=True).stdout.splitlines()
    turned = [line for line in files if line.split()[0][1:] != line.split()[1][1:]]
    assert len(files) > 3000 and turned == []


@pytest.mark.parametrize("fails", [True, False])
def test_every_part_of_make_test_runs_and_is_told(tmp_path, fails):
    """In a copy of what make reads, so that a space in the path of temporary files is no matter."""
    for name in ("Makefile", "requirements.txt", "requirements.lock", "pyproject.toml"):
        shutil.copy2(PROJECT / name, tmp_path)
    (tmp_path / "claimbook").mkdir()
    shutil.copy2(PROJECT / "claimbook/pyproject.toml", tmp_path / "claimbook")
    (tmp_path / "venv/bin").mkdir(parents=True)
    python, calls = tmp_path / "venv/bin/python", tmp_path / "calls"
    python.write_text(PYTHON.format(calls=calls) if fails else "#!/bin/sh\n", "utf-8")
    python.chmod(0o755)
    (tmp_path / "venv/installed").write_text("", "utf-8")
    os.utime(tmp_path / "venv/installed", (2**31 - 1, 2**31 - 1))  # newer than those, whatever clock they have
    done = subprocess.run(["make", "test", "VENV=venv"], cwd=tmp_path, encoding="utf-8",
                          capture_output=True)
    golden = "FAILED" if fails else "passed"
    assert done.stdout.splitlines()[-3:] == [
        "test-python: passed", f"test-golden: {golden}", "test-notebooks: passed"], done.stderr
    assert (done.returncode != 0) == fails
    assert not fails or "notebooks" in calls.read_text("utf-8")
