import numpy as np
import pandas as pd
import pytest

from claimbook.records import PROFILES
from icllib.models import SGPT, Transformer
from papers.context_scaling import untrained_lengths


@pytest.mark.parametrize("profile", PROFILES)
def test_untrained_lengths_are_new_to_training_and_have_positions(profile):
    runs = untrained_lengths.shown(profile)
    assert [type(run.model) for run in runs if run.seed == 0] == [SGPT, Transformer, Transformer]
    assert {run.model.positions for run in runs[len(runs) // 3 :]} == {"learned", "none"}
    for run in runs:
        trained, tested = set(run.recipe.lengths), set(run.evaluation.lengths)
        new = tested - trained
        assert trained < tested and min(tested) == min(trained)
        assert any(length < max(trained) for length in new) and max(new) > max(trained)
        if isinstance(run.model, Transformer) and run.model.positions == "learned":
            assert run.model.positions_up_to == max(tested)


def test_ratios_at_untrained_lengths():
    """By hand: trained at 1, 11 and 21 with errors 1, 0.5 and 0.25."""
    tested = (1, 6, 11, 16, 21, 31)
    errors = [[1, 0.75, 0.5, 0.75, 0.25, 0.5], [1, 1.5, 0.5, 0.375, 0.25, 0.125]]
    ratios = untrained_lengths.untrained_ratios(pd.DataFrame(errors, columns=tested), (1, 11, 21))
    np.testing.assert_allclose(ratios["between"], [(1 + 2) / 2, (2 + 1) / 2])
    np.testing.assert_allclose(ratios["beyond"], [2, 0.5])
