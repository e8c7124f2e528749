import pytest
import torch

from icllib.streams import Stream
from icllib.tasks import AffineFunctions
from papers.signed_averaging import affine, attention_or_feed_forward


def outputs(shape, change: str):
    """Predictions at the last point of a built model before and after its context changes."""
    model = shape.runs("smoke")[0].model
    module = model.build([0], 1, 40)
    prompt = AffineFunctions().sample(Stream.of([0], "test"), torch.arange(4)[None], 41)
    xs, ys = prompt.xs.clone(), prompt.ys.clone()
    if change == "pairs":
        xs[:, :, :-1] += 1.0
        ys[:, :, :-1] -= 3.0
    else:
        xs[:, :, -1] += 1.0
    with torch.no_grad():
        before, after = (module(*points, (40,)) for points in ((prompt.xs, prompt.ys), (xs, ys)))
    return before, after


@pytest.mark.parametrize("shape, sees_pairs", [(attention_or_feed_forward.FEED_FORWARD_ONLY, False),
                                               (affine.ATTENTION_ONLY, True)])
def test_only_attention_sees_the_pairs(shape, sees_pairs):
    before, after = outputs(shape, "pairs")
    assert torch.equal(before, after) != sees_pairs
    before, after = outputs(shape, "query")
    assert not torch.equal(before, after)
