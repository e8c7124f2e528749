"""Guards on the committed pages, and proof that each guard can fail."""

import builtins
import json
import re

import jupytext
import nbformat
import pandas as pd
import pytest

import claimbook
import icllib
from claimbook.claims import find_claim, load_claims
from claimbook.claims.decisions import evidence_path, ledger
from claimbook.claims.verdicts import ours_text, parts_table
from claimbook.commands.page_state import states_of
from claimbook.commands.run import notebook_problem
from claimbook.pages.execution import page_source
from claimbook.pages.names import all_pages, notebooks_folder
from claimbook.pages.page import Page, provenance_line, runs_of, settings_of, settings_table
from claimbook.records import PROFILES, Record, digest, results_folder, settings
from claimbook.records.compute import runs_at
from claimbook.records.errors import InputError
from claimbook.records.files import PROJECT
from icllib.training import Recipe

PAGES = all_pages()


@pytest.fixture(scope="module")
def states():
    """The state of every page, of its notebook and of its records at every profile."""
    return [state for page in PAGES for state in states_of(page)]


def test_every_notebook_is_an_execution_of_its_page(states):
    stored = [state for state in states if state.profile == "stored"]
    assert sorted(f"{state.paper}/{state.page}" for state in stored) == sorted(PAGES)
    assert [state for state in stored if state.state != "fresh"] == []


def test_no_page_holds_a_warning_or_a_path_of_a_machine():
    for page in PAGES:
        text = (notebooks_folder() / f"{page}.ipynb").read_text("utf-8")
        assert '"name": "stderr"' not in text and str(PROJECT) not in text, page


def test_jupytext_reads_the_same_cells_from_both_files_of_a_page():
    """So that Jupyter opens either, however old its other file is."""
    shown = lambda cells: [(cell.cell_type, cell.source, {name: cell.metadata[name] for name in (
        "tags", "mystnb") if name in cell.metadata}) for cell in cells]
    for page in PAGES:
        notebook = nbformat.read(notebooks_folder() / f"{page}.ipynb", as_version=4)
        assert shown(jupytext.reads(page_source(page), "py:percent").cells) == shown(notebook.cells), page


def test_the_page_is_complete():
    for page in PAGES:
        source = page_source(page)
        figures = re.findall(r"^# %%.*\"figure\"\]$", source, re.MULTILINE)
        captions = re.findall(r"^# %% \[markdown\] tags=\[\"caption\"\]\n((?:# ?.*\n)+)", source, re.MULTILINE)
        assert figures and len(captions) == len(figures), f"{page}: expected a cell tagged caption behind each tagged figure"
        assert all("# Alt text: " in own for own in captions), "a figure without a text for who cannot see it"
        assert f"results/{page}/figure.csv" in source, "no download of the figure's numbers"
        assert "What differs and why" in source, "no part on what differs and why"


@pytest.mark.parametrize("in_ipython", [False, True])
def test_verdicts_tell_each_part_and_a_script_prints_them(output, capsys, monkeypatch, in_ipython):
    monkeypatch.setattr(builtins, "__IPYTHON__", True, raising=False)
    if not in_ipython:
        monkeypatch.delattr(builtins, "__IPYTHON__")
    page = Page("solvable_attention/table02_exponents")
    page.decide("solvable_attention.23", {"alpha = 1.8": [-0.78], "alpha = 2.1": [-1.0]}, "paper")
    shown = page.verdicts()
    assert capsys.readouterr().out == ("" if in_ipython else f"{shown}\n")
    table = parts_table(*shown.decisions)
    assert (list(table["says"]), list(table["corrected"])) == (["yes", "no"], ["-0.7826", "-0.8077"])
    assert repr(shown).startswith("Claim 23 (Table 2, corrected; added by us): mixed, exactly, profile paper")
    assert "verdict-mixed" in shown._repr_html_() and ">corrected<" in shown._repr_html_()


def test_a_cell_that_is_run_again_replaces_its_verdict(output):
    page = Page("causal_lm/fig02_linear_attention")
    for value in (0.5, 0.01):
        page.decide("causal_lm.42", {"n = 40": [value]}, "paper")
    assert [item.verdict for item in page.verdicts().decisions] == ["fails"]


def test_a_record_that_is_handed_over_twice_counts_once():
    made = {"profile": "cpu", "device": "2 CPU cores", "torch": "2", "date": "1", "commit": "c",
            "dirty": False, "processor_seconds": 10.0, "wall_seconds": 20.0}
    runs = [Record({"seed": seed}, {}, {}, made) for seed in (0, 1, 2, 5)]
    line = provenance_line(runs + runs[:2], "causal_lm/propositions")
    assert line.startswith("profile cpu; 4 runs, seeds 0 to 2, 5, 40 s of processor time; ")
    assert "; commit c; " in line
    changed = Record({"seed": 9}, {}, {}, made | {"dirty": True})
    assert "; commit c (with uncommitted changes); " in provenance_line([*runs, changed], "a/b")
    # Exactly 2.5, rounded to even; Python 3.11's sum makes it 2.500000000000001, and 3.12's 2.5.
    tenths = [Record({"seed": seed}, {}, {}, made | {"processor_seconds": 0.1}) for seed in range(25)]
    assert " 2 s of processor time; " in provenance_line(tenths, "causal_lm/propositions")


@pytest.mark.parametrize("samples, text", [
    ([0.5], "0.5"), ([0.9], "0.9"), ([0.9004], "0.9004"), ([0.90004], "0.90004"), ([0.904], "0.904")])
def test_a_number_never_rounds_onto_the_bound_that_judges_it(samples, text):
    claim = find_claim("context_scaling.3")  # below 0.9
    assert ours_text(claim, claim.parts[0], samples) == text


def test_the_numbers_of_a_figure_are_one_file_with_six_digits(output):
    tables = [pd.DataFrame({"x": [1], "y": [1 / 3]}), pd.DataFrame({"x": [2], "y": [2e-9 / 3]})]
    table = Page("causal_lm/propositions").save_figure(*tables)
    assert table["y"].tolist() == [1 / 3, 2e-9 / 3]
    assert [path.name for path in output.iterdir()] == ["figure.csv"]
    assert (output / "figure.csv").read_text("utf-8") == "x,y\n1,0.333333\n2,6.66667e-10\n"


def test_a_page_of_what_is_printed_tells_what_was_not_run(output):
    page = Page("signed_averaging/tables02_04_gpt2")
    table, items = page.not_run(), [d for d in ledger() if d.claim.printed_on == page.name]
    assert list(table.index) == [item.claim.number for item in items] == ["16", "17", "48"]
    assert list(table["verdict"]) == [item.verdict for item in items]
    assert list(table["because it"]) == [item.claim.not_run for item in items]


def test_settings_tell_a_row_of_integers_by_its_ends_and_where_they_are_from():
    lengths = lambda *own: settings_table(Recipe(own, steps=5)).loc["lengths", "value"]
    assert (lengths(*range(1, 40)), lengths(5, 10, 20)) == ("1 to 39", "(5, 10, 20)")
    table = settings_table(Recipe((1,), steps=5), ["batch"], Recipe((1,), steps=9), "cpu")
    assert table.loc[["steps", "batch", "learning_rate"], "from"].tolist() == ["cpu", "assumed", "paper"]
    assert settings_table(Recipe((1,), steps=5), assumed="batch").loc["batch", "from"] == "assumed"
    steps = {"cpu": (1, 2), "paper": (1, 3)}
    runs = lambda profile: [Recipe((1,), steps=number) for number in steps[profile]]
    at = lambda place: settings_of(runs, "cpu", place=place).loc["steps", "from"]
    assert (at(0), at(-1)) == ("paper", "cpu")


@pytest.mark.parametrize("call, message", [
    (lambda: Page("../../elsewhere/x"), "page: "), (lambda: Page("causal_lm"), "page: "),
    (lambda: Page("causal_lm/propositions").decide("causal_lm.42", {"n = 40": [0.5]}, "paper"), "causal_lm.42: "),
    (lambda: settings_table(Recipe((1,), steps=5), ["widht"]), "assumed: "),
    (lambda: claimbook.shown_profile([]), "expected records of one profile"),
    (lambda: icllib.records([], "cpu", "mine/page"), "runs_of_profile: "),
    (lambda: settings_of(lambda profile: [], "stored"), "profile: ")])
def test_what_a_page_does_wrongly_is_told(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_stored_evidence_belongs_to_claims_of_the_page():
    for page in PAGES:
        path = evidence_path(page)
        evidence = json.loads(path.read_text("utf-8")) if path.exists() else {}
        claims = {c.id for c in load_claims(page.split("/")[0]) if c.page == page}
        assert set(evidence) == claims, page


def test_no_record_is_stale_and_something_is_stored_for_every_page(states):
    assert [state for state in states if state.state == "stale"] == []
    for page in PAGES:
        if runs_of(page)("paper"):
            shown = json.loads((results_folder() / page / "shown.json").read_text("utf-8"))["records"]
            kept = {path.stem for path in results_folder().glob(f"{page.split('/')[0]}/*/*/*.json")}
            assert shown and set(shown) <= kept, page


def test_every_record_is_of_a_run_that_some_page_lists():
    listed = {(page.split("/")[0], digest(settings(run)))
              for page in PAGES for profile in PROFILES
              for run in runs_at(runs_of(page), profile)}
    kept = results_folder().glob("*/*/*/*.json")  # paper, page, profile, run
    assert [path for path in kept if (path.parts[-4], path.stem) not in listed] == []


def test_all_kept_weights_take_80_megabytes_at_most():
    kept = [path.stat().st_size for path in results_folder().glob("*/*/*/*.safetensors")
            if path.parent.name not in ("gpu", "paper")]  # which git ignores
    assert kept and sum(kept) <= 80e6


# ---- each guard can fail ---------------------------------------------------------------------


JUDGED = "context_scaling/estimators"  # a page with verdicts


def test_a_verdict_that_is_not_todays_is_seen(monkeypatch):
    monkeypatch.setattr("claimbook.claims.decisions.states", lambda claim, samples: dict.fromkeys(samples, "no"))
    assert notebook_problem(JUDGED) == "verdicts are not today's"


def test_evidence_that_the_notebook_does_not_show_is_seen(results):
    path = evidence_path(JUDGED)
    path.parent.mkdir(parents=True)
    assert notebook_problem(JUDGED) == "verdicts are not today's"  # nothing is decided
    claim = next(c for c in load_claims("context_scaling") if c.page == JUDGED)
    parts = {part: [123.0] for part in claim.parts}
    path.write_text(json.dumps({claim.id: {"profile": "paper", "parts": parts}}), "utf-8")
    assert notebook_problem(JUDGED) == "verdicts are not today's"


def test_a_new_component_version_is_seen(monkeypatch):
    from papers.causal_lm import Propositions

    monkeypatch.setattr(Propositions, "version", 99)
    stale, = (state for state in states_of("causal_lm/propositions") if state.state == "stale")
    assert "Propositions 1 -> 99" in stale.reason
