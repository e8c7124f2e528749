"""The library as its pages and README show it: names, examples, versions, and who imports what."""

import doctest
import importlib
import inspect
import pkgutil
import re
import subprocess
import sys

import pytest

import icllib
from claimbook.records import PROJECT
from claimbook.records.compute import environment
from icllib import theory

README = (PROJECT / "README.md").read_text("utf-8")
IN_README = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
PAGES = sorted((PROJECT / "book/library").glob("*.rst"))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_examples_print_what_the_page_says(path):
    with environment():  # one page names a folder of records of its own
        failed, tried = doctest.testfile(str(path), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert tried and not failed


def documented(text):
    """What a page has the signature of: the last parts of names."""
    return set(re.findall(r"^\.\. auto\w+:: (?:\w+\.)*(\w+)$", text, re.MULTILINE))


def in_examples(text):
    return set(re.findall(r"\w+", "\n".join(re.findall(r"^(?:>>>|\.\.\.) .*", text, re.MULTILINE))))


@pytest.mark.parametrize("page", ["tasks", "models", "baselines", "training", "*"])  # the last: of the package itself
def test_every_public_name_has_its_signature_and_an_example(page):
    text = "\n".join(path.read_text("utf-8") for path in PAGES if page in ("*", path.stem))
    names = {*(icllib if page == "*" else importlib.import_module(f"icllib.{page}")).__all__} - {"__version__"}
    assert names and not names - documented(text) and not names - in_examples(text)


def test_every_function_of_the_theory_has_an_example():
    text = (PROJECT / "book/library/theory.rst").read_text("utf-8")
    used, names = in_examples(text), []
    for module in pkgutil.iter_modules(theory.__path__):
        assert f".. automodule:: icllib.theory.{module.name}\n" in text
        found = importlib.import_module(f"icllib.theory.{module.name}")
        names += [name for name, kind in inspect.getmembers(found)
                  if getattr(kind, "__module__", "") == found.__name__ and name[0] != "_"]
    assert len(names) > 60 and not set(names) - used


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
    code, = IN_README
    short = code.replace("steps=8000", "steps=20").replace("prompts=4096", "prompts=16")
    assert short != code and len([line for line in code.splitlines() if line and "import" not in line]) == 5
    exec(short, {})


@pytest.mark.large
def test_readme_s_python_learns(capsys):
    exec(IN_README[0], {})
    ratios = [float(number) for number in re.findall(r"\d+\.\d+", capsys.readouterr().out)]
    assert len(ratios) == 3 and all(1 <= ratio <= 1.25 for ratio in ratios)


def test_readme_begins_with_what_a_reader_looks_for():
    """What it is, one figure, the two commands, the papers, Python, in this order."""
    places = [README.index(text) for text in (
        "A [Jupyter Book]", "![Figure", "make book", "| paper |", "import icllib")]
    assert places == sorted(places)
    assert README[: places[3]].count("\n") <= 25 and README.count("\n") <= 100
