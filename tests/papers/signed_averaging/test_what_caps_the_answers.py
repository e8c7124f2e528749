"""Bounds and floors, against samples and by hand."""

import numpy as np
import pytest
import torch

from icllib.models import Transformer
from icllib.streams import Stream
from icllib.tasks import AffineFunctions
from icllib.training import Trained
from papers.signed_averaging import answer_sizes, what_caps_the_answers as sheet


def shaken(**options):
    """Two decoders with all parameters away from zero and one."""
    model = Transformer(2, 2, 8, tokens="separate", **options)
    module = model.build((0, 1), 1, 39)
    torch.manual_seed(0)
    for parameter in module.parameters():
        parameter.data += torch.randn_like(parameter)
    return module


@torch.no_grad()
@pytest.mark.parametrize("rate", [1.0, 10.0])
def test_no_state_gives_an_answer_beyond_the_bound_and_one_reaches_it(rate):
    module = shaken(read_out_rate=rate)
    bound = answer_sizes.answer_bound(module)
    states = 30 * torch.randn(2, 50_000, 1, 8)
    assert (module.predict(states).abs().amax(dim=(1, 2)) <= bound).all()
    gain, weight = module.final_norm.gain[:, 0, 0], module.read_out.weight[..., 0]
    # The normalized state that is along gain * weight, but for its mean, which has to be 0.
    along = gain * weight
    along = along - along.mean(dim=1, keepdim=True)
    reached = torch.maximum(*(module.predict(1e4 * sign * along[:, None, None]).abs()[:, 0, 0] for sign in (1, -1)))
    assert (reached > 0.5 * bound).all()


def test_without_a_final_normalization_there_is_no_bound():
    assert answer_sizes.answer_bound(shaken(final_norm=False)).isnan().all()


@pytest.mark.parametrize("bound, sigma", [(10.8, 3), (10.8, 10), (5, 1), (30, 10)])
def test_the_floor_is_that_of_sampled_lines(bound, sigma):
    random = np.random.default_rng(0)
    slope, constant, x = random.normal(size=(3, 2_000_000))
    beyond = np.maximum(np.abs(sigma * (slope * x + constant)) - bound, 0) ** 2
    error = beyond.std() / len(beyond) ** 0.5
    assert answer_sizes.floor(bound, sigma) == pytest.approx(beyond.mean(), abs=5 * error)


def test_the_bound_that_an_error_needs_is_that_whose_floor_it_is():
    assert sheet.bound_needed(answer_sizes.floor(13.0, 7), 7) == pytest.approx(13.0)
    assert answer_sizes.floor(0.0, 3) == pytest.approx(2 * 9)  # always answering 0


def test_sizes_on_lines_are_those_of_single_prompts():
    predictor = Trained(shaken(), Stream.of([0, 1], "training"))
    found = answer_sizes.AnswerSizes((2.0,), within=1.0, prompts=3, points=6).measure([AffineFunctions()] * 2, predictor)
    stream = Stream.of([0, 0], "evaluation at 2")
    prompt = AffineFunctions(function_std=2.0).sample(stream, torch.arange(3).expand(2, -1), 6)
    for member in range(2):
        errors, inside, beyond, largest = [], [], [], 0.0
        for number in range(3):
            for point in range(2, 6):
                with torch.no_grad():
                    answer = predictor.predict(prompt.xs, prompt.ys, (point,))[member, number, 0].item()
                target = prompt.ys[member, number, point].item()
                errors.append((answer - target) ** 2)
                inside += [(answer - target) ** 2] * (abs(target) <= 1)
                beyond.append(max(abs(target) - found["bound"][member], 0) ** 2)
                largest = max(largest, abs(answer))
        assert found["error"][member, 0] == pytest.approx(np.mean(errors), rel=1e-5)
        assert found["error_within"][member, 0] == pytest.approx(np.mean(inside), rel=1e-5)
        assert found["floor"][member, 0] == pytest.approx(np.mean(beyond), rel=1e-5)
        assert found["largest_answer"][member, 0] == pytest.approx(largest, rel=1e-5)
