import numpy as np

from claimbook.records import Record, settings
from papers.signed_averaging import fig02_attention_maps


def test_shares_are_the_weights_that_the_last_token_gives_to_a_number():
    maps = np.zeros((5, 2, 7, 7))
    maps[:4, 0, 6, 6], maps[4, 0, 6, 4] = 0.5, 0.75
    made = [Record(settings(run), {}, {"attention": ((1 + run.seed) * maps).tolist()}, {})
            for run in fig02_attention_maps.runs("smoke")]
    shares = fig02_attention_maps.shares(fig02_attention_maps.mean_maps(made)).loc["softmax"]
    assert shares.T.to_numpy().tolist() == [[0.25, 0.5]] * 4 + [[0.375, 0.75]]
    assert fig02_attention_maps.token_names(0) == ["1", "true", "-2", "false", "3", "false", "70"]
    assert fig02_attention_maps.token_names(1)[-3:] == ["3", "true", "70"]
