"""The leaderboard says what `icllib compare` would say, over the whole table."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from icllib import court
from icllib.models import Softmax
from icllib.training import Trained, run_steps
from icllib.training.engine import Fleet
from papers.across import leaderboard

SOFTMAX = {shift: np.asarray(own) for shift, own in court.kept_softmax()["lines"].items()}


def entry(factor: float, spread: float = 0.01) -> pd.DataFrame:
    """Errors so many times those of softmax with the same seed, and a little noise."""
    draw = np.random.default_rng(0)
    return pd.DataFrame({shift: factor * own[:5] * np.exp(spread * draw.standard_normal(5))
                         for shift, own in SOFTMAX.items()})


def test_who_is_worse_is_told_and_softmax_in_disguise_is_not():
    table = leaderboard.judged({"ten times": entry(10.0), "a third": entry(1 / 3), "as softmax": entry(1.0)})
    words = table.groupby("entry").word.agg(set)
    assert words["ten times"] == {"not learned"}  # 0.03 on its own task
    assert words["a third"] == {"better"} and words["as softmax"] == {"no difference"}
    assert not words[leaderboard.DISGUISED] & {"better", "worse"}
    steeper = table[(table.entry == "a third") & (table["shift"] == "steeper")].iloc[0]
    assert steeper.ratio == pytest.approx(1 / 3, rel=0.02)
    # Holm over all rows: the chance of the least is multiplied by how many are told.
    alone = court.ratio_rows("lines", {"steeper": entry(1 / 3)["steeper"].to_numpy()}, SOFTMAX, np.full(5, True))
    assert steeper.chance >= 20 * alone[0]["chance"] or steeper.chance == 1


def test_the_measure_is_that_of_the_court():
    setting = court.SETTINGS["lines"]
    fleet = Fleet([setting.task] * 2, setting.model, replace(setting.recipe, steps=3), [0, 1], [None] * 2)
    run_steps(fleet)
    found = leaderboard.CourtErrors().measure([setting.task] * 2, Trained(fleet.module))["error"]
    expected = court.measured(setting, fleet.module)
    assert list(expected) == list(leaderboard.CourtErrors().axes("error")["shift"])
    np.testing.assert_allclose(found, np.stack(list(expected.values()), axis=1))


@pytest.mark.parametrize("name", leaderboard.OPTIONS)
def test_every_entry_can_be_built_and_is_not_softmax(name):
    run = leaderboard.runs_of(name, "smoke")[0]
    assert run.model.build([0], 1, 20)
    changed = run.model != court.SETTINGS["lines"].model
    assert changed == (name != leaderboard.UNTRAINED) and (run.recipe.steps == 1) == (not changed)
    assert changed or run.model.scoring == Softmax()
