"""What a captured CUDA graph needs, seen without a GPU; with one, the captured step itself."""

import functools
from dataclasses import replace

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from claimbook.pages.names import all_pages
from claimbook.pages.page import runs_of
from claimbook.records import settings
from icllib.models import MLP, SGPT, Encoder, FeatureMLP, SignedAveraging, Softmax, Transformer
from icllib.streams import Stream
from icllib.tasks import LinearRegression
from icllib.training import Fleet, Recipe, Run
from icllib.training.capture import captured_step, compiled
from papers.signed_averaging.table03_babyberta import MADE

MODELS = [Transformer(1, 2, 8), Transformer(1, 2, 8, tokens="separate"), MLP(8), SGPT(1, 8),
          Transformer(1, 2, 8, scoring=SignedAveraging()), Transformer(1, 2, 8, mask="prefix"),
          Transformer(2, 2, 8, probes=True), Transformer(2, 2, 8, shared_layers=True),
          Transformer(1, 2, 8, mask="block-causal", block=2), FeatureMLP(width=8),
          Encoder(1, 2, 8, 8, Softmax()), Encoder(1, 2, 8, 8, SignedAveraging(2.0, 1.0, False))]
SAMPLE = MODELS[4:5]  # the others are compiled on demand
CASES = [pytest.param(model, marks=() if model in SAMPLE else pytest.mark.large) for model in MODELS]


def runs_of_every_kind():
    """Runs of the book with two layers at most: every kind of task and every kind of model, each
    with every kind of recipe that it has. A model does not see where its prompts come from."""
    seen = set()
    for page in all_pages():
        for run in runs_of(page)("smoke"):
            if isinstance(run, Run) and not run.recipe.loops:  # whose steps read a number, and are not captured
                if getattr(run.model, "layers", 0) > 2:
                    run = replace(run, model=replace(run.model, layers=2))
                task, model, recipe = map(kind, map(settings, (run.task, run.model, run.recipe)))
                parts = {str((task, run.pretraining_tasks is None, recipe)),
                         str((model, getattr(run.task, "classes", None), recipe))}
                if not parts <= seen:
                    yield pytest.param(run, id=f"{page}, {type(run.task).__name__}")
                seen |= parts


def kind(value):
    """Settings without sizes: of a number whether it is 0, of numbers in a row whether they are
    one and whether they follow each other."""
    if isinstance(value, dict):
        return {name: kind(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        if value and all(type(item) is int for item in value):
            return len(value) == 1, [*value] == [*range(value[0], value[0] + len(value))]
        return [kind(item) for item in value]
    return value != 0 if type(value) in (int, float) else value


def small_fleet(model, device="cpu"):
    if isinstance(model, Encoder):
        recipe = Recipe((12,), 4, 4, loss="masked tokens")
        task = replace(MADE, hidden=1e-9)  # one in each sentence: batches of one shape, as on a GPU
        return Fleet([task] * 2, model, recipe, [0, 1], [None] * 2, device)
    tasks, recipe = [LinearRegression(4)] * 2, Recipe((2, 5), 4, 4)
    fleet = Fleet(tasks, model, recipe, [0, 1], [100, 7], device)
    fleet.cpu_step = None  # what a GPU compiles is PyTorch's step
    return fleet


def parameters_after(steps, fleet, take_step):
    for _ in range(steps):
        take_step()
    return torch.cat([parameter.detach().flatten(1) for parameter in fleet.parameters], dim=1)


RAN = set()  # compiled graphs, those of earlier tests among them: each takes seconds


def backend(graph, inputs, options=None):
    """Everything but the code generator, which wants a GPU."""
    from torch._dynamo.backends.debugging import aot_eager

    run = aot_eager(graph, inputs)

    def noted(*given):
        RAN.add(graph)
        return run(*given)

    return noted


@pytest.fixture
def graphs(monkeypatch):
    RAN.clear()
    monkeypatch.setattr(torch, "compile", functools.partial(torch.compile, backend=backend, fullgraph=True))
    return RAN


@pytest.mark.filterwarnings("ignore:.*lru_cache.*")
@pytest.mark.parametrize("model", CASES, ids=str)
def test_a_compiled_fleet_takes_the_same_steps(model, graphs):
    plain, fleet = small_fleet(model), small_fleet(model)
    expected = parameters_after(3, plain, plain.take_step)
    with compiled(fleet):
        own = parameters_after(3, fleet, fleet.take_step)
    assert graphs
    torch.testing.assert_close(own, expected, rtol=1e-5, atol=1e-7)
    assert torch.equal(fleet.sample()[0], plain.sample()[0])
    assert "forward" not in vars(fleet.module)


@pytest.mark.parametrize("options", [
    {"scoring": SignedAveraging()}, pytest.param({}, marks=pytest.mark.large),
    pytest.param({"tokens": "separate"}, marks=pytest.mark.large)], ids=str)
def test_layers_that_are_alike_are_compiled_once(options, graphs):
    of = {}
    for layers in (2, 4):
        graphs.clear()
        fleet = small_fleet(Transformer(layers, 2, 8, **options))
        with compiled(fleet):
            fleet.take_step()
        of[layers] = graphs.copy()
    assert len(of[2] - of[4]) == len(of[4] - of[2]) == 1  # what is done to gradients


@pytest.mark.filterwarnings("ignore:.*lru_cache.*")
def test_compiled_random_numbers_are_few_graphs_with_the_same_bits(graphs):
    torch.compiler.reset()
    fleet = small_fleet(MLP(8))
    ids, words = fleet.ids(), fleet.stream.words(fleet.ids(), "name", 9)
    with compiled(fleet):
        fleet.block = None
        assert torch.equal(fleet.ids(), ids)
        assert torch.equal(fleet.stream.words(ids, "name", 9), words)
    assert 0 < len(graphs) <= 3  # shapes of equal rank share one


def test_an_option_that_a_version_lacks_is_left_out(monkeypatch):
    real, given = torch._inductor.list_options(), []
    older = [name for name in real if name != "combo_kernel_max_num_nodes"]  # as in PyTorch 2.11
    monkeypatch.setattr(torch._inductor, "list_options", lambda: older)
    monkeypatch.setattr(torch, "compile", lambda function, **options: given.append(options) or function)
    with compiled(small_fleet(MODELS[0])):
        assert {"combo_kernels": True} in [options.get("options") for options in given]


def test_the_end_of_a_process_waits_for_no_compile_workers(graphs, monkeypatch):
    from torch._inductor.async_compile import shutdown_compile_workers

    gone = []
    monkeypatch.setattr("atexit.unregister", gone.append)
    with compiled(small_fleet(MODELS[0])):
        assert gone == [shutdown_compile_workers]


class OnMeta(TorchDispatchMode):
    """Refuses to touch a tensor that is elsewhere, whose copy would break a captured graph."""

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        out = function(*args, **(kwargs or {}))
        for tensor in tree_leaves((args, kwargs, out)):
            if isinstance(tensor, torch.Tensor) and not tensor.is_meta:
                raise AssertionError(f"{function} touched {tensor.device}")
        return out


def refused(*arguments, **options):
    raise AssertionError("a tensor was made from Python values inside a step")


class NoOptimizer:
    """PyTorch's own has no fused step for a device without numbers."""

    def __init__(self, parameters, **options):
        self.state, self.param_groups = {parameter: {} for parameter in parameters}, []

    def step(self):
        pass


def cheaper(counter, key):
    """In place of Philox, whose 130 operations are slow on "meta": reads all that Philox reads."""
    return [sum((*counter, *key))] * 4


def test_random_numbers_touch_nothing_outside_their_device(monkeypatch):
    stream, ids = Stream.of([0, 1], "training", "meta"), torch.zeros(2, 3, device="meta").long()
    monkeypatch.setattr(torch, "tensor", refused)
    with OnMeta():
        assert stream.words(ids, "name", 9).shape == (2, 3, 9)


@pytest.mark.parametrize("run", [
    run if place % 3 == 0 else pytest.param(*run.values, id=run.id, marks=pytest.mark.large)
    for place, run in enumerate(runs_of_every_kind())])
def test_a_warm_step_touches_nothing_outside_its_device(run, monkeypatch):
    """On PyTorch's device "meta", where what needs a number fails."""
    monkeypatch.setattr(torch.optim, "AdamW", NoOptimizer)
    monkeypatch.setattr(Stream.__init__, "__defaults__", (cheaper,))
    monkeypatch.setattr(Fleet, "check", lambda fleet: None)  # which reads numbers, before training
    monkeypatch.setattr(torch, "allclose", lambda *values, **options: True)  # as a module of one's own when built
    fleet = Fleet([run.task] * 2, run.model, run.recipe, [0, 1], [run.pretraining_tasks] * 2,
                  "meta", [run.recipe.learning_rate, 2 * run.recipe.learning_rate])
    fleet.take_step()
    for name in ("tensor", "as_tensor", "from_numpy"):  # on "meta" they do not touch the host
        monkeypatch.setattr(torch, name, refused)
    with OnMeta():
        fleet.take_step()


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize("model", MODELS, ids=str)
def test_the_captured_step_is_the_plain_one(model, capsys):
    plain, fleet = small_fleet(model, "cuda"), small_fleet(model, "cuda")
    start = parameters_after(0, plain, plain.take_step)
    take_step = captured_step(fleet)
    assert "no compiled step" not in capsys.readouterr().err
    expected = parameters_after(4, plain, plain.take_step)
    assert_same_way(parameters_after(4, fleet, take_step), expected, start)
    assert torch.equal(fleet.losses[:4].isfinite(), plain.losses[:4].isfinite())


def assert_same_way(own, expected, start):
    """Equal up to a hundredth of the way that the parameters went."""
    assert (own - expected).norm() < 0.01 * (expected - start).norm()
