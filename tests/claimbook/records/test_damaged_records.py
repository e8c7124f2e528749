"""Records that are not what was saved are refused, and what was saved is read."""

import json
import math
import os
import random
from dataclasses import asdict

import numpy as np
import pytest
from a_record import PROVENANCE, RUN, saved

import icllib
from claimbook.records import PROJECT, Record, digest, key, load_record
from claimbook.records.errors import InputError
from claimbook.records.files import to_json
from icllib.estimators import InContextRegressor


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'"text"', b'{"key": "x"}', b"\xff", b"[" * 100_000])
def test_any_other_damage_says_so_too(saved, content):
    saved.write_bytes(content)
    with pytest.raises(InputError, match="damaged"):
        load_record(saved)


@pytest.mark.parametrize("part, value, told", [
    ("run", [], "run: expected dict"), ("versions", ["tasks.LinearRegression"], "versions: expected dict"),
    ("versions", {"tasks.LinearRegression": "1"}, "tasks.LinearRegression: expected an integer"),
    ("metrics", [1.0], "metrics: expected dict"), ("metrics", {"error": "low"}, "error: expected numbers"),
    ("metrics", {"error": [[1], [1, 2]]}, "error: expected numbers"),
    ("provenance", PROVENANCE | {"fleet": 0}, "fleet: expected an integer of at least 1"),
    ("provenance", PROVENANCE | {"members": 5}, "members: expected a list"),
    ("provenance", PROVENANCE | {"sources": ["mine"]}, "sources: expected dict"),
    ("provenance", PROVENANCE | {"sources": {"mine": []}}, "mine: expected text")])
def test_parts_of_another_kind_are_told_though_all_digests_are_right(results, part, value, told):
    made = Record(**asdict(Record.of(RUN, {"error": [1.0]}, PROVENANCE)) | {part: value})
    path = results / "context_scaling/some_page/cpu" / f"{digest(made.run)}.json"
    path.parent.mkdir(parents=True)
    identity = {"key": key(made.run, made.versions), "checksum": made.checksum}
    path.write_text(to_json(identity | asdict(made)), "utf-8")
    with pytest.raises(InputError, match=f"{path}: expected a complete record, got a damaged file .{told}"):
        load_record(path)


@pytest.mark.parametrize("name", ["a\0b.json", "\ud800.json", "x" * 5000 + ".json", "a_file/x.json", "pipe.json"])
def test_what_no_record_can_be_called_is_told(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a_file").write_text("", "utf-8")
    os.mkfifo("pipe.json")  # of which a reader would wait for a writer
    for read in (load_record, icllib.load, lambda path: InContextRegressor(path).fit([[0.0]] * 2, [0.0, 1.0])):
        with pytest.raises(InputError, match="expected "):
            read(name)


@pytest.mark.parametrize("change, told", [
    (lambda content: content.update(checksum=digest(content["metrics"])), "metrics or provenance are not"),
    (lambda content: content["provenance"].update(fleet=3), "metrics or provenance are not"),
    (lambda content: content["metrics"].update(error=0.125), "metrics or provenance are not"),
    (lambda content: content.pop("checksum"), "checksum"),
    (lambda content: content["run"].update(seed=8), "expected the key .* got")])
def test_a_checksum_is_of_metrics_and_provenance_and_a_key_of_settings(saved, change, told):
    content = json.loads(saved.read_text("utf-8"))
    change(content)
    saved.write_text(json.dumps(content), "utf-8")
    with pytest.raises(InputError, match=told):
        load_record(saved)


def test_what_was_saved_is_what_is_read(results):
    awkward = {"sources": {"mine": "0" * 12}, "wall_seconds": 1 / 3, "diverged": True, "other": None}
    made = Record.of(RUN, {"error": np.array([[math.nan, math.inf], [1e-300, 3]]), "count": 7},
                     PROVENANCE | awkward)
    read = load_record(made.save(results / "context_scaling" / "some_page"))
    assert to_json(asdict(read)) == to_json(asdict(made)) and read.checksum == made.checksum


def test_a_renamed_record_says_so(saved):
    renamed = saved.rename(saved.with_name("000000000000.json"))
    with pytest.raises(InputError, match="expected the file name"):
        load_record(renamed)


def test_one_flipped_bit_of_a_committed_record_is_told(tmp_path):
    """Of every twentieth record, at ten places."""
    draw = random.Random(0)
    for path in sorted((PROJECT / "results").glob("*/*/*/*.json"))[::20]:
        content = path.read_bytes()
        for place in draw.sample(range(len(content) - 1), 10):
            damaged = bytearray(content)
            damaged[place] ^= 1
            copy = tmp_path / path.name
            copy.write_bytes(damaged)
            with pytest.raises(InputError, match=f"{copy}: expected"):
                load_record(copy)
