"""Fixed before: what the history of a repository shows, in one that is made here."""

import subprocess
from collections import Counter
from types import SimpleNamespace

import pytest

from claimbook.claims import history
from claimbook.claims.history import fixed_before

ENTRY = """paper: trees
claims:
  - id: trees.1
    statement: >-
      A grows.
    parts: [one,
            two]
    tolerance: {{above: {bound}}}
    gate:
      statistic: error
      at_most: 0.1
  - id: trees.2
    parts: [one]
    tolerance: {{above: 1.0}}
    gate:
      at_most: {gate}
      statistic: error
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.setattr(history, "PROJECT", tmp_path)
    path = tmp_path / "papers" / "trees" / "claims.yml"
    path.parent.mkdir(parents=True)
    run = lambda *words: subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=tmp_path,
                                        check=True, capture_output=True, encoding="utf-8").stdout.strip()

    def commit(text):
        path.write_text(text, "utf-8")
        run("add", "-A")
        run("commit", "--allow-empty", "-qm", "a")
        history.known_parents.cache_clear()
        history.ancestors_of_commit.cache_clear()
        return run("rev-parse", "--short=12", "HEAD")

    run("init", "-q")
    return SimpleNamespace(commit=commit, path=path, folder=tmp_path, run=run)


def claim(number):
    return SimpleNamespace(id=f"trees.{number}", paper="trees")


def made_on(commit, dirty=False):
    return SimpleNamespace(provenance={"commit": commit, "dirty": dirty})


def test_a_claim_is_fixed_before_records_of_its_commit_and_of_later_ones(project):
    before = project.commit("paper: trees\nclaims: []\n")
    first = project.commit(ENTRY.format(bound=1.0, gate=0.1))
    later = project.commit(ENTRY.format(bound=1.0, gate=0.1).replace("A grows", "A grows, as it says"))
    for number in (1, 2):
        assert fixed_before(claim(number), [made_on(first), made_on(later)]) is True
        assert fixed_before(claim(number), [made_on(first), made_on(before)]) is False
        assert fixed_before(claim(number), [made_on(first), made_on(first, dirty=True)]) is False
        assert fixed_before(claim(number), [made_on("0123456789ab")]) is False


@pytest.mark.parametrize("old, new, moved", [
    ("above: 1.0}\n    gate:\n      s", "above: 2.0}\n    gate:\n      s", 1),
    ("at_most: 0.2", "at_most: 0.3", 2),
    ("            two]", "            two, three]", 1)])  # on its second line
def test_a_bound_that_was_moved_is_fixed_from_then_on(project, old, new, moved):
    text = ENTRY.format(bound=1.0, gate=0.2)
    first, second = project.commit(text), project.commit(text.replace(old, new))
    assert first != second and fixed_before(claim(moved), [made_on(first)]) is False
    assert fixed_before(claim(moved), [made_on(second)]) is True
    assert fixed_before(claim(3 - moved), [made_on(first)]) is True


def test_what_is_not_committed_is_not_fixed(project):
    first = project.commit(ENTRY.format(bound=1.0, gate=0.1))
    project.path.write_text(ENTRY.format(bound=3.0, gate=0.1), "utf-8")
    assert fixed_before(claim(1), [made_on(first)]) is False


def test_without_a_history_it_is_not_known(project, tmp_path_factory, monkeypatch):
    project.commit("paper: trees\nclaims: []\n")
    first = project.commit(ENTRY.format(bound=1.0, gate=0.1))
    assert fixed_before(claim(1), []) is None
    clone = tmp_path_factory.mktemp("clone") / "it"
    project.run("clone", "-q", "--depth", "1", f"file://{project.folder}", str(clone))
    monkeypatch.setattr(history, "PROJECT", clone)
    assert fixed_before(claim(1), [made_on(first)]) is None
    plain = tmp_path_factory.mktemp("plain")
    (plain / "papers" / "trees").mkdir(parents=True)
    (plain / "papers" / "trees" / "claims.yml").write_text(ENTRY.format(bound=1.0, gate=0.1), "utf-8")
    monkeypatch.setattr(history, "PROJECT", plain)
    assert fixed_before(claim(1), [made_on(first)]) is None


def test_git_is_asked_once_for_each_of_many_papers(project, monkeypatch):
    for number in range(3):
        path = project.folder / "papers" / f"trees{number}" / "claims.yml"
        path.parent.mkdir()
        path.write_text(ENTRY.format(bound=1.0, gate=0.1).replace("trees", f"trees{number}"), "utf-8")
    first, asked = project.commit(ENTRY.format(bound=1.0, gate=0.1)), Counter()
    monkeypatch.setattr(history, "git", lambda folder, *words, ask=history.git: asked.update(words[:1]) or ask(
        folder, *words))
    for _ in range(2):
        for number in range(3):
            asked_of = SimpleNamespace(id=f"trees{number}.1", paper=f"trees{number}")
            assert fixed_before(asked_of, [made_on(first)]) is True
    assert asked["blame"] == 3
