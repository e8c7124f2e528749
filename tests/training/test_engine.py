"""The engine: schedules, data order, fleets against single runs, and a plain training loop."""

import time
from dataclasses import dataclass, replace
from types import SimpleNamespace

import pytest
import torch

from claimbook.records.errors import InputError
from icllib.models import MLP, Transformer
from icllib.streams import Stream
from icllib.tasks import LinearRegression
from icllib.training import Fleet, OutOfTime, Recipe, engine, run_steps, train
from icllib.training.engine import prompt_ids

TASK = LinearRegression(2, noise_std=0.1)
MODELS = (Transformer(layers=1, heads=2, width=8), MLP(width=16))
RECIPE = Recipe((2, 5), steps=20, batch=4, learning_rate=1e-3, schedule="cosine", warmup=0.25)


def settled(module):
    """The parameters, but for key biases: softmax ignores them, so they follow rounding errors."""
    state = {name: values.clone() for name, values in module.state_dict().items()}
    for name in state:
        if name.endswith("qkv.bias"):
            state[name][:, 8:16] = 0
    return state


def test_warm_up_then_cosine():
    recipe = Recipe((1,), steps=8, learning_rate=2.0, schedule="cosine", warmup=0.5)
    root = 2**-0.5
    expected = [0.5, 1, 1.5, 2, 2, 1 + root, 1, 1 - root]
    assert [recipe.rate(step) for step in range(8)] == pytest.approx(expected)


def test_stored_prompts_come_once_an_epoch_and_fresh_ones_never_again():
    stream, sizes, batch = Stream.of([3, 4, 5], "training"), [6, 25, None], 10
    *stored, fresh = torch.cat([prompt_ids(stream, step, batch, sizes) for step in range(15)], dim=1)
    for ids, size in zip(stored, sizes):
        epochs = ids.view(-1, size).tolist()
        assert all(sorted(epoch) == list(range(size)) for epoch in epochs)
        assert len({tuple(epoch) for epoch in epochs}) > 1
    assert len(fresh.unique()) == 150


@pytest.mark.parametrize("decay", [0.0, 0.1])
@pytest.mark.parametrize("model", MODELS)
def test_equals_a_plain_loop_with_adam(model, decay):
    """AdamW is Adam after a shrinkage by rate x decay (Loshchilov and Hutter, 2019)."""
    adam = {"betas": (0.5, 0.7)}
    recipe = Recipe((2, 5), steps=10, batch=4, learning_rate=1e-2, warmup=0.5, weight_decay=decay,
                    epsilon=0.1, **adam)
    module, stream = model.build([3], 2, 5), Stream.of([3], "training")
    optimizer = torch.optim.Adam(module.parameters(), eps=0.1, fused=False, foreach=False, **adam)
    for step in range(10):
        xs, ys, _ = TASK.sample(stream, torch.arange(4 * step, 4 * step + 4)[None], 6)
        predictions = module(xs, ys, (2, 5))[0]
        loss = sum((predictions[b, k] - ys[0, b, n]) ** 2 / 8 for b in range(4) for k, n in enumerate((2, 5)))
        optimizer.param_groups[0]["lr"] = rate = 1e-2 * min((step + 1) / 5, 1)
        optimizer.zero_grad()
        loss.backward()
        with torch.no_grad():
            torch._foreach_mul_(list(module.parameters()), 1 - rate * decay)
        optimizer.step()
    trained = settled(train(TASK, model, recipe, [3], [None]))
    for name, values in settled(module).items():
        torch.testing.assert_close(trained[name], values, atol=1e-5, rtol=0)


@dataclass(frozen=True)
class InOtherOrder(Transformer):
    """The same model with its matrices column by column in memory."""

    def build(self, *sizes):
        module = super().build(*sizes)
        for values in module.parameters():
            values.data = values.data.mT.contiguous().mT
        return module


def test_the_order_of_parameters_in_memory_does_not_matter():
    one, other = (train(TASK, model, RECIPE, [3]).state_dict()
                  for model in (Transformer(1, 1, 4), InOtherOrder(1, 1, 4)))
    for name, values in one.items():
        torch.testing.assert_close(other[name], values)


@pytest.mark.parametrize("lengths", [(3, 7), (4, 6)])  # which no other test has
def test_what_is_asked_in_inference_mode_can_be_trained_after(lengths):
    with torch.inference_mode():
        module = MODELS[0].build([0], 2, max(lengths))
        prompt = TASK.sample(Stream.of([0], "evaluation"), torch.arange(2)[None], max(lengths) + 1)
        module(prompt.xs, prompt.ys, lengths)
    train(TASK, MODELS[0], replace(RECIPE, lengths=lengths, steps=2), [0])


@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode])
def test_it_trains_where_gradients_are_off(mode):
    with mode():
        module = train(TASK, MODELS[0], RECIPE, [0])
    for own, expected in zip(module.parameters(), train(TASK, MODELS[0], RECIPE, [0]).parameters()):
        assert torch.equal(own, expected) and not own.is_inference()


def test_seeds_that_give_the_same_model_are_refused():
    with pytest.raises(InputError, match=r"seeds: expected different ones, .* got \[0, 0\]"):
        train(TASK, MODELS[1], RECIPE, [0, 0])
    train(TASK, MODELS[1], replace(RECIPE, steps=1), [0, 0], [8, 1000])


def test_a_passed_deadline_stops_the_run():
    with pytest.raises(OutOfTime, match="of 20"):
        train(TASK, MODELS[1], RECIPE, [0], [None], deadline=time.monotonic() - 1)
    train(TASK, MODELS[1], RECIPE, [0], [None], deadline=time.monotonic() + 1000)


def test_a_checkpoint_is_saved_whenever_five_minutes_have_passed(monkeypatch):
    fleet, saved = Fleet([TASK], MODELS[1], RECIPE, [0], [None]), []
    minutes = SimpleNamespace(monotonic=lambda: 60.0 * int(fleet.step))  # one for each step
    monkeypatch.setattr(engine, "time", minutes)
    run_steps(fleet, save=lambda: saved.append(int(fleet.step)))
    assert saved == [6, 12, 18]


class StepOnGpu(int):
    is_cuda = True


@pytest.mark.parametrize("is_over, raised", [(True, OutOfTime), (False, InterruptedError)])
def test_nothing_is_compiled_when_the_time_is_over(is_over, raised, monkeypatch):
    def captured_step(fleet):
        raise InterruptedError

    monkeypatch.setattr(engine, "captured_step", captured_step)
    fleet = Fleet([TASK], MODELS[1], RECIPE, [0], [None])
    fleet.step = StepOnGpu(0)
    with pytest.raises(raised):
        run_steps(fleet, should_stop=lambda: is_over)


def test_gradients_in_another_order_of_memory_train_as_plain_adam_does():
    """As of a product with a transposed matrix; AdamW without a fused kernel takes each where it is."""
    recipe = replace(RECIPE, steps=5, schedule="constant", warmup=0.0)
    one, other = (Fleet([TASK], MODELS[1], recipe, [3], [None]) for _ in range(2))
    for parameter in (*one.parameters, *other.parameters):
        parameter.register_hook(lambda gradient: gradient.mT.contiguous().mT)
    optimizer = torch.optim.AdamW(other.parameters, lr=recipe.learning_rate, weight_decay=0.0, foreach=False)
    orders = set()
    for _ in range(recipe.steps):
        one.take_step()
        gradients = torch.autograd.grad(other.losses_on(other.sample()).sum(), other.parameters)
        for parameter, gradient in zip(other.parameters, gradients):
            orders.add(gradient.is_contiguous())
            parameter.grad = gradient
        optimizer.step()
        other.step += 1
    assert False in orders
    for parameter, plain in zip(one.parameters, other.parameters):
        assert torch.allclose(parameter, plain, rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("model", [*MODELS, Transformer(2, 2, 8, shared_layers=True)], ids=str)
def test_weights_rounded_together_train_as_those_that_autocast_rounds(model):
    fleet = Fleet([TASK] * 2, model, RECIPE, [3, 4], [None] * 2)
    prompt = fleet.sample()
    gradients = lambda: torch.autograd.grad(fleet.losses_on(prompt).sum(), fleet.parameters)
    exact = gradients()
    with torch.autocast("cpu", torch.bfloat16):
        expected = gradients()
    fleet.arithmetic = "bf16"
    assert all(map(torch.equal, gradients(), expected))
    assert not any(map(torch.equal, exact, expected))
    assert all(getattr(own, "rounded_weight", None) is None for own in fleet.module.modules())
