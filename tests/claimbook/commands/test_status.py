"""The commands that tell of pages and claims: status, claims and help."""

import csv
import errno
import io
import json
import math
import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace

import pytest
from conftest import FORKED

from claimbook.claims import find_claim, load_claims, papers
from claimbook.claims.decisions import ledger
from claimbook.claims.json_and_csv import as_csv, claim_as_json
from claimbook.claims.rule import interval
from claimbook.claims.sentences import sentence
from claimbook.claims.verdicts import ours_text, parts_table
from claimbook.commands import page_state
from claimbook.commands.output import show
from claimbook.pages.names import find_page, find_pages
from claimbook.pages.page import runs_of
from claimbook.records import PROJECT, load_record
from claimbook.records.checksums import paths_shown
from claimbook.records.errors import InputError
from claimbook.records.provenance import clock_of
from claimbook.website.papers import records_of
from icllib.evaluate import ErrorByLength
from icllib.models import MLP, Transformer
from icllib.tasks import AffineFunctions, LinearRegression
from icllib.training import Recipe, Run, costs


@FORKED
def test_nothing_stored_says_how_to_make_it(page, icllib):
    page('''import icllib
from papers.causal_lm import propositions
icllib.records(propositions.runs, profile, page="causal_lm/sample")''')
    code, _, err = icllib("run", "causal_lm/sample")
    assert code == 2 and "python -m claimbook run causal_lm/sample --profile cpu" in err
    assert err.startswith("claimbook: causal_lm/sample: expected ")
    assert "15 of 15 records missing at cpu" in err


@FORKED
def test_a_paper_names_its_pages_and_all_names_every_page(page, icllib):
    shutil.copytree(page("1 + 1"), page("1 + 1").parent / "mine")
    assert find_pages("causal_lm") == ["causal_lm/sample"]
    assert find_pages("all") == ["causal_lm/sample", "mine/sample"]
    assert find_pages("mine", "all", "mine/sample") == ["mine/sample", "causal_lm/sample"]
    code, out, _ = icllib("run", "mine/sample", "causal_lm", "--profile", "smoke")
    assert code == 0 and [line.split(":")[0] for line in out.splitlines()] == [
        "mine/sample", "causal_lm/sample"]
    for words in (["all"], ["causal_lm", "mine"], ["causal_lm/sample", "mine"]):
        rows = json.loads(icllib("status", *words, "--json")[1])
        assert [row["paper"] for row in rows] == ["causal_lm", "mine"]


def test_claims_of_a_page_are_those_that_it_decides_or_prints(icllib):
    ids = lambda page: [row["id"] for row in json.loads(icllib("claims", page, "--json")[1])]
    assert ids("context_scaling/sizes") == ["context_scaling.18"]
    assert "signed_averaging.42" in ids("signed_averaging/fig06_07_llama")
    assert "page: expected one that" in icllib("claims", "causal_lm/nosuch")[2]


def test_what_one_page_alone_begins_with_names_it():
    assert find_page("causal_lm/fig02") == "causal_lm/fig02_linear_attention"
    with pytest.raises(InputError, match="fig03_layer_probes"):
        find_page("causal_lm/fig0")


def test_a_claim_by_its_name_is_told_with_its_numbers(icllib):
    claim = find_claim("causal_lm.7")
    code, out, _ = icllib("claims", "causal_lm.7", "context_scaling.1")
    assert code == 0 and all(part in out for part in claim.parts) and "holds if" in out
    assert "context_scaling.1\nClaim 1" in out
    for item in ledger()[::20]:
        assert icllib("claims", item.claim.id)[1].startswith(f"{item.claim.id}\n")


@pytest.mark.parametrize("number, name", [
    (errno.EACCES, "/elsewhere/models.json"), (errno.ENAMETOOLONG, "/elsewhere/models.json"),
    (errno.ENOSPC, None)])  # a full disk names no file: that which is written
def test_what_the_system_refuses_is_told_in_one_line(icllib, monkeypatch, number, name):
    def refused(*_, **options):
        raise OSError(number, os.strerror(number), *filter(None, [name]))

    monkeypatch.setattr("claimbook.records.files.tempfile.NamedTemporaryFile", refused)
    told = f"claimbook: {name or PROJECT / '_toc.yml'}: {os.strerror(number)}\n"
    assert icllib("contents")[::2] == (2, told)


def test_claims_as_json_are_those_of_the_website(icllib):
    """And so are the rows of claims.csv: the same intervals, states and words."""
    rows = json.loads(icllib("claims", "--json")[1])
    decisions = ledger()
    assert rows == json.loads(json.dumps(list(map(claim_as_json, decisions)))) and len(rows) > 72
    lines = iter(csv.DictReader(io.StringIO(as_csv(decisions))))
    number = lambda text: float(text) if text else None
    for row, item in zip(rows, decisions):
        assert (row["id"], row["words"], row["sentence"]) == (item.claim.id, item.words, sentence(item))
        shown = parts_table(item)[["ours", "says"]].to_numpy().tolist() if row["parts"] else []
        for place, part in enumerate(row["parts"]):
            line = next(lines)
            assert (line["id"], line["part"], line["says"], line["words"]) == (
                row["id"], part["part"], part["says"], row["words"])
            ends = [part[name] for name in ("mean", "low", "high")]
            assert [number(line[name]) for name in ("mean", "low", "high")] == ends
            own = interval(item.counted_or_all(part["part"]), item.claim.scale)
            assert ends == [end if math.isfinite(end) else None for end in own]
            assert shown[place] == [ours_text(item.claim, part["part"],
                                              item.counted_or_all(part["part"])), part["says"]]
        if not row["parts"]:
            assert next(lines)["verdict"] == "not tested"
    assert next(lines, None) is None


def test_an_estimate_of_cost_says_on_what_machine(monkeypatch):
    runs = runs_of("context_scaling/fig01_scaling")
    assert page_state.cost(runs("paper"), "paper").endswith("hours on an H200")
    monkeypatch.setattr(costs, "step_seconds", lambda *parts: 0.1)
    monkeypatch.setattr(page_state, "cores", lambda: 2)
    trained = [replace(run, seed=seed) for run in runs("cpu")[:1] for seed in range(40)]
    hours = 40 * trained[0].recipe.steps * 0.1 / 2 / 3600
    assert page_state.cost(trained, "cpu") == f"{hours:.1f} hours on 2 CPU cores"


def test_memory_is_of_parameters_gradients_moments_and_what_the_forward_pass_keeps():
    run = Run(LinearRegression(2), MLP(8), Recipe((3,), 1, batch=16), ErrorByLength((3,)))
    parameters, inputs, hidden = 3 * 3 * 8 + 2 * 8 + 8 + 8 + 1, 3 * 3 + 2, 8
    kept = (costs.memory_of([run]) / 4 - 4 * parameters) / 16  # numbers of 4 bytes for each prompt
    assert inputs + hidden <= kept < 2 * (inputs + hidden)
    assert costs.memory_of([run] * 5) == 5 * costs.memory_of([run])


def test_steps_are_priced_by_their_work():
    task, recipe = AffineFunctions(), Recipe((10,), 1, 8)
    small, large = (costs.step_seconds(task, Transformer(layers, 1, width), recipe)
                    for layers, width in ((1, 8), (4, 128)))
    assert 0 < 2 * small < large  # a thousand times the multiply-adds


def recorded_speeds() -> dict:
    """Multiply-adds per second of one core, over committed records of training on a CPU: by kind of
    model, and under None of all."""
    trained = [record for paper in papers() for record in records_of(f"{paper}/*")
               if record.run["type"] == "training.Run" and "fleet" in record.provenance
               and clock_of(record.provenance) == "processor"
               and record.provenance.get("step") != "cpu_step"]  # CORE_SPEEDS are of PyTorch's step
    spent = {}
    for record in trained:
        run, made = record.component, record.provenance
        pair = costs.work(run), made["processor_seconds"] / made["fleet"]
        for own in (kind(run.model), None):
            spent.setdefault(own, []).append(pair)
    return {own: sum(done for done, _ in pairs) / sum(seconds for _, seconds in pairs)
            for own, pairs in spent.items()}


def kind(model) -> tuple:
    """What the speed of a model depends on most: its class and its width."""
    return type(model), getattr(model, "width", None)


def test_speeds_of_a_core_are_those_of_the_records():
    for own, speed in recorded_speeds().items():
        told = getattr(own and own[0], "core_speed", None) or costs.CORE_SPEEDS[own and (own[0].__name__, own[1])]
        assert speed / 1.5 < told < 1.5 * speed, own


def test_a_gpu_that_was_measured_is_priced_at_its_own_speed(monkeypatch, tmp_path):
    runs = runs_of("context_scaling/fig03_two_noise_levels")("gpu")
    monkeypatch.setattr(costs, "PROJECT", tmp_path)
    monkeypatch.setattr(costs, "START", 0.0)
    monkeypatch.setattr(costs.torch.cuda, "is_available", lambda: False)
    folder = tmp_path / "benchmarks/results"
    folder.mkdir(parents=True)
    try:
        costs.speed.cache_clear()
        assert costs.speed() == costs.SPEED
        assumed = costs.fleet_seconds(runs[:1], "gpu")
        rows = [{"contestant": name, "multiply_adds_per_second": own * costs.SPEED}
                for name, own in (("ours, M=1", 2), ("ours, M=8", 3))]
        (folder / "NVIDIA_H200.json").write_text(json.dumps({"12/8/256": {"rows": rows}}), "utf-8")
        costs.speed.cache_clear()
        assert costs.fleet_seconds(runs[:1], "gpu") == pytest.approx(assumed / 2)
    finally:
        costs.speed.cache_clear()


def test_a_price_takes_no_step_and_memory_is_counted_once_for_a_shape(monkeypatch):
    built, build = [], costs.build
    monkeypatch.setattr(costs, "build", lambda *parts: built.append(parts) or build(*parts))
    monkeypatch.setattr(costs, "MEMORY_OF_SHAPES", {})
    run = runs_of("context_scaling/fig01_scaling")("cpu")[0]
    page_state.cost([run], "cpu")
    assert not built
    for seed in range(3):
        costs.memory_of([replace(run, seed=seed)])
    assert [parts[-1] for parts in built] == ["meta"]


def test_a_page_that_shows_fewer_seeds_than_there_are_is_told(monkeypatch):
    name = "context_scaling/normalization"
    assert page_state.further_seeds(name, page_state.records_by_profile(name)) is None
    shown = paths_shown(name)
    left = {path.stem for path in shown if load_record(path).run.get("seed", 1) > 0}
    monkeypatch.setattr(page_state, "names_shown", lambda page: left)
    assert page_state.further_seeds(name, page_state.records_by_profile(name)) == (
        f"{len(shown) - len(left)} records of further seeds are not shown")


def test_a_model_that_does_not_count_its_work_has_no_known_cost():
    class Uncounted(Transformer):
        multiplications = property()  # as if there were none

    run = Run(AffineFunctions(), Uncounted(1, 1, 8), Recipe((10,), 1, 8), ErrorByLength((10,)))
    assert page_state.cost([run], "gpu").startswith("not known: model: expected an object with mult")


def test_a_page_whose_runs_nothing_lists_is_told_in_its_row(page, icllib):
    folder = page("")
    shutil.copy(PROJECT / "notebooks/causal_lm/propositions.py", folder)
    other = folder.parent / "mine" / "sample.py"
    other.parent.mkdir()
    shutil.copy(folder / "sample.py", other)
    code, out, _ = icllib("status", "--json")
    rows = json.loads(out)
    assert code == 0 and [(row["paper"], row["page"], row["state"]) for row in rows] == [
        ("causal_lm", "propositions", "stale"), ("causal_lm", "propositions", "missing"),
        ("causal_lm", "sample", "unknown"), ("mine", "sample", "unknown")]
    for row in rows[2:]:
        assert f"expected papers/{row['paper']}/sample.py with a function runs" in row["reason"]


def test_a_closed_output_stops_no_command():
    closed = 'exec "$0" -m claimbook claims causal_lm >&-'
    assert not subprocess.run(["sh", "-c", closed, sys.executable], cwd=PROJECT, check=False).returncode


def test_status_works_without_jupyter(icllib, monkeypatch):
    monkeypatch.setitem(sys.modules, "nbformat", None)
    monkeypatch.setattr(costs, "step_seconds", lambda *parts: 0.1)
    rows = json.loads(icllib("status", "causal_lm", "--json")[1])
    assert {row["state"] for row in rows if row["profile"] == "stored"} == {"unknown"}


@pytest.mark.parametrize("suffix", [".py", ".ipynb"])
def test_a_path_names_the_page_whose_file_it_is(page, icllib, tmp_path, monkeypatch, suffix):
    folder = page("1 + 1")
    for place, name in ((tmp_path, folder / f"sample{suffix}"), (folder, f"sample{suffix}")):
        monkeypatch.chdir(place)
        assert find_page(str(name)) == "causal_lm/sample"
    shutil.copytree(folder, tmp_path / "elsewhere/causal_lm")
    code, _, err = icllib("run", str(tmp_path / f"elsewhere/causal_lm/sample{suffix}"))
    assert code == 2 and "page: expected one that python -m claimbook status lists" in err


def test_a_folder_without_pages_is_told(icllib, tmp_path, monkeypatch):
    monkeypatch.setattr("claimbook.pages.names.NOTEBOOKS", tmp_path)
    code, _, err = icllib("run", "all")
    assert code == 2 and err == f"claimbook: {tmp_path}: expected pages, <paper>/<page>.py, found none\n"


@pytest.mark.parametrize("command, paper", [("claims", "context_scaling"), ("status", "signed_averaging")])
def test_tables_fit_a_terminal_of_100_columns(icllib, monkeypatch, command, paper):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setattr(costs, "step_seconds", lambda *parts: 0.1)
    monkeypatch.setenv("COLUMNS", "100")
    lines = re.sub(r"\x1b\[\d+m", "", icllib(command, paper)[1]).splitlines()  # bold heads
    assert max(map(len, lines)) <= 100
    names = {"claims": [claim.id for claim in load_claims(paper)], "status": find_pages(paper)}[command]
    assert {line.split(" ")[0] for line in lines[1:]} - {""} == set(names)  # none is cut
    assert not any("…" in line for line in lines)


def test_the_last_column_alone_is_wrapped(monkeypatch, capsys):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "40")
    show([{"id": "a.1", "verdict": "holds in 2 of 4 parts", "claim": "word " * 4}], False, dict)
    assert "a.1  holds in 2 of 4 parts  word" in capsys.readouterr().out
