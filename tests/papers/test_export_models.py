"""Models with a name, and the package that ships them."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest

from claimbook.claims import find_claim
from claimbook.records import PROJECT, from_settings, load_record
from claimbook.records.errors import InputError
from icllib.estimators import InContextRegressor, names
from icllib.evaluate import ErrorByLength
from icllib.models import MLP, Transformer
from icllib.tasks import LinearRegression
from icllib.training import Recipe, Run, jobs
from icllib.training.weights import run_of
from papers import export_models

LEAST_STEPS = Recipe((2, 9), steps=2, batch=2)


def run(seed=0, pretraining_tasks=None):
    return Run(LinearRegression(3, 0.5), Transformer(1, 2, 8), LEAST_STEPS,
               ErrorByLength((2, 9), prompts=64), seed, pretraining_tasks)


def test_a_name_gets_the_model_of_most_tasks_that_answers_at_the_most_numbers_of_pairs(folders, monkeypatch):
    runs = [run(0, 4), run(0), run(1), run(2)]
    jobs.train_and_save(runs[:3], "cpu", folders)
    monkeypatch.setattr(export_models, "NAMES", {
        "test/small": (lambda profile: runs, {Transformer, LinearRegression}, "context_scaling.1"),
        "test/other": (lambda profile: runs, {MLP}, "context_scaling.1")})
    assert export_models.export() == [] and names() == {}  # nobody learns in two steps
    reached = {runs[0]: 1.1, runs[1]: 1.3, runs[2]: 1.2, runs[3]: 1.0}  # which is not trained
    monkeypatch.setattr(export_models, "at_gate", lambda run, record: reached[run])
    assert export_models.export() == []  # nor answers well at any number of pairs
    monkeypatch.setattr(export_models, "good_pairs", lambda run: [9])
    assert export_models.export() == ["test/small"]
    assert from_settings(load_record(names()["test/small"]).run) == runs[2]
    reached[runs[1]] = 1.2
    assert export_models.export() and from_settings(load_record(names()["test/small"]).run) == runs[1]
    monkeypatch.setattr(export_models, "good_pairs", lambda run: [2, 9][-1 - run.seed :])
    assert export_models.export() and from_settings(load_record(names()["test/small"]).run) == runs[2]
    draw = np.random.default_rng(0)
    X, y = draw.normal(size=(12, 3)), 1.8 * draw.normal(size=12)
    answers = [InContextRegressor(model).fit(X[:9], y[:9]).predict(X[9:])
               for model in ("test/small", str(names()["test/small"]))]
    assert (answers[0] == answers[1]).all() and answers[0].std() > 0
    # Another model of the same settings in its place, its record with it, is told.
    noted = json.loads(export_models.target().read_text("utf-8"))
    for file, kind in (("record_sha256", "json"), ("weights_sha256", "safetensors")):
        changed = {"test/small": noted["test/small"] | {file: 64 * "0"}}
        export_models.target().write_text(json.dumps(changed), "utf-8")
        with pytest.raises(InputError, match=rf"\.{kind}: expected SHA-256 0000"):
            InContextRegressor("test/small").fit(X[:9], y[:9])


def test_models_of_the_project_that_have_a_name_have_passed_their_gates(monkeypatch):
    """And answer well at the numbers of pairs that are listed, which are measured anew on few prompts:
    close to a bound, numbers of pairs differ."""
    monkeypatch.setattr(export_models, "SEEDS", 1)
    monkeypatch.setattr(export_models, "PROMPTS", 64)
    listed = json.loads(export_models.target().read_text("utf-8"))
    assert listed
    for name, files in listed.items():
        *_, claim = export_models.NAMES[name]
        again = export_models.named(run_of(names()[name]), find_claim(claim).gate)
        well, few = set(files.pop("pairs")), set(again.pop("pairs"))
        assert files == again, "after a training: python -m papers"
        assert len(well & few) >= 0.7 * len(well | few), name


@pytest.mark.large
def test_names_stand_for_the_models_that_answer_at_the_most_numbers_of_pairs():
    listed = json.loads(export_models.target().read_text("utf-8"))
    chosen = {name: files for name in export_models.NAMES if (files := export_models.chosen(name))}
    assert listed and listed == chosen, "after a training: python -m papers"


USED = """
import sys
import icllib, numpy as np
from claimbook.commands import command_line
from claimbook.records.errors import InputError
from icllib.estimators import InContextClassifier, names
from icllib.evaluate import ErrorByLength
from icllib.models import MLP
from papers.causal_lm import fig02_linear_attention
from icllib.tasks import LinearRegression
from icllib.training import Recipe, Run, load, records
print(icllib.__file__)
print(*names())
model = InContextClassifier("signed_averaging/every").fit(np.ones((9, 1)), np.full(9, True))
print(model.predict([[1.0], [-1.0]]))
run = Run(LinearRegression(2, 0.1), MLP(8), Recipe((1, 3), 20, 8), ErrorByLength((1, 3), 64))
record, = records(lambda profile: [run], "cpu", "mine/first")
print(record["error"].shape, load(run).members)
try:
    icllib.records(fig02_linear_attention.runs, "stored", "causal_lm/fig02_linear_attention")
except InputError as error:
    print(error)
sys.argv = ["icllib", "claims"]
command_line.main()
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder into which pip has installed the package, from a copy of its sources."""
    if not all(map(importlib.util.find_spec, ("pip", "setuptools", "wheel"))):
        pytest.skip("pip, setuptools or wheel is missing, without which nothing is built offline")
    source, site = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("site")
    for name in ("icllib", "claimbook"):
        shutil.copytree(PROJECT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    (source / "results").symlink_to(PROJECT / "results")  # whose hundred megabytes are only read
    for name in ("pyproject.toml", "setup.py", "LICENSE"):
        shutil.copy(PROJECT / name, source)
    subprocess.run([sys.executable, "-m", "pip", "--isolated", "install", "-q", "--no-deps", "--no-index",
                    "--no-build-isolation", "--target", site, source, source / "claimbook"], check=True)
    return site


def test_the_installed_package_works_elsewhere(installed, tmp_path):
    """And what needs the project says so in one line."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("CLAIMBOOK_")}
    done = subprocess.run([sys.executable, "-c", USED], cwd=tmp_path, encoding="utf-8",
                          capture_output=True, env=own | {"PYTHONPATH": str(installed)})
    assert done.returncode == 2, done.stderr
    assert f"{tmp_path}: expected a project" in done.stderr.splitlines()[-1]
    where, named, answers, trained, refused = done.stdout.splitlines()
    assert where.startswith(str(installed)) and named.split() == list(names())
    assert answers == "[ True False]" and trained == "(2,) 1"
    assert "expected all records of a profile" in refused
    assert list((tmp_path / "results/mine/first/cpu").glob("*.safetensors"))
