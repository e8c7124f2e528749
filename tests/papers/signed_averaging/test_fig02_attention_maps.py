import numpy as np

from papers.signed_averaging import fig02_attention_maps


def test_shares_are_the_weights_that_the_last_token_gives_to_a_number():
    maps = np.zeros((3, 5, 2, 7, 7))
    maps[:, :4, 0, 6, 6], maps[:, 4, 0, 6, 4] = 0.5, 0.75
    maps[1] *= 2
    shares = [fig02_attention_maps.share(maps, example).tolist() for example in range(5)]
    assert shares == [[0.25, 0.5, 0.25]] * 4 + [[0.375, 0.75, 0.375]]
    assert fig02_attention_maps.token_names(0) == ["1", "true", "-2", "false", "3", "false", "70"]
    assert fig02_attention_maps.token_names(1)[-3:] == ["3", "true", "70"]
