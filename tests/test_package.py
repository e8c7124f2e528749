"""The package as who installs it meets it: its names, its types, and what README promises."""

import importlib
import re
import subprocess
import sys

import pytest

import icllib
from claimbook.records import PROJECT


def test_every_name_is_where_it_is_said_to_be():
    for module, names in icllib.MODULES.items():
        found = importlib.import_module(f"icllib.{module}")
        for name in names:
            assert getattr(icllib, name) is getattr(found, name)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        icllib.nothing
    assert set(icllib.__all__) <= set(dir(icllib))


def test_importing_it_touches_neither_pytorch_nor_seaborn():
    code = ("import icllib, sys; print({'torch', 'seaborn'} & set(sys.modules) or 'neither', icllib.__version__, "
            "icllib.estimators.__name__)")
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, encoding="utf-8",
                          cwd=PROJECT, check=True).stdout
    assert said == f"neither {icllib.__version__} icllib.estimators\n"


def test_the_version_is_told_alike_everywhere():
    citation = (PROJECT / "CITATION.cff").read_text("utf-8")
    changes = (PROJECT / "CHANGELOG.md").read_text("utf-8")
    assert f"\nversion: {icllib.__version__}\n" in citation
    assert re.search(r"^## (.*)$", changes, re.MULTILINE)[1] == icllib.__version__


def test_readme_s_python_runs():
    readme = (PROJECT / "README.md").read_text("utf-8")
    code, = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)
    short = code.replace("steps=8000", "steps=20").replace("prompts=4096", "prompts=16")
    assert short != code and len([line for line in code.splitlines() if line and "import" not in line]) == 5
    exec(short, {})


@pytest.mark.large
def test_readme_s_python_learns(capsys):
    readme = (PROJECT / "README.md").read_text("utf-8")
    exec(re.findall(r"```python\n(.*?)```", readme, re.DOTALL)[0], {})
    ratios = [float(number) for number in re.findall(r"\d+\.\d+", capsys.readouterr().out)]
    assert len(ratios) == 3 and all(1 <= ratio <= 1.25 for ratio in ratios)


def test_readme_begins_with_what_a_reader_looks_for():
    """What it is, one figure, the two commands, the papers, Python, in this order."""
    readme = (PROJECT / "README.md").read_text("utf-8")
    places = [readme.index(text) for text in (
        "A [Jupyter Book]", "![Figure", "make book", "| paper |", "import icllib")]
    assert places == sorted(places)
    assert readme[: places[3]].count("\n") <= 25 and readme.count("\n") <= 100
