"""A website takes the place of the last good one when all of it is there, and not before."""

import subprocess
from contextlib import suppress
from dataclasses import replace

import pytest

from claimbook import website
from claimbook.claims import papers
from claimbook.records.errors import InputError
from claimbook.records.files import PROJECT
from claimbook.website import contents
from claimbook.website.claim_pages import paper_answers


@pytest.fixture
def built(monkeypatch, tmp_path):
    """A folder with a good website, in which nothing is generated."""
    monkeypatch.setattr(website, "BUILT", tmp_path / "_build")
    monkeypatch.setattr(website, "GENERATED", tmp_path / "generated")
    monkeypatch.setattr(website, "write_generated", lambda decisions: None)
    (tmp_path / "_build/html").mkdir(parents=True)
    (tmp_path / "_build/html/index.html").write_text("good", "utf-8")
    return tmp_path / "_build"


def site(folder, text):
    """Builds a website of one file there."""
    (folder / "_build/html").mkdir(parents=True)
    (folder / "_build/html/index.html").write_text(text, "utf-8")
    return folder / "_build/html"


@pytest.mark.parametrize("error", [InputError, subprocess.CalledProcessError, KeyboardInterrupt])
def test_a_failed_build_leaves_the_last_good_website(monkeypatch, built, error):
    def failing(folder):
        site(folder, "half")
        raise error(*["x"] * 2 if error is subprocess.CalledProcessError else [])

    monkeypatch.setattr(website, "build_in", failing)
    with pytest.raises(error):
        website.build()
    assert [path.name for path in built.iterdir()] == ["html"]
    assert (built / "html/index.html").read_text("utf-8") == "good"


def test_a_new_website_takes_its_place(monkeypatch, built):
    monkeypatch.setattr(website, "build_in", lambda folder: site(folder, "new"))
    assert website.build().read_text("utf-8") == "new"
    assert [path.name for path in built.iterdir()] == ["html"]


def test_what_a_killed_build_left_goes_and_the_website_that_it_had_moved_comes_back(monkeypatch, built):
    (built / "html").rename(built / "before")
    site(built / "new-killed", "half")
    monkeypatch.setattr(website, "build_in", lambda folder: 1 / 0)
    with suppress(ZeroDivisionError):
        website.build()
    assert (built / "html/index.html").read_text("utf-8") == "good"
    assert [path.name for path in built.iterdir()] == ["html"]


with_pages = lambda *pages: lambda: {"causal_lm": replace(papers()["causal_lm"], pages=pages)}


@pytest.mark.parametrize("name, value, told", [
    ("GENERATED", PROJECT / "README.md", "README.md: "),
    ("JUPYTER_BOOK", "pass", "expected a page for each of _toc.yml"),
    ("version", lambda name: "2.0.1", "Jupyter Book: expected version 1, got 2.0.1"),
    ("version", lambda name: "0.15.1", "Jupyter Book: expected version 1, got 0.15.1"),
    ("all_papers", with_pages(), "new page causal_lm PAGE"),
    ("all_papers", with_pages("nothing"), "run causal_lm/nothing")])
def test_what_a_website_cannot_be_built_of_is_told(monkeypatch, built, name, value, told):
    monkeypatch.setattr(website, name, value)
    with pytest.raises(InputError, match=told):
        website.build()
    assert (built / "html/index.html").read_text("utf-8") == "good"


def test_two_builds_at_once_are_refused(built):
    with website.locked(built), pytest.raises(InputError, match="alone"):
        website.build()


def test_a_key_that_comes_twice_is_told_before_the_build():
    references = contents.parse_string((PROJECT / "book/references.bib").read_text("utf-8"), "bibtex").entries
    contents.check_keys({"one": "@misc{own, title={x}}"})
    with pytest.raises(InputError, match="expected a key of its own"):
        contents.check_keys({"one": "@misc{own, title={x}}", "two": "@misc{Own, title={x}}"})
    with pytest.raises(InputError, match="references.bib: expected a key of its own"):
        contents.check_keys({"one": f"@misc{{{list(references)[0]}, title={{x}}}}"})
    with pytest.raises(InputError, match="one: expected entries of BibTeX"):
        contents.check_keys({"one": "@misc{own, title={x"})


@pytest.mark.parametrize("entry, told", [
    ("claim: 1, by: A, date: 2026-01-01, text: yes indeed", None), ("claim: 9999, by: A, date: 2026-01-01, text: x", "claim"),
    ("claim: one, by: A, date: 2026-01-01, text: x", "claim"), ("claim: 1, by: A, date: 2026-01-01, text: 5", "text"),
    ("claim: 1, by: 5, date: 2026-01-01, text: x", "by"), ("claim: 1, by: A, text: x", "date")])
def test_an_answer_is_shown_or_refused(monkeypatch, tmp_path, entry, told):
    (tmp_path / "answers.yml").write_text(f"answers:\n- {{{entry}}}\n", "utf-8")
    monkeypatch.setattr("claimbook.website.claim_pages.ANSWERS", str(tmp_path / "answers.yml"))
    paper_answers.cache_clear()
    if told is None:
        assert paper_answers("causal_lm")[0]["text"] == "yes indeed"
    else:
        with pytest.raises(InputError, match=f"answers.yml: .*{told}"):
            paper_answers("causal_lm")
    paper_answers.cache_clear()
