"""A copy of the project that a test may change."""

import os
import shutil
import subprocess
import sys

from claimbook.records.files import PROJECT

LEFT_OUT = shutil.ignore_patterns(".git", ".venv", "_build", "_generated", "runs", "__pycache__", ".*_cache",
                                  "*.egg-info", "results")


def copied(folder):
    """A copy of the project without what is built; each paper's records are a link to the real ones."""
    shutil.copytree(PROJECT, folder, ignore=LEFT_OUT)
    (folder / "results").mkdir()
    for path in (PROJECT / "results").iterdir():
        os.symlink(path, folder / "results" / path.name)
    return folder


def run_in(folder, *words, path=None, code=0):
    """Runs Python there, with that folder or another one on its path; returns what it printed, and fails
    with all of it where it ends otherwise than with this code."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith(("CLAIMBOOK_", "PYTHON"))}
    own = {"PYTHONPATH": str(path or folder), "OMP_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, *words], cwd=folder, encoding="utf-8", stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, env=kept | own)
    assert done.returncode == code, done.stdout
    return done.stdout
