"""A further paper, made as its how-to says, in a copy of the project; and gone without a trace."""

import json
import re
import shutil

import pytest

from copied_project import copied, run_in
from claimbook.claims import load_claims, papers, read_paper
from claimbook.claims.decisions import ledger
from claimbook.commands import new
from claimbook.records.errors import InputError
from claimbook.records.files import PROJECT
from claimbook.website.contents import table_of_contents

PAPER, PAGE = "further", "fig01_mean"
MORE_CLAIMS = "".join(f"""\
  - id: further.{number}
    source: Figure 1
    statement: The error is {times} over the number of pairs.
    printed: {{value: {{n = 10: {at_10}, n = 40: {at_40}}}, read: figure}}
    predicate: value
    statistic: mean squared error
    parts: [n = 10, n = 40]
    tolerance: {{factor: 1.2}}
    control: other data
    page: further/fig01_mean
""" for number, times, at_10, at_40 in ((2, "one", 0.1, 0.025), (3, "four", 0.4, 0.1)))
DECIDED = """\
ends = lambda of: {f"n = {n}": of[n] for n in (10, 40)}
page.decide(2, ends(errors), control=ends(control))
page.decide(3, ends(errors), control=ends(4 * errors))  # of variance 4
page.verdicts()
"""


def listings(folder):
    """The files that list papers and pages."""
    return {name: (folder / name).read_text("utf-8") for name in ("_toc.yml", "README.md")}


def files_of(folder):
    """What lies in a copy of the project, but for what Python caches."""
    return {path.relative_to(folder) for path in folder.rglob("*")
            if "__pycache__" not in path.parts and "_build" not in path.parts}


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the project with a fifth paper of four files that were filled in, and its page run."""
    folder = copied(tmp_path_factory.mktemp("copy") / "project")
    before = files_of(folder), listings(folder)
    run_in(folder, "-c", "from claimbook.commands.new import new_page, new_paper; "
           f"new_paper({PAPER!r}), new_page({PAPER!r}, {PAGE!r})")
    for file in ("papers/further/paper.yml", "papers/further/claims.yml",
                 "papers/further/fig01_mean.py", "notebooks/further/fig01_mean.py"):
        text = (folder / file).read_text("utf-8").replace("Fill in", "A further paper")
        text = text.replace("page.verdicts()\n", DECIDED) + MORE_CLAIMS * file.endswith("claims.yml")
        (folder / file).write_text(text, "utf-8")
    run_in(folder, "-c", "from claimbook.commands.run import run_page; from claimbook.commands import command_line; "
           f"run_page('{PAPER}/{PAGE}', 'cpu', {{}}); command_line.main()", "contents")
    yield folder
    for path in ("papers/further", "notebooks/further", "results/further"):
        shutil.rmtree(folder / path)
    (folder / "book/further.md").unlink()
    run_in(folder, "-m", "claimbook", "contents")
    assert (files_of(folder) - {path for path in files_of(folder) if "runs" in path.parts},
            listings(folder)) == before


def test_a_further_paper_has_verdicts_and_stands_where_papers_are_listed(copy):
    rows = json.loads(run_in(copy, "-m", "claimbook", "claims", PAPER, "--json"))
    assert [row["verdict"] for row in rows] == ["holds", "holds", "fails"]
    listed = listings(copy)
    assert "- file: book/further\n        sections:\n          - file: notebooks/further/fig01_mean\n" in (
        listed["_toc.yml"])
    assert re.search(r"^\| \[\*A further paper: [^|]*\| 2 \|", listed["README.md"], re.MULTILINE)
    readme = (PROJECT / "README.md").read_text("utf-8")
    assert len(listed["README.md"].splitlines()) == len(readme.splitlines()) + 1


def test_what_is_listed_is_what_is_there():
    for name, text in table_of_contents(ledger()).items():
        assert (PROJECT / name).read_text("utf-8") == text, f"{name}: call python -m claimbook contents"


def test_every_claim_and_paper_is_filled_in():
    for name, paper in papers().items():
        assert "Fill in" not in repr((paper, load_claims(name))), name


@pytest.mark.parametrize("make, names, told", [
    *((new.new_paper, [name], "expected a name") for name in ("../elsewhere", "Trees", "class", "")),
    (new.new_page, ["causal_lm", "propositions"], "propositions.py: "),
    (new.new_page, ["nosuch", "propositions"], "paper: ")])
def test_what_cannot_be_made_is_told(make, names, told):
    with pytest.raises(InputError, match=told):
        make(*names)


@pytest.mark.parametrize("old, new_text, reason", [
    ("order: 3", "order: third", "order: expected int, got 'third'"),
    ("short:", "shorter:", "short: expected this entry"), ("pages:", "pages: 3\nothers:", "others: expected one of order"),
    ("title:", "title: [", "damaged file"), ("  - propositions", "  - ../x", "page: expected two names"),
    ("  - propositions", "  - 7", "pages: expected text, got 7"), ("  - propositions", "  - kaczmarz", "pages: expected each value once"),
    ("https://openreview.net/forum?id=guRNebwZBb", "javascript:attack()", "links: "),
    ("figure: fig02_linear", "figure: nothing", "figure: expected one of")])
def test_a_damaged_description_of_a_paper_is_told(tmp_path, old, new_text, reason):
    text = (PROJECT / "papers/causal_lm/paper.yml").read_text("utf-8")
    (tmp_path / "paper.yml").write_text(text.replace(old, new_text), "utf-8")
    with pytest.raises(InputError, match=f"paper.yml: expected the description of a paper, got .*{reason}"):
        read_paper(tmp_path / "paper.yml")
