"""What a page showed when it was executed, and that each later change of it is seen."""

import shutil
import sys
from dataclasses import replace

import nbformat
import pytest
from conftest import FORKED

from claimbook.commands.page_state import states_of
from claimbook.commands.run import notebook_problem
from claimbook.pages import execution
from claimbook.pages.names import notebooks_folder
from claimbook.records import PROJECT, load_record, results_folder
from claimbook.records.checksums import changed_since, paths_shown
from claimbook.records.errors import InputError
from claimbook.records.limits import Limits

BODY = '''import os, pathlib
import icllib
from IPython.display import SVG
from icllib.evaluate import ErrorByLength
from icllib.models import MLP
from icllib.tasks import LinearRegression
from icllib.training import Recipe, Run
runs = lambda profile: [Run(LinearRegression(2), MLP(4), Recipe((1,), 2, batch=1),
                            ErrorByLength((1,), 8), seed=sum(map(ord, profile)))]
icllib.records(runs, profile, page="causal_lm/sample")
output = os.environ.get("CLAIMBOOK_OUTPUT")
pathlib.Path(output, "figure.csv").write_text("panel,x" + chr(10) + "A,1" + chr(10))

# %% tags=["figure"]
SVG('<svg xmlns="http://www.w3.org/2000/svg"/>')

# %% tags=["numbers"]
1 + 1'''
SAMPLE = "causal_lm/sample"


def change_cell(tag, change):
    """Changes the first cell with this tag in the notebook."""
    path = notebooks_folder() / f"{SAMPLE}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    change(next(cell for cell in notebook.cells if tag in cell.metadata.get("tags", [])))
    nbformat.write(notebook, path)


def file(name):
    return results_folder() / SAMPLE / name


def change_record():
    """The record of the page, made anew with another number."""
    record, = map(load_record, file("gpu").glob("*.json"))
    replace(record, metrics=record.metrics | {"error": [[7.0]]}).save(results_folder() / SAMPLE)


CHANGES = {
    "a number": (lambda: file("figure.csv").write_text("panel,x\nA,2\n", "utf-8"), "figure.csv edited since"),
    "no rows": (lambda: file("figure.csv").write_text("panel,x\n", "utf-8"), "figure.csv edited since"),
    "rubbish": (lambda: file("figure.csv").write_bytes(b"panel,x\n\xff\x00"), "figure.csv edited"),
    "no figure.csv": (lambda: file("figure.csv").unlink(), "figure.csv missing"),
    "an image": (lambda: change_cell("figure", lambda cell: cell.outputs[0].data.update(
        {"image/svg+xml": "<svg/>"})), "outputs edited since the page was executed"),
    "a widget": (lambda: change_cell("figure", lambda cell: cell.outputs[0].data.update(
        {"application/vnd.jupyter.widget-view+json": {}})), "widget-view+json, which is none of"),
    "a bitmap": (lambda: change_cell("figure", lambda cell: cell.outputs[0].data.update(
        {"image/png": "QUJD"})), "shows image/png, which is none of image/svg+xml, text/"),
    "no image": (lambda: change_cell("figure", lambda cell: cell.outputs.clear()),
                 "outputs cleared in"),
    "another order": (lambda: change_cell("numbers", lambda cell: cell.update(execution_count=9)),
                      "cells executed out of order"),
    "code": (lambda: change_cell("numbers", lambda cell: cell.update(source="1 + 2")),
             "notebook edited by hand"),
    "its script": (lambda: (notebooks_folder() / f"{SAMPLE}.py").write_text("# %%\n1", "utf-8"),
                   "edited since it was executed"),
    "no numbers": (lambda: change_cell("numbers", lambda cell: cell.metadata.pop("tags")),
                   "a figure lacks its numbers cell"),
    "no shown.json": (lambda: file("shown.json").unlink(), "shown.json missing"),
    "shown.json": (lambda: file("shown.json").write_text("[]", "utf-8"), "shown.json damaged"),
    "another number": (change_record, "1 of 1 records that it shows are gone or changed"),
    "records": (lambda: shutil.rmtree(file("gpu")), "1 of 1 records that it shows are gone"),
}


@FORKED
def test_each_change_of_what_a_page_shows_is_seen(page, icllib, results, output, tmp_path):
    folder = page(BODY)
    output.mkdir()
    (output / "limits.json").write_text(Limits(on_cpu=True).as_json(), "utf-8")
    for profile in ("cpu", "gpu"):  # the notebook shows gpu, the larger one
        execution.execute_as_script(SAMPLE, {"profile": profile})
    assert icllib("run", SAMPLE)[0] == 0 and notebook_problem(SAMPLE) is None
    shutil.copytree(results, tmp_path / "sound")
    sound = {path: path.read_bytes() for path in folder.glob("sample.*")}
    for name, (change, reason) in CHANGES.items():
        change()
        assert reason in (notebook_problem(SAMPLE) or "none"), name
        shutil.rmtree(results)
        shutil.copytree(tmp_path / "sound", results)
        for path, content in sound.items():
            path.write_bytes(content)
        assert notebook_problem(SAMPLE) is None


@pytest.mark.parametrize("content", [
    b"[]", b'{"nbformat": 4, "cells": [5]}', b"[" * 100_000, b"\xff",
    b'{"nbformat": 4, "nbformat_minor": 5, "cells": [], "metadata": {"claimbook": 5}}'])
def test_a_notebook_that_is_none_is_told_in_its_row(page, content):
    (page("1 + 1") / "sample.ipynb").write_bytes(content)
    assert notebook_problem(SAMPLE) == "notebook damaged"


@pytest.mark.parametrize("content", [
    "[]", "{", '{"records": [["a"]]}', "{}", '{"records": {"a": [1]}, "files": {}}'])
def test_what_a_page_shows_is_told_by_its_name_where_it_is_damaged(results, content):
    path = results / SAMPLE / "shown.json"
    path.parent.mkdir(parents=True)
    path.write_text(content, "utf-8")
    assert changed_since(SAMPLE, nbformat.v4.new_notebook()) == "shown.json damaged"
    with pytest.raises(InputError, match=f"{path}: expected what the page shows, got a damaged file"):
        paths_shown(SAMPLE)


@pytest.mark.parametrize("damage", [
    lambda folder: (folder / "sample.py").write_bytes(b"\xff\xfe"),
    lambda folder: (folder / "sample.ipynb").write_text("[]", "utf-8"),
    lambda folder: (folder / "broken.py").mkdir(),
    lambda folder: (folder / "broken.py").write_text("# %%\n1 +", "utf-8")])
def test_one_bad_file_leaves_the_rows_of_the_other_pages(page, damage, monkeypatch):
    folder = page("1 + 1")
    shutil.copy(PROJECT / "notebooks/causal_lm/propositions.py", folder)
    damage(folder)
    pages = sorted({f"causal_lm/{path.stem}" for path in folder.glob("*.py")})
    rows = [row for page in pages for row in states_of(page)]
    assert {f"{row.paper}/{row.page}" for row in rows} == set(pages)
    assert [row.profile for row in rows if row.page == "propositions"] == ["stored", "paper"]


@pytest.mark.parametrize("wrong, told", [
    (lambda page: 1 / 0, "ZeroDivisionError: division by zero"),
    (lambda page: sys.exit("left"), "SystemExit: left")])  # as a script that is imported
def test_an_error_that_nobody_thought_of_is_told_in_its_row(monkeypatch, wrong, told):
    monkeypatch.setattr("claimbook.commands.page_state.runs_by_profile", wrong)
    row, = states_of("causal_lm/propositions")
    assert (row.state, row.reason) == ("unknown", told)


@pytest.mark.parametrize("damaged", ["paper/*.json", "evidence.json"])
def test_a_damaged_file_of_the_page_s_results_is_named(results, damaged):
    shutil.copytree(PROJECT / "results/context_scaling/estimators", results / "context_scaling/estimators")
    path = next(results.rglob(damaged))
    path.write_text("[" * 100_000, "utf-8")
    row, = states_of("context_scaling/estimators")
    assert row.state == "unknown" and str(path) in row.reason
