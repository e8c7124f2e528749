"""A sample of what tests/models/every_class.py writes down about all classes of `transformers`."""

import csv

import pytest
import transformers

from every_class import row
from icllib.results import PROJECT

TABLE = PROJECT / f"book/howto/classes/{transformers.__version__}.csv"
# Names in files that differ from the model's, mixtures of experts, encoders, and refusals.
SAMPLE = ["GPTNeoXForCausalLM", "MixtralForCausalLM", "OPTForCausalLM", "BertForMaskedLM",
          "BloomForCausalLM", "Gemma2ForCausalLM"]


@pytest.mark.parametrize("name", SAMPLE)
def test_a_class_works_or_is_refused_in_a_line(name):
    found = row(name)
    assert all(value.startswith(("yes", "refused: ")) or not value
               for own, value in found.items() if own != "class"), found
    rows = {own["class"]: own for own in csv.DictReader(TABLE.open(encoding="utf-8"))}
    assert found == rows[name], "run tests/models/every_class.py again"
