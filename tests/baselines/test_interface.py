"""What every baseline owes as a predictor: it sees the pairs before n and x[n], nothing else."""

import pytest
import torch

from claimbook.records.errors import InputError
from icllib import baselines
from icllib.baselines import (DiscreteMMSE, ExponentialSmoother, HilbertEstimate, Lasso, LeastSquares,
                              MixtureRidge, OneStepGD, PsiL, Ridge, RidgeSweep, StudentNetwork, XGBoost, Zero)
from icllib.streams import Stream
from icllib.tasks import FunctionPool, LinearRegression

TASK = LinearRegression(3, noise_std=0.3, weight_std=0.5)
LENGTHS = (1, 2, 6)
PREDICTORS = [
    DiscreteMMSE(FunctionPool(TASK, 8)),    ExponentialSmoother(), HilbertEstimate(), Lasso(0.1), LeastSquares(),
    MixtureRidge((0.1, 0.5), 0.5), OneStepGD(LinearRegression(4, 0.3, 0.5)), PsiL(), Ridge(0.2),
    RidgeSweep((0.2, 1.0)), StudentNetwork(width=4, steps=20), XGBoost(trees=5), Zero()]
by_name = pytest.mark.parametrize("predictor", PREDICTORS, ids=lambda p: type(p).__name__)


def prompts(dtype=torch.float64, count=4):
    return TASK.sample(Stream.of([0], "evaluation"), torch.arange(count)[None], 9, dtype)


def test_every_baseline_is_here():
    classes = {value for value in vars(baselines).values() if isinstance(value, type)}
    assert classes == {type(predictor) for predictor in PREDICTORS}


@by_name
def test_points_after_the_context_change_nothing(predictor):
    xs, ys, _ = prompts(torch.float32)
    for n in LENGTHS:
        later_xs, later_ys = xs.clone(), ys.clone()
        later_xs[..., n + 1:, :] = 7.0
        later_ys[..., n:] = -7.0
        assert torch.equal(predictor.predict(xs, ys, (n,)), predictor.predict(later_xs, later_ys, (n,)))


@by_name
def test_pairs_in_context_and_the_query_matter(predictor):
    xs, ys, _ = prompts()
    if isinstance(predictor, Zero):
        assert not predictor.predict(xs, ys, LENGTHS).any()
        return
    other_xs, other_ys = xs.clone(), ys.clone()
    other_xs[..., 6, :] *= -1
    other_ys[..., :6] *= 2
    for changed in ((other_xs, ys), (xs, other_ys)):
        assert not torch.equal(predictor.predict(xs, ys, (6,)), predictor.predict(*changed, (6,)))


@by_name
def test_a_batch_equals_one_prompt_at_a_time(predictor):
    xs, ys, _ = prompts()
    together = predictor.predict(xs, ys, LENGTHS)
    for b in range(4):
        alone = predictor.predict(xs[:, b:b + 1], ys[:, b:b + 1], LENGTHS)
        torch.testing.assert_close(alone[:, 0], together[:, b], rtol=1e-9, atol=1e-12)


@by_name
def test_lengths_do_not_meet(predictor):
    xs, ys, _ = prompts()
    together = predictor.predict(xs, ys, (6, 1, 2))
    for k, n in enumerate((6, 1, 2)):
        assert torch.equal(predictor.predict(xs, ys, (n,))[..., 0], together[..., k])


@by_name
def test_a_prompt_without_leading_axes(predictor):
    xs, ys, _ = prompts()
    if isinstance(predictor, RidgeSweep):
        with pytest.raises(InputError, match="xs: "):
            predictor.predict(xs[0, 0], ys[0, 0], LENGTHS)
        return
    alone = predictor.predict(xs[0, 0], ys[0, 0], LENGTHS)
    torch.testing.assert_close(alone, predictor.predict(xs, ys, LENGTHS)[0, 0])


@by_name
def test_the_type_of_the_prompt_is_kept(predictor):
    for dtype in (torch.float32, torch.float64):
        answers = predictor.predict(*prompts(dtype)[:2], LENGTHS)
        assert answers.dtype == dtype and not answers.requires_grad
        assert answers.isfinite().all()


@by_name
@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_what_is_not_finite_is_refused_where_it_is_seen(predictor, number):
    xs, ys = prompts()[:2]
    if isinstance(predictor, Zero):
        return
    hidden, broken = ys.clone(), xs.clone()
    hidden[..., 3:], broken[..., 1, 0] = number, number
    assert predictor.predict(xs, hidden, (3,)).isfinite().all()
    with pytest.raises(InputError, match="xs, ys: "):
        predictor.predict(broken, ys, (3,))


@by_name
def test_without_a_pair_the_answer_is_zero_or_that_of_the_mean_function(predictor):
    xs, ys, _ = prompts()
    first, *others = predictor.predict(xs, ys, (0, 6)).unbind(-1)
    expected = torch.zeros_like(first)
    if isinstance(predictor, DiscreteMMSE):
        expected = xs[..., 0, :] @ predictor.weights("cpu").mean(0)
    torch.testing.assert_close(first, expected)
    assert torch.equal(predictor.predict(xs, ys, (6,))[..., 0], others[0])
    assert torch.equal(predictor.predict(xs[..., :1, :], ys[..., :0], (0,))[..., 0], first)
