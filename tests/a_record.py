"""One run and its record, for the tests of records."""

import numpy as np
import pytest

from claimbook.records import Record
from icllib.evaluate import ErrorByLength
from icllib.models import MLP
from icllib.tasks import LinearRegression
from icllib.training import Recipe, Run

RUN = Run(LinearRegression(2, 0.1), MLP(4), Recipe((1, 2), steps=3), ErrorByLength((1, 2)), 7, 10)
PROVENANCE = {"profile": "cpu", "commit": "abc", "dirty": False}


@pytest.fixture
def saved(results):
    """The path of a record of this run."""
    return Record.of(RUN, {"error": np.array([1 / 3, 2e-9])}, PROVENANCE).save(
        results / "context_scaling" / "some_page")
