"""Findings say what their evidence says, in a minute."""

import re
from types import SimpleNamespace

import matplotlib.pyplot as plt
import pytest

from claimbook.claims import load_claims, papers
from claimbook.claims.decisions import ledger
from claimbook.claims.verdicts import explained, parts_table
from claimbook.pages.names import all_pages
from claimbook.records import results_folder
from claimbook.records.files import PROJECT, read_yaml
from claimbook.website import front
from claimbook.website.front import FINDING, cards, drawn

FINDINGS = sorted((PROJECT / "book/findings").glob("*.md"))
NUMBER = re.compile(r"(?<![\w.σ])\d+(?:\.\d+)?")


@pytest.mark.parametrize("path", FINDINGS, ids=lambda path: path.stem)
def test_a_finding_answers_first_has_the_numbers_of_its_evidence_and_a_figure_with_ink_and_axes(path):
    text = path.read_text("utf-8")
    page = read_yaml(FINDING.match(text)["head"])["figure"]
    answer = next(part for part in text[FINDING.match(text).end() :].strip().split("\n\n") if part[0] != "`")
    assert len(answer.split()) <= 50
    told = re.sub(r"```.*?\n:alt:[^\n]*\n|\]\([^)]*\)|^---.*?---", "", text, flags=re.DOTALL)
    assert page in all_pages() and len(told.split()) <= 190
    claims = re.findall(r"claims/([a-z_]+\.\d+)\.html", text)
    items = [item for item in ledger() if item.claim.id in claims or item.claim.page == page]
    assert len({item.claim.id for item in items} & set(claims)) == len(claims)
    evidence = (PROJECT / f"notebooks/{page}.py").read_text("utf-8")
    evidence += (results_folder() / page / "figure.csv").read_text("utf-8")
    evidence += (PROJECT / f"book/{page.split('/')[0]}.md").read_text("utf-8")
    evidence += "\n".join(line for table in (results_folder() / page).parent.glob("*/figure.csv")
                         for line in table.read_text("utf-8").split("\n") if line.endswith(",paper"))
    evidence += "".join("".join(explained(item)) + parts_table(item).to_string() for item in items)
    exact = set(map(float, NUMBER.findall(evidence)))
    known = exact | {float(f"{number:.2g}") for number in exact}
    for number in map(float, NUMBER.findall(told)):
        assert number in known, f"{number:g} of {path.name} is not in {page}, its claims or its chapter"
    axes, = drawn(path.stem, page, (5.6, 3.4)).axes
    assert axes.get_xlabel() and (axes.lines or axes.patches)


def test_the_card_of_a_paper_counts_what_the_paper_says():
    every = [SimpleNamespace(claim=claim, verdict="holds") for name in papers() for claim in load_claims(name)]
    table = re.findall(r"^\| \[\*.*?\) \((?!by us).*?\| ([\d| ]+) \|$", (PROJECT / "README.md").read_text("utf-8"), re.MULTILINE)
    assert re.findall(r">(\d+)</span>", cards(every)) == [str(sum(map(int, row.split("|")))) for row in table]


def test_a_preview_has_the_size_that_others_cut_to(tmp_path, monkeypatch):
    monkeypatch.setattr(front, "pages_of_contents", lambda: [f"book/findings/{FINDINGS[0].stem}"])
    front.write_findings(tmp_path)
    width, height = plt.imread(next(tmp_path.rglob("*.png"))).shape[1::-1]
    assert width / height == pytest.approx(1200 / 630, abs=0.01)
