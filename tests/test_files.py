"""Files that are written whole or not at all."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from claimbook import website as book
from claimbook.claims import claim, decisions, papers
from claimbook.commands.run import notebook_problem
from claimbook.pages.execution import page_source
from claimbook.records import load_record
from claimbook.records.checksums import changed_since, names_shown
from claimbook.records.errors import InputError
from claimbook.records.files import (
    check_writable, read_bytes, read_text, read_yaml, stamp, to_json, write_text, write_together)
from claimbook.website import contents
from claimbook.website.claim_pages import paper_answers
from icllib.estimators import names


@pytest.mark.parametrize("content", [
    {"a": "[ b"}, ["[x,  y]", "a\\"], {"a": ["mean [ 0 ]", 'q" ] [', "\n {"], "b": [[1, 2], []]}])
def test_texts_come_back_from_json_as_they_were_and_lists_of_plain_values_are_one_line(content):
    assert json.loads(to_json(content)) == content
    assert to_json({"a": [1.5, "b", None], "c": [[1, 2], [3]]}) == (
        '{\n "a": [1.5, "b", null],\n "c": [\n  [1, 2],\n  [3]\n]\n}\n')


def test_a_mapping_of_many_keys_takes_no_minute():
    start = time.process_time()
    assert len(read_yaml("\n".join(f"k{place}: 1" for place in range(30_000)))) == 30_000
    assert time.process_time() - start < 10  # 0.4 s; 21 s where each key is sought among all


def test_files_are_in_utf_8_whatever_the_locale(tmp_path):
    code = ("import sys, pathlib; from claimbook.records.files import write_text; from claimbook.pages.execution import "
            "page_source; write_text(pathlib.Path(sys.argv[1]), '\\u03c3'); "
            "page_source('causal_lm/propositions')")
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    subprocess.run([sys.executable, "-c", code, tmp_path / "text"], check=True, env=os.environ | plain)
    assert (tmp_path / "text").read_bytes() == "σ".encode()


def test_a_file_that_is_gone_while_a_folder_is_read_and_what_lies_in_no_folder_count_as_not_there(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("", "utf-8")
    walked = [(str(tmp_path), [], ["gone.part", "file"])]
    monkeypatch.setattr(os, "walk", lambda place: walked)
    assert [own[0] for own in stamp(tmp_path)] == [str(tmp_path / "file")]
    monkeypatch.undo()
    assert stamp(tmp_path / "file" / "x", tmp_path / ("x" * 5000)) == []


def test_no_file_is_replaced_before_all_are_written(tmp_path):
    old, blocked = tmp_path / "old", tmp_path / "old" / "below_a_file"
    old.write_text("old", "utf-8")
    with pytest.raises(OSError):
        write_together({old: "new", blocked: "new"})
    assert old.read_text("utf-8") == "old" and list(tmp_path.iterdir()) == [old]


NO_FILE = {"a pipe": os.mkfifo, "a link to a file of the machine": lambda path: path.symlink_to("/etc/passwd"),
           "a link to a device": lambda path: path.symlink_to("/dev/zero"), "a folder": os.mkdir,
           "a link to nothing": lambda path: path.symlink_to("nothing")}


@pytest.mark.timeout(60)
@pytest.mark.parametrize("kind", NO_FILE)
def test_what_is_no_file_is_not_read(kind, tmp_path):
    NO_FILE[kind](tmp_path / "x")
    for read in (read_text, read_bytes):
        with pytest.raises(OSError, match="a link, not a file" if "link" in kind else "a folder, a pipe"):
            read(tmp_path / "x")
    (tmp_path / "file").write_bytes("a\r\nσ".encode())
    assert read_text(tmp_path / "file") == "a\nσ" and read_bytes(tmp_path / "file") == "a\r\nσ".encode()


READERS = {  # a file of a clone or of the results, and what reads it
    "papers/own/paper.yml": papers, "papers/own/claims.yml": lambda: claim.read_claims(Path("papers/own/claims.yml"), "own", None),
    "papers/own/answers.yml": lambda: paper_answers.__wrapped__("own"),
    "notebooks/own/page.py": lambda: page_source("own/page"),
    "results/own/page/evidence.json": lambda: decisions.decision_on_record(SimpleNamespace(page="own/page")), "results/own/page/shown.json": lambda: names_shown("own/page"),
    "_config.yml": contents.config, "results/models.json": names, "results/own/page/cpu/x.json": lambda: load_record("results/own/page/cpu/x.json")}


@pytest.mark.timeout(60)
@pytest.mark.parametrize("kind", NO_FILE)
@pytest.mark.parametrize("name", READERS)
def test_in_place_of_a_file_of_the_project_it_is_told(name, kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    NO_FILE[kind](tmp_path / name)
    monkeypatch.setenv("CLAIMBOOK_RESULTS", str(tmp_path / "results"))
    monkeypatch.setattr("claimbook.pages.names.NOTEBOOKS", tmp_path / "notebooks")
    monkeypatch.setattr(contents, "PROJECT", tmp_path)
    monkeypatch.setattr(claim, "PROJECT", tmp_path)
    monkeypatch.setattr("claimbook.website.claim_pages.PROJECT", tmp_path)
    monkeypatch.setattr(claim, "check_project", lambda: None)
    with pytest.raises(InputError, match=name.rpartition("/")[2]):
        READERS[name]()


@pytest.mark.timeout(60)
@pytest.mark.parametrize("kind", NO_FILE)
def test_in_place_of_what_a_page_shows_it_is_told(kind, tmp_path, monkeypatch):
    monkeypatch.setenv("CLAIMBOOK_RESULTS", str(tmp_path / "results"))
    monkeypatch.setattr("claimbook.pages.names.NOTEBOOKS", tmp_path)
    folder = tmp_path / "results/own/page"
    folder.mkdir(parents=True)
    (folder / "shown.json").write_text('{"files": {"figure.csv": "ab"}, "records": {}}', "utf-8")
    (tmp_path / "own").mkdir()
    NO_FILE[kind](folder / "figure.csv")
    NO_FILE[kind](tmp_path / "own/page.ipynb")
    assert changed_since("own/page", None).startswith("figure.csv is ")
    assert notebook_problem("own/page") == "notebook damaged"


@pytest.mark.parametrize("kind", [kind for kind in NO_FILE if kind != "a folder"])
def test_the_website_is_made_of_files(kind, tmp_path, monkeypatch):
    monkeypatch.setattr(book, "PROJECT", tmp_path)
    (tmp_path / "results/own").mkdir(parents=True)
    (tmp_path / "results/own/figure.csv").write_text("", "utf-8")
    book.check_no_links()
    NO_FILE[kind](tmp_path / "results/own/evidence.json")
    with pytest.raises(InputError, match="evidence.json: expected a file, got a link, a pipe or a device"):
        book.check_no_links()


def test_what_a_killed_process_had_begun_to_write_goes(tmp_path):
    (tmp_path / "cpu").mkdir()
    old, young, own = tmp_path / "cpu/tmpabcd1234.part", tmp_path / "tmpabcd1234.part", tmp_path / "tmp.part"
    for path in (old, young, own):
        path.write_text("half", "utf-8")
    for path in (old, own):
        os.utime(path, (1, 1))
    check_writable(tmp_path)
    assert not old.exists() and young.exists() and own.exists()


def test_a_file_has_reached_the_disk_before_it_takes_its_place_and_its_name_after(monkeypatch, tmp_path):
    """Or a record could be empty after a power cut, and its checkpoint gone."""
    done, fsync, replace = [], os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda number: done.append(os.readlink(f"/proc/self/fd/{number}")) or fsync(number))
    monkeypatch.setattr(os, "replace", lambda *paths: done.append("replace") or replace(*paths))
    write_text(tmp_path / "record.json", "{}")
    assert done[0].endswith(".part") and done[1:] == ["replace", str(tmp_path)]
