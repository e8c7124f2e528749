"""Shared layers looped further."""

from dataclasses import replace

import numpy as np
import pytest

from icllib.streams import Stream
from icllib.training import Trained
from papers.causal_lm import fig03_layer_probes as sheet


def test_looping_further_is_a_deeper_model_of_the_same_layer():
    run = sheet.looped("smoke")[0]
    length, = run.recipe.lengths
    build = lambda layers: Trained(replace(run.model, layers=layers, probes=False).build(
        (0,), run.task.dimension, length), Stream.of([0], "training"))
    shallow, deep = build(2), build(6)
    deep.module.load_state_dict(shallow.module.state_dict())
    errors = sheet.LoopedErrors((length,), 32, queries=run.recipe.queries, times=(1, 3))
    found, expected = errors.measure([run.task], shallow), errors.measure([run.task], deep)
    assert found["error_looped"].shape == (1, 2, 1) and shallow.module.repeats == 2
    assert found["error_looped"][0, 1] == pytest.approx(expected["error_looped"][0, 0], rel=1e-5)
    assert not np.allclose(found["error_looped"][0, 0], found["error_looped"][0, 1])
