"""The compiled step of a decoder against autograd and PyTorch's AdamW, and where it is left out."""

import ctypes
import dataclasses
import math
import pickle
import platform
import random
import subprocess
from dataclasses import replace

import pytest
import torch

from claimbook.records.errors import InputError
from icllib.evaluate import ErrorByLength
from icllib.models import (MLP, SGPT, SSMax, Gaussian, Relu, SignedAveraging, Softmax, Square,
                           Transformer, Uniform)
from icllib.streams import Stream
from icllib.tasks import AffineFunctions, LinearClassification, LinearRegression, TwoNoiseLevels
from icllib.training import Curriculum, Fleet, Recipe, Trained, cpu_step

SCORINGS = (Softmax(), Softmax(3.0), SignedAveraging(), SignedAveraging(2.0, 0.5),
            SignedAveraging(1.0, 1.0, trainable=False), SSMax(), Gaussian(), Relu(), Uniform())
RECIPE = Recipe((1, 3, 4), steps=200, batch=4, learning_rate=1e-3, schedule="cosine", warmup=0.1)
TASK = LinearRegression(3, 0.1)
DECODER = Transformer(2, 2, 16)


def fleet_of(model=DECODER, recipe=RECIPE, members=2, task=TASK, **options):
    return Fleet([task] * members, model, recipe, range(members), [None] * members, **options)


def without_compiled_step(fleet):
    fleet.cpu_step = None
    return fleet


def random_setting(number):
    """A decoder, a recipe and a task that go together."""
    pick = random.Random(number).choice
    heads = pick((1, 2, 3))
    model = Transformer(
        pick((1, 2, 3)), heads, heads * pick((4, 5, 16)), pick(SCORINGS), positions=pick(("learned", "none")),
        attention=pick((True, True, False)), shared_layers=pick((False, False, True)),
        normalize_stream=pick((False, False, True)), final_norm=pick((True, True, False)),
        attention_width=pick((None, None, heads * 6)), tokens=pick(("joint", "joint", "separate", "inputs")))
    model = replace(model, probes=pick((False, False, True)), read_out_rate=pick((1.0, 10.0)),
                    perceptron=not model.attention or pick((True, True, False)))
    recipe = replace(RECIPE, lengths=pick(((0, 2, 9), (4, 17, 20), (3, 1, 7), (5,))), batch=pick((3, 7)))
    task = LinearRegression(pick((1, 3)), 0.1)
    if model.tokens == "joint":
        model = replace(model, mask=pick(("causal", "prefix", "block-causal")),
                        queries_see_themselves=0 in recipe.lengths or pick((True, False)))
        model = replace(model, block=pick((1, 3)) if model.mask == "block-causal" else 1)
        task = pick((task, LinearClassification(3)))
        if len(recipe.lengths) == 1:
            recipe = replace(recipe, queries=pick((1, 4)), loss_on_pairs=pick((True, False)))
            model = replace(model, query_positions=pick((1, 2)))
    if not recipe.loss_on_pairs:
        if recipe.queries == 1 and min(recipe.lengths) < 4 and pick((True, False)):
            recipe = replace(recipe, curriculum=Curriculum(5, 1, 10))
        if hasattr(task, "classes"):
            recipe = replace(recipe, loss=pick(("squared", "cross-entropy")))
    return model, recipe, task


def difference(fleet, move=0.2):
    """The compiled gradients against autograd's, relative in norm, after a random move; and of the losses."""
    numbers = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for own in fleet.parameters:
            own += move * torch.randn(own.shape, generator=numbers)
    prompt = fleet.sample()
    losses = fleet.losses_on(prompt)
    expected = torch.autograd.grad(losses.sum(), fleet.parameters)
    own = fleet.cpu_step.losses(prompt)
    assert torch.allclose(own, losses, rtol=1e-5)
    squares = sum((one - other).square().sum() for one, other in zip(fleet.cpu_step.gradients, expected))
    return (squares / sum(gradient.square().sum() for gradient in expected)).sqrt().item()


@pytest.mark.parametrize("number", range(24))
def test_gradients_and_answers_of_a_random_setting_are_those_of_autograd_and_of_the_module(number):
    model, recipe, task = random_setting(number)
    assert difference(fleet := fleet_of(model, recipe, task=task)) < 1e-5
    assert_same_answers(fleet.module, task, *recipe.layout)


def test_answers_follow_a_module_that_is_changed():
    """The rounds of shared layers, the temperature of every softmax, and another scoring."""
    module = fleet_of(replace(DECODER, shared_layers=True)).module
    prompt = TASK.sample(Stream.of([3, 4], "evaluation"), torch.arange(8).expand(2, -1), 5)
    compiled, found = cpu_step.Compiled(module), []
    with torch.no_grad():
        module.blocks[0].qkv.weight *= 9  # so that the scores matter
        for change in (lambda: None, lambda: setattr(module, "repeats", 5),
                       lambda: module.blocks[0].scoring.temperature.mul_(3),
                       lambda: setattr(module.blocks[0], "scoring", fleet_of(replace(
                           DECODER, scoring=Uniform())).module.blocks[0].scoring)):
            change()
            found.append(compiled.answers(prompt.xs, prompt.ys, (1, 4)))
            assert torch.allclose(found[-1], module(prompt.xs, prompt.ys, (1, 4)), rtol=1e-4, atol=1e-6)
    assert all((one - other).abs().max() > 1e-4 for one, other in zip(found, found[1:]))


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="others are as fast with them")
def test_numbers_below_what_a_processor_is_fast_with_are_0():
    """With them the step of a model took 16 times as long. PyTorch's own stay as they are."""
    module = fleet_of().module
    prompt = TASK.sample(Stream.of([3, 4], "evaluation"), torch.arange(8).expand(2, -1), 5)
    with torch.no_grad():
        module.read_out.weight.fill_(1e-40)
        module.read_out.bias.zero_()
        assert not cpu_step.Compiled(module).answers(prompt.xs, prompt.ys, (1, 4)).any()
    assert module.read_out.weight.mul(2).all()


def assert_same_answers(module, task, lengths, points):
    """Of 300 prompts, more than go through the layers at a time."""
    numbers = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for own in module.parameters():
            own += 0.2 * torch.randn(own.shape, generator=numbers)
        prompt = task.sample(Stream.of([3, 4], "evaluation"), torch.arange(300).expand(2, -1), max(points) + 1)
        options = {} if points == lengths else {"points": points}
        expected = module(prompt.xs, prompt.ys, lengths, **options)
        compiled = cpu_step.Compiled(module)
        for _ in range(2):  # the second time with the passes that are there
            own = compiled.answers(prompt.xs, prompt.ys, lengths, **options)
            assert own.shape == expected.shape
            assert (own - expected).norm() < 1e-5 * expected.norm()
        with pytest.raises((RuntimeError, TypeError)):  # PyTorch's: the library knows no shapes
            compiled.answers(prompt.xs.repeat(1, 1, 1, 2), prompt.ys, lengths, **options)


def test_the_library_answers_only_where_nothing_else_is_to_see_the_layers(monkeypatch):
    module = fleet_of().module
    monkeypatch.setattr(torch, "get_num_threads", lambda: 1)
    monkeypatch.setattr(cpu_step, "made_before", lambda: True)
    assert not cpu_step.stands_in(module)  # with gradients
    with torch.no_grad():
        assert cpu_step.stands_in(module)
        hook = module.blocks[0].register_forward_hook(lambda *given: None)
        assert not cpu_step.stands_in(module)
        hook.remove()
        assert cpu_step.stands_in(module) and not cpu_step.stands_in(fleet_of(MLP(8)).module)
        module.blocks[0].forward = module.blocks[0].forward
        assert not cpu_step.stands_in(module)
        mixed = fleet_of().module
        mixed.blocks[0].scoring = fleet_of(replace(DECODER, scoring=Uniform())).module.blocks[0].scoring
        assert not cpu_step.stands_in(mixed)
        assert not cpu_step.stands_in(fleet_of().module.double())
    monkeypatch.setattr(torch, "get_num_threads", lambda: 2)
    with torch.no_grad():
        assert not cpu_step.stands_in(fleet_of().module)


def test_a_trained_fleet_answers_alike_with_and_without_the_library(monkeypatch):
    """What is measured, and that too long a prompt is refused by name."""
    trained, evaluation = Trained(fleet_of().module), ErrorByLength((1, 4), 300)
    monkeypatch.setattr(torch, "get_num_threads", lambda: 1)
    found = {}
    for there in (True, False):
        monkeypatch.setattr(cpu_step, "made_before", lambda: there)
        found[there] = evaluation.measure([TASK] * 2, trained)["error"]
        assert trained.compiled.passes
        assert not pickle.loads(pickle.dumps(trained)).compiled.passes  # which hold addresses
    assert found[True] == pytest.approx(found[False], rel=1e-5) and (found[True] != found[False]).any()
    monkeypatch.setattr(cpu_step, "made_before", lambda: True)
    with pytest.raises(InputError, match="at most 4 pairs"):
        ErrorByLength((5,), 8).measure([TASK] * 2, trained)


@pytest.mark.parametrize("scoring, known", [(Softmax(3.0), True), (Gaussian(), True), (SignedAveraging(), False)])
@pytest.mark.parametrize("lengths, queries", [((1,), 1), ((2,), 3), ((20,), 2), ((4, 9), 1)])
def test_a_pair_that_does_not_see_itself(scoring, known, lengths, queries):
    """The step of a leave-one-out mask; where the scoring has no room for one, PyTorch's must do."""
    model = Transformer(2, 2, 8, scoring, mask="leave-one-out", queries_see_themselves=False)
    fleet = fleet_of(model, replace(RECIPE, lengths=lengths, queries=queries, loss_on_pairs=len(lengths) == 1))
    assert bool(fleet.cpu_step) == known
    if known:
        assert difference(fleet) < 1e-5
        assert_same_answers(fleet.module, TASK, *fleet.recipe.layout)


@pytest.mark.parametrize("field", dataclasses.fields(Transformer)[3:], ids=lambda field: field.name)
def test_no_option_of_a_decoder_is_overlooked(field):
    """One that the compiled step does not know leaves training to PyTorch. A new option belongs here."""
    other = {"scoring": SignedAveraging(), "tokens": "separate", "positions": "none", "mask": "prefix",
             "positions_up_to": 9, "block": 2, "query_positions": 2, "attention_width": 6, "read_out_rate": 10.0,
             "normalization": "rms", "activation": "swiglu"}
    value = other[field.name] if field.name in other else not field.default
    needed = {"mask": "block-causal"} if field.name == "block" else {}
    fleet = fleet_of(replace(DECODER, **{field.name: value} | needed),
                     replace(RECIPE, lengths=(4,), queries=2 if field.name == "query_positions" else 1))
    assert fleet.cpu_step is None or difference(fleet) < 1e-5


LOOPED = replace(DECODER, shared_layers=True), replace(RECIPE, loops=(1, 4))


def test_loops_are_drawn_anew_at_every_step_and_both_steps_take_them():
    counts = LOOPED[1].loops_drawn()
    assert {counts.count(own) > 30 for own in (1, 2, 3, 4)} == {True} and len(counts) == 200
    fleet, other = fleet_of(*LOOPED), without_compiled_step(fleet_of(*LOOPED))
    for count in counts[:6]:
        with fleet.module.repeated(count):
            assert difference(fleet, 0.02) < 1e-5
    for own in (fleet, other):
        for layer in own.module.blocks:
            layer.register_forward_hook(lambda *_: applied.append(1))
    applied = []
    with torch.no_grad():
        for one, two in zip(fleet.parameters, other.parameters):
            two.copy_(one)
    for _ in range(6):
        fleet.take_step()
        other.take_step()
    assert len(applied) == sum(counts[:6]) and fleet.module.repeats == DECODER.layers
    assert torch.allclose(fleet.losses[:6], other.losses[:6], rtol=1e-4)


@pytest.mark.parametrize("model, loops", [(LOOPED[0], (4, 1)), (DECODER, (1, 4)),
                                          (replace(LOOPED[0], probes=True), (1, 4))], ids=str)
def test_loops_that_a_model_cannot_draw_are_refused(model, loops):
    with pytest.raises(InputError, match="loops: expected"):
        fleet_of(model, replace(RECIPE, loops=loops))


@pytest.mark.parametrize("skip", [True, False])
@pytest.mark.parametrize("normalization", ["l1", "absolute", "none"])
@pytest.mark.parametrize("layers, width, lengths", [(1, 5, (4, 1, 2)), (3, 16, (17, 3))])
def test_gradients_and_answers_of_sgpt_are_those_of_autograd_and_of_the_module(layers, width, lengths, normalization, skip):
    recipe = replace(RECIPE, lengths=lengths, curriculum=Curriculum(20, 1, 10))
    assert difference(fleet := fleet_of(SGPT(layers, width, normalization, skip), recipe), move=0.05) < 1e-5
    assert_same_answers(fleet.module, TASK, *recipe.layout)


@pytest.mark.parametrize("model, recipe, rates", [
    (replace(DECODER, tokens="separate"), replace(RECIPE, steps=80), None),
    (replace(DECODER, scoring=SignedAveraging()),
     replace(RECIPE, steps=80, clip=0.5, weight_decay=0.1, curriculum=Curriculum(2, 1, 12)), [1e-3, 3e-3])], ids=str)
def test_many_steps_follow_pytorch(model, recipe, rates):
    own, other = fleet_of(model, recipe, learning_rates=rates), fleet_of(model, recipe, learning_rates=rates)
    without_compiled_step(other)
    for step in range(recipe.steps):
        own.take_step()
        other.take_step()
        assert torch.allclose(own.losses[step % 100], other.losses[step % 100], rtol=1e-4)


def test_the_same_bits_from_run_to_run_and_alone():
    runs = [fleet_of(members=2), fleet_of(members=2), fleet_of(members=1)]
    for fleet in runs:
        for _ in range(5):
            fleet.take_step()
    first, again, alone = (fleet.parameters for fleet in runs)
    assert all(map(torch.equal, first, again))
    assert all(torch.equal(one[:1], own) for one, own in zip(first, alone))


@pytest.mark.parametrize("value", [math.nan, 1e30])
@pytest.mark.parametrize("scoring", SCORINGS[:3:2], ids=str)
@pytest.mark.parametrize("name", ["blocks.0.qkv.weight", "read_out.bias"])
def test_a_member_that_overflows_is_frozen(name, scoring, value):
    fleet = fleet_of(replace(DECODER, scoring=scoring))
    with torch.no_grad():
        fleet.module.get_parameter(name)[1] = value
    without = without_compiled_step(fleet_of(replace(DECODER, scoring=scoring)))
    without.module.load_state_dict(fleet.module.state_dict())
    for _ in range(2):
        fleet.take_step()
        without.take_step()
    assert fleet.alive.tolist() == without.alive.tolist()
    assert all(own[0].isfinite().all() for own in fleet.parameters)


def test_a_training_goes_on_from_a_state_of_the_other_step():
    one, other = fleet_of(), without_compiled_step(fleet_of())
    for fleet, then in ((one, without_compiled_step(fleet_of())), (other, fleet_of())):
        for _ in range(3):
            fleet.take_step()
        then.load(fleet.tensors())
        for _ in range(3):
            fleet.take_step()
            then.take_step()
        assert torch.allclose(fleet.losses[:6], then.losses[:6], rtol=1e-5)


@pytest.mark.parametrize("task", [TASK, TwoNoiseLevels(2), LinearClassification(3), AffineFunctions()],
                         ids=str)
@pytest.mark.parametrize("stored", [(None, None), (5, None), (7, 9)], ids=str)
def test_prompts_of_several_steps_are_those_of_each(task, stored):
    fleet, plain = (Fleet([task] * 2, DECODER, RECIPE, [0, 1], list(stored)) for _ in range(2))
    plain.stream = Stream.of([0, 1], "training")
    for step in range(23):
        assert all(map(torch.equal, fleet.cpu_step.prompt(), plain.sample()))
        fleet.step += 1
        plain.step += 1


@pytest.fixture
def changed(monkeypatch, tmp_path):
    """Compiles the source with one text in place of another, for the fleets of a test."""
    def change(old, new):
        source = cpu_step.SOURCE.read_text("utf-8")
        assert source.count(old) == 1
        monkeypatch.setattr(cpu_step, "SOURCE", tmp_path / "changed.cpp")
        cpu_step.SOURCE.write_text(source.replace(old, new), "utf-8")
        quick = ("-O1" if option == "-O3" else option for option in cpu_step.OPTIONS)
        monkeypatch.setattr(cpu_step, "OPTIONS", tuple(quick))
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
        cpu_step.library.cache_clear()

    yield change
    cpu_step.library.cache_clear()


LEAVE_ONE_OUT = dict(model=replace(DECODER, mask="leave-one-out"), recipe=replace(RECIPE, lengths=(4,)))
FAULTS = {
    "a pair that sees itself": ("if (sees_itself[t] < 0) row[t] = -infinity;", ""),
    "a mask off by one": ("return seen[token[r]] + (sees_itself[token[r]] > 0);",
                          "return std::max(1, seen[token[r]] - 1);"),
    "no slope at 0": ("d_score *= (head.n * head.b) * share;",
                      "d_score *= (head.n * head.b) * share * (absolute(z) > 1e-2f ? all(1) : Vector{});"),
    "a bias left out": ("store(own, load(own) + load(bias + j));", "store(own, load(own));"),
    "another epsilon": ("/ width + 1e-5f", "/ width + 2e-5f")}


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_found(name, changed):
    changed(*FAULTS[name])
    options = LEAVE_ONE_OUT if "itself" in name else dict(
        model=replace(DECODER, scoring=SignedAveraging(), tokens="separate"))
    with pytest.raises(AssertionError):
        assert difference(fleet_of(**options)) < 1e-5


def test_functions_are_those_of_the_library(changed):
    changed('extern "C" {\n', 'extern "C" {\nvoid evaluate(const float* x, float* y, int n) {'
            "  for (int i = 0; i < n; i += lanes) store(y + i, exponential(load(x + i))),"
            " store(y + n + i, logarithm_of_1_plus(absolute(load(x + i))));"
            "}\n")
    x = torch.cat([torch.linspace(-87, 88, 4096), 10.0 ** torch.linspace(-30, 30, 4096)])[:8192]
    found = torch.empty(2, len(x))
    cpu_step.library().evaluate(ctypes.c_void_p(x.data_ptr()), ctypes.c_void_p(found.data_ptr()), len(x))
    exact = x.double().clamp(max=88).exp(), x.double().abs().log1p()
    for own, expected in zip(found, exact):
        assert ((own - expected).abs() / expected).max() < 2.5e-7


@pytest.mark.parametrize("compiler", ["", "false", "no-such-compiler"])
def test_without_a_compiler_pytorch_trains_and_this_is_said_once(compiler, monkeypatch, tmp_path, capsys):
    expected = without_compiled_step(fleet_of())
    monkeypatch.setenv("CXX", compiler)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    cpu_step.library.cache_clear()
    try:
        fleets = [fleet_of(), fleet_of()]
    finally:
        cpu_step.library.cache_clear()
    said = capsys.readouterr().err
    assert said.count("icllib: ") == said.count("\n") == 1 and "install g++ or clang++" in said
    for fleet in (expected, *fleets):
        assert fleet.cpu_step is None
        fleet.take_step()
    assert all(map(torch.equal, expected.parameters, fleets[0].parameters))


@pytest.mark.parametrize("model, recipe", [
    (MLP(8), RECIPE), (DECODER, replace(RECIPE, precision="fp64")),
    *((replace(DECODER, **own), RECIPE) for own in (
        {"scoring": Square()}, {"positions": "rotary"}, {"normalization": "rms"}, {"normalization": "none"},
        {"activation": "swiglu"}))], ids=str)
def test_other_models_train_as_before(model, recipe):
    assert fleet_of(model, recipe).cpu_step is None


def test_half_a_library_is_never_loaded(monkeypatch, tmp_path):
    """A compiler that stops half way leaves nothing in the cache."""
    stops = tmp_path / "stops"
    stops.write_text('#!/bin/sh\nfor last in "$@"; do [ "$before" = -o ] && echo half > "$last"\n'
                     'before=$last; done\n[ "$1" = --version ]\n', "utf-8")
    stops.chmod(0o755)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with pytest.raises(subprocess.CalledProcessError):
        cpu_step.compiled_library(str(stops))
    assert not [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]
