"""The pages of the library: their examples print what they say, and no public name lacks one."""

import doctest
import importlib
import inspect
import pkgutil
import re

import pytest

import icllib
from claimbook.records import PROJECT
from claimbook.records.compute import environment
from icllib import theory

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
