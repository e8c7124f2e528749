"""A sample of what tests/models/every_class.py writes down about all classes of `transformers`."""

import csv
import re

import pytest
import transformers

from every_class import row
from claimbook.records import PROJECT

TABLE = PROJECT / f"book/howto/classes/{transformers.__version__}.csv"
# Names in files that differ from the model's, mixtures of experts, layers without attention, encoders,
# and refusals.
SAMPLE = ["GPTNeoXForCausalLM", "NemotronHForCausalLM", "MixtralForCausalLM", "OPTForCausalLM", "BertForMaskedLM",
          "BloomForCausalLM", "Gemma2ForCausalLM"]


@pytest.mark.parametrize("name", SAMPLE)
def test_a_class_works_or_is_refused_in_a_line(name):
    found = row(name)
    assert all(value.startswith(("yes", "refused: ")) or not value
               for own, value in found.items() if own != "class"), found
    if TABLE.exists():  # there is none of versions between and after
        rows = {own["class"]: own for own in csv.DictReader(TABLE.open(encoding="utf-8"))}
        assert found == rows[name], "run tests/models/every_class.py again"


def test_the_page_counts_what_the_tables_say():
    page = (PROJECT / "book/howto/language_model_classes.md").read_text("utf-8")
    head, *rows = [[cell.strip() for cell in line.strip("|").split("|")]
                   for line in page.splitlines() if line.startswith("|") and "---" not in line]
    assert set(head[1:]) == {path.stem for path in TABLE.parent.glob("*.csv")}
    pinned = re.search(r"^transformers==(\S+)", (PROJECT / "requirements.lock").read_text("utf-8"), re.MULTILINE)
    assert pinned[1] in head
    for place, version in enumerate(head[1:], 1):
        shown = {row[0]: int(row[place]) for row in rows}
        table = list(csv.DictReader((TABLE.parent / f"{version}.csv").open(encoding="utf-8")))
        assert f":file: classes/{version}.csv" in page
        assert shown.pop("classes") == len(table)
        built = [own for own in table if not own["SSA"].startswith("not built")]
        assert shown.pop("not built, as they cannot be tiny or fail by themselves") == len(table) - len(built)
        for name, count in shown.items():
            kind, result = name.split(": ")
            start = {"works": "yes", "refused": "refused"}[result]
            assert count == sum(own[kind].startswith(start) for own in built), name
        assert not any("BROKEN" in value for own in table for value in own.values())
