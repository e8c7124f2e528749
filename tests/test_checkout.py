"""A clone has every byte of what is committed."""

import shutil
import subprocess

import pytest

from claimbook.records.files import PROJECT


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
