"""Files that are written whole or not at all."""

import json
import os
import subprocess
import sys

import pytest

from claimbook.records.files import check_writable, stamp, to_json, write_text, write_together


@pytest.mark.parametrize("content", [
    {"a": "[ b"}, ["[x,  y]", "a\\"], {"a": ["mean [ 0 ]", 'q" ] [', "\n {"], "b": [[1, 2], []]}])
def test_texts_come_back_from_json_as_they_were(content):
    assert json.loads(to_json(content)) == content


def test_a_list_of_plain_values_is_one_line_of_json():
    assert to_json({"a": [1.5, "b", None], "c": [[1, 2], [3]]}) == (
        '{\n "a": [1.5, "b", null],\n "c": [\n  [1, 2],\n  [3]\n]\n}\n')


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


def test_who_reads_while_a_file_is_replaced_reads_the_old_one_to_its_end(tmp_path):
    path, old = tmp_path / "file", "old" * 100_000
    path.write_text(old, "utf-8")
    with path.open(encoding="utf-8") as reader:
        start = reader.read(3)
        write_text(path, "new")
        assert start + reader.read() == old
    assert path.read_text("utf-8") == "new" and list(tmp_path.iterdir()) == [path]


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
