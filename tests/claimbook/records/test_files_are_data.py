"""Nothing that a file names is run: only components of the project, or of modules that the user has
imported, are built from one."""

import io
import json
import os
import subprocess
import sys
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import ClassVar

import pytest
from a_record import PROVENANCE, RUN
from small_fleet import runs

import icllib
from claimbook.commands import as_recorded
from claimbook.records import Record, digest, load_record
from claimbook.records.components import from_settings, key, settings
from claimbook.records.errors import InputError
from claimbook.records.files import to_json
from icllib.estimators import InContextRegressor
from icllib.training import jobs, workers

RAN = []


def function(**fields):
    """Of this module, which is imported, but no component."""
    RAN.append(fields)


class NoComponent:
    """A class that is none, and says when it or what comes from it is made."""

    def __init__(self, **fields):
        RAN.append(fields)

    def __post_init__(self):
        RAN.append(self)


@dataclass
class NotFrozen(NoComponent):
    """A dataclass that can change."""

    code: str = ""
    version: ClassVar[int] = 1


@dataclass(frozen=True)
class WithoutVersion(NoComponent):
    """A frozen dataclass that is no component."""

    code: str = ""


OWN = """from icllib.models import MLP


class Own(MLP):
    pass
"""
SHELL = {"command": "touch {ran}"}
PAYLOADS = {  # {ran} is a file that is there afterwards if one of them ran
    "a function of the system": {"type": "os:system", **SHELL},
    "a program": {"type": "subprocess:Popen", "args": ["touch", "{ran}"]},
    "eval": {"type": "builtins:eval", "source": "open('{ran}', 'w')"},
    "the command line": {"type": "__main__.main"},
    "the command line by its module": {"type": "claimbook.commands.command_line:main"},
    "a function of the project": {"type": "files.write_text", "path": "{ran}", "text": ""},
    "a worker": {"type": "training.main", "profile": "smoke", "folder": "{ran}"},
    "a module that a file has imported": {"type": "payload_module:Own", "width": 4},
    "a module that is run where it is imported": {"type": "antigravity:webbrowser"},
    "a module through one of the project": {"type": "results.os.system", **SHELL},
    "a name in a class": {"type": "os:path.join"},
    "dunder names": {"type": "claimbook.records:__builtins__"},
    "a class of a class": {"type": "icllib.models:MLP.__class__", "name": "x"},
    "a class that is no component": {"type": "test_files_are_data:NoComponent", "code": "x"},
    "a function beside components": {"type": "test_files_are_data:function", "code": "x"},
    "a dataclass that can change": {"type": "test_files_are_data:NotFrozen", "code": "x"},
    "a dataclass without a version": {"type": "test_files_are_data:WithoutVersion", "code": "x"},
    "a component by another module's name": {"type": "icllib.models:MLP", "width": 4},
    "a component under another name": {"type": "training.MLP", "width": 4},
    "no name": {"type": ["os:system"], **SHELL},
    "no type": dict(SHELL),
    "a field that there is not": {"type": "models.MLP", "width": 4, "__class__": "os"},
    "a value of another type": {"type": "models.MLP", "width": "os.system('touch {ran}')"},
    "a switch for a number": {"type": "models.MLP", "width": True},
    "a list for a number": {"type": "models.MLP", "width": [{"type": "os:system", **SHELL}]},
}
PLACES = {  # where in a run it may hide
    "the run": lambda payload: payload,
    "its task": lambda payload: settings(RUN) | {"task": payload},
    "a list in its evaluation": lambda payload: settings(RUN) | {
        "evaluation": {"type": "evaluate.Together", "parts": [payload]}},
}


@pytest.fixture
def payload(request, tmp_path, monkeypatch):
    """One payload; afterwards nothing of it has run."""
    ran = tmp_path / "ran"
    (tmp_path / "payload_module.py").write_text(f"import pathlib\npathlib.Path({str(ran)!r}).touch()\n{OWN}", "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    RAN.clear()
    before = set(sys.modules)
    yield json.loads(json.dumps(PAYLOADS[request.param]).replace("{ran}", str(ran)))
    assert not ran.exists() and not RAN
    assert not {"payload_module", "antigravity", "icllib.__main__"} & (set(sys.modules) - before)


def saved(payload, folder: Path) -> Path:
    """A record of this run, whose key, checksum and name are right."""
    record = Record(payload, {}, {"error": 1.0}, PROVENANCE | {
        "fleet": 1, "device": "1 CPU cores of a processor", "processor_seconds": 1.0})
    path = folder / "context_scaling" / "some_page" / "cpu" / f"{digest(payload)}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    identity = {"key": key(record.run, record.versions), "checksum": record.checksum}
    path.write_text(to_json(identity | asdict(record)), "utf-8")
    return path


def named(payload) -> str:
    """What the message names: the innermost type."""
    inner = payload.get("width")
    name = (inner[0] if isinstance(inner, list) else payload).get("type")
    return name if isinstance(name, str) else "type: expected the name of a component"


@pytest.mark.parametrize("payload", PAYLOADS, indirect=True)
def test_a_payload_is_refused_by_name_wherever_it_is_read(payload, results, monkeypatch, capsys):
    for place, within in PLACES.items():
        path = saved(within(payload), results)
        readers = [lambda: load_record(path).stale_because, lambda: icllib.load(path),
                   lambda: InContextRegressor(path).fit([[0.0, 1.0]] * 2, [0.0, 1.0]),
                   lambda: as_recorded.recorded(path.stem, "context_scaling")]
        for read in readers:
            with pytest.raises(InputError) as refused:
                read()
            assert named(payload) in str(refused.value), place
    monkeypatch.setattr(sys, "stdin", io.StringIO(json.dumps([settings(RUN) | {"model": payload}])))
    with pytest.raises(SystemExit, match="2"):
        workers.main("smoke", str(results))
    assert named(payload) in capsys.readouterr().err


READ = """import icllib, sys
from claimbook.records.errors import InputError
try:
    icllib.load(sys.argv[1])
except InputError as error:
    print(error)
import own_components
print(type(icllib.load(sys.argv[1]).module).__name__)
"""


def test_components_of_a_module_that_the_user_has_imported_are_built(folders, tmp_path, monkeypatch):
    (tmp_path / "own_components.py").write_text(OWN, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    import own_components

    recipe = replace(runs()[0].recipe, steps=2)
    run = replace(runs(recipe)[0], model=own_components.Own(4))
    jobs.train_and_save([run], "smoke", folders)
    path = next(folders.glob("smoke/*.json"))
    assert icllib.load(path) and from_settings(settings(run)) == run
    env = os.environ | {"PYTHONPATH": os.pathsep.join(["", str(tmp_path), *sys.path])}
    told = subprocess.run([sys.executable, "-c", READ, path], env=env, encoding="utf-8", capture_output=True,
                          check=True).stdout
    assert told.startswith("own_components:Own: expected a component of the project or of a module that was "
                           "imported before, got another; if the module is your own, import")
    assert told.endswith("\nStackedMLP\n")
    sys.modules.pop("own_components")
