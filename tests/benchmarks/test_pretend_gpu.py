"""What `make pretend-gpu` and `make gpu-kit` go through, on a CPU and without driver or compiler."""

import json
import sys

import pytest

from claimbook.commands.train import trained_runs
from claimbook.records import PROJECT, digest, settings
from icllib.training import Fleet

sys.path += [str(PROJECT / folder) for folder in ("benchmarks", "benchmarks/pretend_gpu", "tests/training")]
import gpu_kit  # noqa: E402
import run  # noqa: E402
import test_capture  # noqa: E402


@pytest.fixture
def compiled(monkeypatch):
    """The fleets that would be compiled, all on the CPU, and what goes wrong with the next ones."""
    made, fleets, wrong = Fleet.__init__, [], []
    monkeypatch.setattr(Fleet, "__init__", lambda self, tasks, model, recipe, seeds, counts, device, *more:
                        made(self, tasks, model, recipe, seeds, counts, "cpu", *more))
    monkeypatch.setattr(Fleet, "check", Fleet.check)  # put back: a kit replaces it
    monkeypatch.setattr(run, "compiled_kernels", lambda fleet: (
        fleets.append(fleet) or [], wrong.pop() if wrong else []))
    return fleets, wrong


def test_every_model_is_compiled_and_one_that_is_not_is_told(compiled, monkeypatch, capsys):
    fleets, wrong = compiled
    count = len(test_capture.MODELS)
    assert run.check_compiled() == [] and len(fleets) == count
    assert f"{count} of {count} models compiled" in capsys.readouterr().out
    first = test_capture.MODELS[0]
    monkeypatch.setattr(test_capture, "MODELS", [first])
    wrong.append(["no compiled step"])
    assert run.check_compiled() == [f"{first}: no compiled step"]
    assert "0 of 1 models compiled" in capsys.readouterr().out


def test_a_kit_compiles_the_fleets_that_its_plan_begins_with(compiled, tmp_path):
    fleets, wrong = compiled
    page = "context_scaling/fig02_one_noise_level"
    first = trained_runs(page, "gpu")[0]
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps([{"records": [f"{page}/gpu/{digest(settings(first))}.json"]}]), "utf-8")
    gpu_kit.compile_steps(plan, 1, only=2)
    assert [fleet.recipe for fleet in fleets][0] == first.recipe and len(fleets) == 2
    wrong.append(["no compiled step"])
    with pytest.raises(SystemExit, match="no compiled step"):
        gpu_kit.compile_steps(plan, 1, only=1)


def test_a_kit_for_other_versions_says_that_steps_are_compiled_anew(tmp_path, monkeypatch, capsys):
    kit, cache = tmp_path / "kit", tmp_path / "cache"
    (cache / "ab").mkdir(parents=True)
    for name in ("code.py", "times.best_config", "one.lock"):
        (cache / "ab" / name).write_text(name, "utf-8")
    kit.mkdir()
    gpu_kit.pack(cache, kit / "caches.tar.xz")
    monkeypatch.setattr(gpu_kit, "compiled_with", lambda: "Python 3.12, PyTorch 2.11.0\n")
    (kit / "versions").write_text(gpu_kit.compiled_with(), "utf-8")
    gpu_kit.unpack(kit, tmp_path / "there")
    assert [path.name for path in (tmp_path / "there").rglob("*.*")] == ["code.py"]  # no pretended times
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(gpu_kit, "compiled_with", lambda: "Python 3.11, PyTorch 2.11.0\n")
    gpu_kit.unpack(kit, tmp_path / "there")
    assert "compiled anew, as the kit is for Python 3.12," in capsys.readouterr().err
