"""Records that were made by other versions than today's."""

import dataclasses
import json

import pytest

from claimbook.records import PROJECT, Record, load_record, settings
from claimbook.records.errors import InputError
from icllib.tasks import LinearRegression
from icllib.training import Run, load
from icllib.training.weights import find_weights


def test_records_are_read_though_their_components_have_settings_since():
    """Each setting that a recipe or a model got later is lacking in some committed record, whose run has
    the value that counted before."""
    lacking, seen = set(), set()
    for place, path in enumerate(sorted((PROJECT / "results").glob("*/*/*/*.json"))):
        kinds = tuple(json.loads(path.read_text("utf-8"))["versions"])
        if place % 5 and kinds in seen:  # a fifth of all, and one of each kind
            continue
        seen.add(kinds)
        record = load_record(path)
        run = record.component
        assert record.stale_because is None and settings(run) == record.run
        for name, part in (("recipe", run.recipe), ("model", run.model)) if isinstance(run, Run) else ():
            for field in dataclasses.fields(part):
                if field.metadata.get("added") and field.name not in record.run[name]:
                    assert getattr(part, field.name) == field.default
                    lacking.add(field.name)
    assert lacking > {"dimensions", "query_positions"}


def test_a_model_whose_weights_are_gone_is_told_with_the_version_that_made_it():
    path = next(path for path in sorted((PROJECT / "results").glob("context_scaling/fig01_scaling/cpu/*.json"))
                if find_weights(load_record(path).component) is None)
    told = "expected its weights, .*run its page .*; its record was made by commit [0-9a-f]{12}, 20"
    with pytest.raises(InputError, match=told):
        load(path)


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
    import claimbook
    from claimbook.records.provenance import provenance

    assert provenance("cpu", "cpu")["claimbook"] == claimbook.__version__


def test_tables_of_figures_have_had_the_same_columns_since_the_first_commit():
    columns = "panel,series,x,y,low,high,seeds,profile"
    for path in sorted((PROJECT / "results").glob("*/*/figure.csv")):
        assert path.open(encoding="utf-8").readline().rstrip("\n") == columns, path
