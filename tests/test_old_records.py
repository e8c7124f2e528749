"""Records of older versions, taken from the project's history as they were committed.

Each loads, or the error says what made it.
"""

import dataclasses

import numpy as np
import pytest

from claimbook.records import PROJECT, Record, find_record, load_record, settings
from claimbook.records.errors import InputError
from icllib.tasks import LinearRegression
from icllib.training import load

OLD = PROJECT / "tests/old_records"


def path_of(name):
    path, = (OLD / name).glob("*.json")
    return path


@pytest.mark.parametrize("name, told", [
    ("20_november_no_checksum", "kept no checksum; it was made by commit [0-9a-f]{12}, 2026-11-20"),
    ("22_november_checksum_of_numbers",
     "kept a checksum of the numbers alone; it was made by commit [0-9a-f]{12}, 2026-11-2"),
    ("20_november_pilot", "had a profile pilot; it was made by commit ac382eddc288, 2026-11-20")])
def test_what_cannot_be_read_says_which_version_made_it(name, told):
    for read in (load_record, load):
        with pytest.raises(InputError, match=f"json: expected a record of this version, got .*, which {told}"):
            read(path_of(name))


def test_a_model_whose_weights_are_gone_is_told_with_the_version_that_made_it(results):
    told = "expected its weights, .*run its page .*; its record was made by commit 7ca0e1c8a825, 2026-11-24$"
    with pytest.raises(InputError, match=told):
        load(path_of("27_november_fields_added_since"))


def test_a_record_is_read_though_its_components_have_settings_since():
    record = load_record(path_of("27_november_fields_added_since"))
    run = record.component
    assert record.stale_because is None and settings(run) == record.run
    since = {part: [field.name for field in dataclasses.fields(part)
                    if field.metadata.get("added") and field.name not in record.run[name]]
             for name, part in (("recipe", run.recipe), ("model", run.model))}
    assert "dimensions" in since[run.recipe] and "query_positions" in since[run.model]
    for part, names in since.items():
        defaults = {field.name: field.default for field in dataclasses.fields(part)}
        assert all(getattr(part, name) == defaults[name] for name in names)
    assert record["error"].tolist() == [0.545, 0.286069, 0.126468, 0.0888897, 0.0760059]


def test_the_run_of_today_finds_the_record_of_then(results):
    """A page's run has the name that the older version gave it."""
    path = path_of("27_november_fields_added_since")
    there = results / "context_scaling/fig01_scaling/cpu" / path.name
    there.parent.mkdir(parents=True)
    there.write_bytes(path.read_bytes())
    found = find_record(load_record(path).component, "context_scaling")
    assert np.array_equal(found["error"], load_record(path)["error"])


def test_numbers_of_an_older_version_of_a_component_are_read_and_called_stale():
    record = load_record(path_of("23_november_stale"))
    assert record.stale_because == "papers.solvable_attention.ClosedFormCheck 1 -> 2"
    assert record["deviation"] == 5.43878e-10 and record["time"].shape == (60,)


@pytest.mark.parametrize("made, told", [
    ({}, "commit abc, 2026-11-20"), ({"icllib": "0.1.0"}, "icllib 0.1.0, commit abc, 2026-11-20")])
def test_a_component_that_is_gone_is_told_with_the_version_that_had_it(results, made, told):
    provenance = {"profile": "cpu", "commit": "abc", "dirty": False, "date": "2026-11-20"} | made
    record = Record(settings(LinearRegression(2)) | {"type": "tasks.Gone"}, {"tasks.Gone": 1},
                    {"error": [1.0]}, provenance)
    path = record.save(results / "causal_lm/page")
    assert load_record(path)["error"].tolist() == [1.0]
    with pytest.raises(InputError, match=f"tasks.Gone: expected .*; its record was made by {told}$"):
        load(path)
    with pytest.raises(InputError, match=f"made by {told}$"):
        load_record(path).stale_because


def test_a_new_record_says_its_version(folders):
    import icllib
    from claimbook.records.provenance import provenance

    assert provenance("cpu", "cpu")["icllib"] == icllib.__version__


def test_tables_of_figures_have_had_the_same_columns_since_the_first_commit():
    columns = "panel,series,x,y,low,high,seeds,profile"
    for path in sorted((PROJECT / "results").glob("*/*/figure.csv")):
        assert path.open(encoding="utf-8").readline().rstrip("\n") == columns, path
