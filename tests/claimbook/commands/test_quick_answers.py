"""What the command line need not do to answer: counted, as a time would hang on the machine."""

import subprocess
import sys
from collections import Counter

import pytest

from claimbook.commands import page_state, status
from claimbook.commands.page_state import states_of
from claimbook.records import records
from claimbook.records.files import PROJECT

LOADED = """import runpy, sys
sys.argv = ["claimbook", *{words}]
try:
    runpy.run_module("claimbook", run_name="__main__")
except SystemExit:
    pass
print("loaded:", *{{name.partition(".")[0] for name in sys.modules}})
"""


@pytest.mark.parametrize("words, heavy", [
    (["--help"], {"torch", "numpy", "scipy", "pandas", "matplotlib", "seaborn"}),
    (["claims", "causal_lm"], {"torch", "pandas", "matplotlib", "seaborn"}),
])
def test_what_is_not_needed_is_not_imported(words, heavy):
    done = subprocess.run([sys.executable, "-c", LOADED.format(words=words)], cwd=PROJECT, encoding="utf-8",
                          capture_output=True)
    *told, loaded = done.stdout.splitlines()
    assert told and "claimbook" in loaded.split(), done.stderr
    assert not heavy & set(loaded.split())


def test_what_was_told_is_told_again_without_pytorch():
    code = "import sys, claimbook.pages.names, claimbook.commands.status; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], cwd=PROJECT, encoding="utf-8", capture_output=True)
    assert "claimbook.commands.status" in loaded.stdout.split(), loaded.stderr
    assert not {"torch", "pandas", "matplotlib", "nbformat"} & set(loaded.stdout.split())


def test_each_record_is_read_once_and_runs_are_listed_once(monkeypatch):
    read, listed, check, runs_at = Counter(), Counter(), records.Record.check, page_state.runs_at

    def counted(self):  # of each record that is read from its file
        read[str(self.run)] += 1
        return check(self)

    def at(runs_of_profile, profile):
        listed[profile] += runs_of_profile.__module__.endswith(".fig01_scaling")
        return runs_at(runs_of_profile, profile)

    records.read_record.cache_clear()
    monkeypatch.setattr(records.Record, "check", counted)
    monkeypatch.setattr(page_state, "runs_at", at)
    assert {row.page for row in states_of("context_scaling/fig01_scaling")} == {"fig01_scaling"}
    assert len(read) > 10 and set(read.values()) == {1}
    assert set(listed.values()) == {1}


def test_status_asks_a_page_again_only_when_something_has_changed(page, results, monkeypatch, tmp_path):
    asked = []
    folder = page("1 + 1")
    for name in ("other", "unknown"):
        (folder / f"{name}.py").write_text("", "utf-8")
    (results / "mine").mkdir()

    def states_of(name):
        asked.append(name)
        told = "unknown" if name.endswith("unknown") else "fresh"
        return [status.State(*name.split("/"), "cpu", told, "", f"{len(asked)} minutes")]

    def asked_now(*pages):
        asked.clear()
        return status.kept_status(pages), asked.copy()

    monkeypatch.setattr(page_state, "states_of", states_of)
    monkeypatch.setattr(status, "TOLD", tmp_path / "status.json")
    pages = "causal_lm/sample", "causal_lm/other", "mine/sample"
    told, first = asked_now(*pages)
    assert first == [*pages] and asked_now(*pages[:1]) == (told[:1], [])
    assert asked_now(*pages) == (told, [])
    (folder / "sample.py").write_text("2", "utf-8")
    assert asked_now(*pages)[1] == ["causal_lm/sample"]
    (results / "causal_lm/sample/new.json").write_text("{}", "utf-8")
    assert asked_now(*pages)[1] == ["causal_lm/sample", "causal_lm/other"]
    monkeypatch.setattr(status, "cores", lambda: 77)
    assert asked_now(*pages)[1] == [*pages]
    for damage in ("[]", "{", '{"mine/sample": 3}', status.TOLD.read_text("utf-8").replace('"state"', '"stat"')):
        status.TOLD.write_text(damage, "utf-8")
        assert asked_now("mine/sample")[1] == ["mine/sample"]
    for _ in range(2):
        assert asked_now("causal_lm/unknown")[1] == ["causal_lm/unknown"]
