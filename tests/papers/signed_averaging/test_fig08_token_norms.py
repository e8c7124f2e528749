import pytest

from papers.signed_averaging import fig08_token_norms


def test_the_cost_is_one_pass_over_the_corpus():
    assert fig08_token_norms.counting_seconds(7 * 10**9) == pytest.approx(14 + 10)
