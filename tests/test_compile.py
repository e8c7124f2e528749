"""What a captured CUDA graph needs: no tensor is made from Python values inside a step."""

import pytest
import torch

from icllib.models import (MLP, SGPT, Encoder, FeatureMLP, LinearAttention, SignedAveraging,
                           Softmax, Transformer)
from icllib.papers.signed_averaging.babyberta import MADE
from icllib.tasks import LinearRegression
from icllib.training import Fleet, Recipe

MODELS = [Transformer(1, 2, 8), Transformer(1, 2, 8, tokens="separate"), MLP(8), SGPT(1, 8),
          Transformer(1, 2, 8, scoring=SignedAveraging()), Transformer(1, 2, 8, mask="prefix"),
          FeatureMLP(width=8), LinearAttention()]
# "to" another type is a kernel like any other; to another device it is a copy.
MAKERS = {"tensor", "as_tensor", "from_numpy", "to", "cuda", "cpu", "item", "tolist", "tril"}


def small_fleet(model):
    return Fleet([LinearRegression(4)] * 2, model, Recipe((2, 5), 4, 4), [0, 1], [None, 7])


def check_one_graph(module, *inputs):
    called = set()

    def backend(graph, inputs):
        called.update(getattr(node.target, "__name__", node.target) for node in graph.graph.nodes
                      if node.op.startswith("call")
                      and not any(isinstance(value, torch.dtype) for value in node.args))
        return graph.forward

    expected = module(*inputs)
    compiled = torch.compile(module, backend=backend, fullgraph=True)
    assert torch.equal(compiled(*inputs), expected)
    assert called and not called & MAKERS


@pytest.mark.filterwarnings("ignore:.*lru_cache.*")
@pytest.mark.parametrize("model", MODELS, ids=str)
def test_a_compiled_module_is_one_graph_that_makes_no_constants(model):
    fleet = small_fleet(model)
    xs, ys, _ = fleet.sample()
    check_one_graph(fleet.module, xs, ys, (2, 5))


@pytest.mark.parametrize("scoring", [Softmax(), SignedAveraging(2.0, 1.0, False)], ids=str)
def test_a_compiled_encoder_is_one_graph_with_its_dropout(scoring):
    recipe = Recipe((12,), 4, 4, loss="masked tokens")
    fleet = Fleet([MADE] * 2, Encoder(1, 2, 8, 8, scoring), recipe, [0, 1], [None] * 2)
    batch = fleet.sample()
    check_one_graph(fleet.module, batch.tokens, batch.places, batch.ids)


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_a_step_makes_nothing_from_python_values_once_it_is_warm(model, monkeypatch):
    fleet = small_fleet(model)
    fleet.take_step()

    def refuse(*arguments, **options):
        raise AssertionError("a tensor was made from Python values inside a step")

    for name in ("tensor", "as_tensor", "from_numpy"):
        monkeypatch.setattr(torch, name, refuse)
    monkeypatch.setattr(torch.Tensor, "item", refuse)
    monkeypatch.setattr(torch.Tensor, "tolist", refuse)
    fleet.take_step()
