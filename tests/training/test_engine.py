"""The engine against a plain loop: schedules, data order, and fleets against single runs."""

import re
import time
from dataclasses import dataclass, replace
from types import SimpleNamespace

import pytest
import torch

from claimbook.records import find_record
from claimbook.records.errors import InputError
from icllib.evaluate import ErrorByLength
from icllib.models import MLP, Relu, SignedAveraging, Softmax, Transformer
from icllib.streams import Stream
from icllib.tasks import LinearClassification, LinearRegression, SigmoidRegression, SparseLinear
from icllib.training import Fleet, OutOfTime, Recipe, Run, Trained, engine, jobs, run_steps, train
from icllib.training.engine import prompt_ids

import small_fleet

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


KINDS = [MLP(8), Transformer(2, 2, 8), Transformer(1, 2, 8, scoring=SignedAveraging()),
          Transformer(1, 2, 8, tokens="separate")]
SEEDS, TASK_COUNTS, RATES = [3, 1, 2**32 - 1], [10, None, 30], [2**-10, 2**-9, 2**-8]


def trained(tasks, model, recipe, seeds, counts, rates=None):
    fleet = Fleet(tasks, model, recipe, seeds, counts, "cpu", rates)
    run_steps(fleet)
    return fleet


@pytest.mark.parametrize("precision, tolerance", [("fp32", 1e-5), ("fp64", 1e-12)])
@pytest.mark.parametrize("model", KINDS, ids=str)
def test_thirty_steps_of_a_fleet_equal_single_runs(model, precision, tolerance):
    """Whose tasks, seeds, numbers of stored prompts and learning rates differ."""
    tasks = [LinearRegression(3, 0.1), SparseLinear(3, 2), LinearRegression(3, 0.1)]
    recipe = Recipe((2, 4), 30, 8, RATES[0], "cosine", 0.1, weight_decay=0.1, precision=precision)
    together = trained(tasks, model, recipe, SEEDS, TASK_COUNTS, RATES)
    for member, (task, seed, count, rate) in enumerate(zip(tasks, SEEDS, TASK_COUNTS, RATES)):
        alone = trained([task], model, replace(recipe, learning_rate=rate), [seed], [count])
        assert torch.allclose(together.losses[:30, member], alone.losses[:30, 0], atol=1e-5)
        prompt = alone.sample()
        answers = [fleet.module(prompt.xs.expand(size, -1, -1, -1), prompt.ys.expand(size, -1, -1),
                                (2, 4)) for fleet, size in ((together, 3), (alone, 1))]
        assert (answers[0][member] - answers[1][0]).abs().max() < tolerance


@pytest.mark.parametrize("trainable", [True, False])
def test_members_with_their_own_scoring_parameters_equal_single_runs(trainable):
    models = [Transformer(1, 2, 8, scoring=SignedAveraging(n, b, trainable))
              for n, b in ((1.5, 1.0), (2.0, 0.5), (3.0, 0.1))]
    tasks = [LinearRegression(3)] * 3
    recipe = Recipe((2, 4), 30, 8, learning_rate=1e-2, precision="fp64")
    together = Fleet(tasks, models[0], recipe, SEEDS, [None] * 3, models=models)
    run_steps(together)
    for member, model in enumerate(models):
        alone = Fleet(tasks[:1], model, recipe, [SEEDS[member]], [None])
        run_steps(alone)
        assert torch.allclose(together.losses[:30, member], alone.losses[:30, 0], rtol=1e-5)
        ours, theirs = (fleet.module.blocks[0].scoring for fleet in (together, alone))
        assert torch.allclose(ours.n[member], theirs.n[0], atol=1e-10)


@pytest.mark.parametrize("given, message", [
    ({"pretraining_tasks": [None, 1.5]}, "pretraining_tasks: "),
    ({"pretraining_tasks": [None]}, r"pretraining_tasks: .* each of 2 seeds, got \[None\]"),
    ({"learning_rates": [1e-3, -1.0]}, "learning_rates: "),
    ({"models": [MLP(8)]}, r"models: .* each of 2 seeds, got \[MLP"),
    ({"tasks": LinearRegression(3)}, "tasks: .* each of 2 seeds, got LinearRegression"),
    ({"models": [Transformer(1, 2, 8, scoring=Softmax()), Transformer(1, 2, 8, scoring=Relu())]}, "models: "),
    ({"tasks": [LinearRegression(3), LinearRegression(2)]}, "tasks: "),
    ({"snapshots": (500,)}, "snapshots: ")])
def test_what_is_given_per_member_must_fit_the_members(given, message):
    sound = {"tasks": [LinearRegression(3)] * 2, "model": MLP(8), "recipe": Recipe((2,), 1),
             "seeds": [0, 1], "pretraining_tasks": [None, 5]}
    Fleet(**sound)
    with pytest.raises(InputError, match=message):
        Fleet(**sound | given)


def test_runs_share_a_fleet_where_they_differ_in_seed_rate_scoring_parameters_or_a_task_of_the_same_sizes():
    def run(rate=1e-3, n=1.5, trainable=True, width=8, task=LinearRegression(3), seed=0):
        model = Transformer(1, 2, width, scoring=SignedAveraging(n, 1.0, trainable))
        return Run(task, model, Recipe((2,), 10, learning_rate=rate), ErrorByLength((2,)), seed)

    alike = [{"rate": 1.0}, {"n": 2.0}, {"seed": 1}, {"task": SigmoidRegression(3)}]
    assert {run(**other).shape for other in alike} == {run().shape}
    others = [{"trainable": False}, {"width": 16}, {"task": SigmoidRegression(4)}, {"task": LinearClassification(3)}]
    assert len({run().shape, *(run(**other).shape for other in others)}) == 5


def test_a_member_that_diverges_is_recorded_and_the_others_do_not_notice(folders):
    wild = replace(small_fleet.RECIPE, learning_rate=1e30, steps=60)
    tame = replace(small_fleet.RECIPE, steps=60)
    together = [*small_fleet.runs(tame, seeds=(0,)), *small_fleet.runs(wild, seeds=(1,)), *small_fleet.runs(tame, seeds=(2,))]
    jobs.train_and_save(together, "smoke", folders)
    records = [find_record(run, "test") for run in together]
    assert [record.provenance.get("diverged", False) for record in records] == [False, True, False]
    alone = Fleet([LinearRegression(2, 0.1)] * 2, MLP(8), tame, [0, 2], [20, 20])
    run_steps(alone)
    errors = ErrorByLength((1, 3), 64).measure([LinearRegression(2, 0.1)] * 2,
                                               jobs.Trained(alone.module))["error"]
    for record, expected in zip((records[0], records[2]), errors):
        assert record.metrics["error"] == pytest.approx(expected.tolist(), rel=1e-4)


def test_a_fleet_prints_its_members_and_in_notebooks_its_weights():
    fleet = Trained(Transformer(1, 2, 8).build((0, 1), 2, 3))
    parameters = dict(fleet.module.named_parameters())
    first, second = repr(fleet).splitlines()
    assert first == f"Trained: 2 members of {sum(own[0].numel() for own in parameters.values()):,} parameters each"
    assert "width=8" in second
    cells = re.findall("<t[hd]>(.+?)</t[hd]>", fleet._repr_html_())
    assert cells == ["shape", *(cell for name, own in parameters.items()
                                for cell in (name, " x ".join(str(size) for size in own[0].shape)))]
