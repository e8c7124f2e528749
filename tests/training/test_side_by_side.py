"""Queries side by side, the loss on pairs, permuted pairs, probes: against plain loops."""

import pytest
import torch

from claimbook.records.errors import InputError
from icllib.baselines import Ridge
from icllib.evaluate import ErrorByLength
from icllib.models import MLP, Gaussian, Transformer
from icllib.tasks import LinearClassification, LinearRegression, side_by_side
from icllib.training import Fleet, Recipe
from icllib.training.engine import run_steps
from icllib.training.losses import recipe_losses
from icllib.training.run import Trained

TASK = LinearRegression(3, inputs="uniform")
MODEL = Transformer(2, 2, 8, mask="prefix", queries_see_themselves=False, shared_layers=True)
PROBED = Transformer(3, 2, 8, mask="prefix", queries_see_themselves=False, probes=True, scoring=Gaussian())
RECIPE = Recipe((5,), 8, 4, learning_rate=1e-2, queries=3)


def fleet(model=MODEL, task=TASK, seeds=(0, 1), steps=8, **options):
    recipe = Recipe((5,), steps, 4, learning_rate=1e-2, queries=3, **options)
    return Fleet([task] * len(seeds), model, recipe, list(seeds), [7] * len(seeds))


@pytest.mark.parametrize("task", [TASK, LinearClassification(3)], ids=str)
@pytest.mark.parametrize("on_pairs", [False, True])
def test_the_loss_equals_plain_loops(task, on_pairs):
    """Each query alone with the pairs; the outputs at pairs from a model that is read there."""
    trained = fleet(task=task, loss_on_pairs=on_pairs)
    prompt, module = trained.sample(), trained.module
    losses = recipe_losses(module, prompt, trained.recipe)
    labels = prompt.ys[..., None] if prompt.ys.dim() == 3 else prompt.ys
    squares = []
    for point in (5, 6, 7):
        kept = [0, 1, 2, 3, 4, point]
        answers = module(prompt.xs[:, :, kept], prompt.ys[:, :, kept], (5,))
        squares.append((answers.view(2, 4, -1) - labels[:, :, point]).square().mean((1, 2)))
    if on_pairs:
        squares += [answers.square().mean((1, 2)) for answers in outputs_at_pairs(module, prompt)]
    torch.testing.assert_close(losses, torch.stack(squares).mean(0), atol=1e-6, rtol=1e-5)


def outputs_at_pairs(module, prompt):
    """What the read-out makes of every pair's token, which a hook catches: (M, B, C) each."""
    seen = []
    hook = module.blocks[0].register_forward_hook(lambda block, inputs, out: seen.append(out))
    module(prompt.xs, prompt.ys, (5,), with_pairs=True)
    hook.remove()
    answers = module.read_out(module.final_norm(seen[-1]))
    return [answers[:, :, pair] for pair in range(5)]


def test_layouts():
    assert side_by_side((5, 3), 2) == ((5, 5, 3, 3), (5, 6, 3, 4))
    assert RECIPE.points == 8 and RECIPE.layout == ((5, 5, 5), (5, 6, 7))
    assert Transformer(mask="prefix").passes((4, 4, 2, 2)) == [(4, 4), (2, 2)]
    assert Transformer().passes((4, 4, 2, 2)) == [(4, 4, 2, 2)]


def test_pairs_are_permuted_anew_at_every_step_and_nothing_else_changes():
    plain, permuted = fleet(), fleet(permute_pairs=True)
    alone = fleet(permute_pairs=True, seeds=(1,))
    orders = []
    for step in range(14):  # each of the 7 stored prompts is seen eight times
        for own in (plain, permuted, alone):
            own.step.fill_(step)
        before, after = plain.sample(), permuted.sample()
        assert torch.equal(before.xs[:, :, 5:], after.xs[:, :, 5:])
        assert torch.equal(before.ys[:, :, 5:], after.ys[:, :, 5:])
        same = (before.xs[:, :, :5, None] == after.xs[:, :, None, :5]).all(-1)  # (M, B, 5, 5)
        assert (same.sum(-1) == 1).all() and (same.sum(-2) == 1).all()
        moved = (same * after.ys[:, :, None, :5]).sum(-1)
        assert torch.equal(moved, before.ys[:, :, :5])  # labels stay with their inputs
        assert all(torch.equal(ours[1], theirs[0]) for ours, theirs in zip(after, alone.sample()))
        orders += same.int().argmax(-1).flatten(0, 1).tolist()
    places = torch.tensor(orders).float()  # (112, 5), where each pair went
    assert len(set(map(tuple, orders))) > 60
    assert (places.mean(0) - 2).abs().max() < 4 * (2 / len(orders)) ** 0.5


def test_probes_do_not_change_the_model():
    without = Transformer(3, 2, 8, mask="prefix", queries_see_themselves=False, scoring=Gaussian())
    fleets = [fleet(model, loss_on_pairs=True) for model in (PROBED, without)]
    start = [parameter.clone() for parameter in fleets[0].module.probes.parameters()]
    for own in fleets:
        run_steps(own)
    probed, plain = (own.module.state_dict() for own in fleets)
    assert all(torch.equal(probed[name], value) for name, value in plain.items())
    assert len(probed) == len(plain) + 4  # weights and biases after layers 1 and 2
    moved = zip(start, fleets[0].module.probes.parameters())
    assert not any(torch.equal(*pair) for pair in moved)


@torch.no_grad()
def test_a_probe_reads_the_states_of_its_layer():
    """Given the least-squares read-out of layer 2, it leaves the least-squares error there."""
    own = fleet(PROBED, seeds=(2,), precision="fp64")
    prompt, layout = own.sample(), own.recipe.layout
    states = own.module.final_norm(list(own.module.states(prompt.xs, prompt.ys, *layout))[1])
    design = torch.cat((states[0].flatten(0, 1), torch.ones(12, 1)), 1)
    labels = prompt.ys[0, :, 5:].flatten()
    solution = torch.linalg.lstsq(design, labels, driver="gelsd").solution
    probe = own.module.probes[1]
    probe.weight.copy_(solution[:-1].view_as(probe.weight))
    probe.bias.fill_(solution[-1])
    answers = own.module.predictions_by_layer(prompt.xs, prompt.ys, *layout)[1, 0].flatten()
    left = (design @ solution - labels).square().mean()
    assert 1e-3 < left < labels.square().mean() / 2
    assert torch.isclose((answers - labels).square().mean(), left, rtol=1e-6)


def test_no_gradient_passes_a_probe():
    own = fleet(PROBED)
    prompt = own.sample()
    by_layer = own.module.predictions_by_layer(prompt.xs, prompt.ys, *own.recipe.layout)
    by_layer[:-1].sum().backward()
    reached = {name for name, value in own.module.named_parameters() if value.grad is not None
               and value.grad.any()}
    assert reached == {f"probes.{layer}.{part}" for layer in (0, 1) for part in ("weight", "bias")}


@pytest.mark.parametrize("task", [TASK, LinearClassification(3)], ids=str)
def test_errors_of_several_queries_equal_plain_loops(task):
    own = fleet(PROBED, task)
    measured = ErrorByLength((5, 2), 6, queries=3, by_layer=True).measure([task] * 2, Trained(own.module))
    metric = "wrong" if getattr(task, "classes", None) else "error"
    prompt = task.sample(own.stream.__class__(own.stream.seeds * 0, "evaluation"),
                         torch.arange(6).expand(2, -1), 8)
    for k, length in enumerate((5, 2)):
        by_query = []
        for point in range(length, length + 3):
            kept = [*range(length), point]
            answers = own.module.predictions_by_layer(prompt.xs[:, :, kept],
                                                      prompt.ys[:, :, kept], (length,))[:, :, :, 0]
            labels = prompt.ys[:, :, point]
            by_query.append((answers - labels).square() if metric == "error" else
                            (answers.argmax(-1) != labels.argmax(-1)).float())
        expected = torch.stack(by_query).mean((0, 3)).mT  # (M, layers)
        ours = torch.tensor(measured[f"{metric}_by_layer"][:, :, k])
        torch.testing.assert_close(ours.float(), expected, atol=1e-5, rtol=1e-5)
        torch.testing.assert_close(torch.tensor(measured[metric][:, k]), ours[:, -1])


@pytest.mark.filterwarnings("ignore:.*lru_cache.*")
def test_the_step_is_one_compiled_graph():
    own = fleet(PROBED, loss_on_pairs=True, permute_pairs=True)
    prompt, options = own.sample(), {"points": (5, 6, 7), "with_pairs": True}
    backend = lambda graph, inputs: graph.forward
    compiled = torch.compile(own.forward, backend=backend, fullgraph=True)
    answers = compiled(prompt.xs, prompt.ys, (5, 5, 5), **options)
    assert answers.shape == (3, 2, 4, 8)
    assert torch.equal(answers, own.forward(prompt.xs, prompt.ys, (5, 5, 5), **options))


@pytest.mark.parametrize("predictor, told", [
    (Ridge(0.1), "queries"), (Trained(MLP(8).build([0], 3, 5)), "points")], ids=["Ridge", "MLP"])
def test_what_only_decoders_answer_is_not_asked_of_others(predictor, told):
    for options, name in (({"queries": 2}, told), ({"by_layer": True}, "by_layer")):
        with pytest.raises(InputError, match=f"{name}: "):
            ErrorByLength((4,), 8, **options).measure(TASK, predictor)


def test_a_predictor_of_ones_own_is_asked_for_queries_and_layers():
    class Own:
        def predict(self, xs, ys, lengths, **points):
            return ys[..., points["points"]]

        def predict_by_layer(self, xs, ys, lengths, **points):
            return torch.stack((0 * self.predict(xs, ys, lengths, **points),
                                self.predict(xs, ys, lengths, **points)))

    found = ErrorByLength((4,), 8, queries=3, by_layer=True).measure(TASK, Own())
    assert found["error"].tolist() == [[0]]
    first, last = found["error_by_layer"][0]
    assert first > 0 and last == 0
