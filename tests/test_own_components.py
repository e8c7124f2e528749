"""What a researcher's own components may get wrong, and is told; ordinary modules train as a fleet."""

import importlib
import sys
from dataclasses import dataclass, field, replace
from functools import partial
from typing import ClassVar

import pytest
import torch
from torch import nn

import icllib
from claimbook.records import find_record
from claimbook.records.errors import InputError
from icllib import attention
from icllib.baselines import LeastSquares, Zero
from icllib.evaluate import ErrorByLength
from icllib.models import MLP, Transformer
from icllib.models.mixing import Weighted
from icllib.models.own import Module
from icllib.models.scoring import Plain
from icllib.tasks import LinearRegression, Prompt, Quantifier
from icllib.training import Fleet, Recipe, Run, Trained, jobs, train

from small_fleet import metrics_of, runs

TASK, RECIPE = LinearRegression(2, 0.5), Recipe((2, 4), steps=2, batch=4)


def scoring(weigh):
    return dataclass(frozen=True)(type("Own", (Plain,), {
        "weigh": staticmethod(weigh), "version": 1, "__annotations__": {"version": ClassVar[int]}}))()


LEAKS = {  # most give masked places no weight, and yet let what is there through, or hang on more than scores
    "hidden scores": lambda z, mask: z**3, "the mask": lambda z, mask: mask, "nothing": lambda z, mask: None,
    "of another shape": lambda z, mask: z.masked_fill(~mask, 0).sum(-1),
    "writes into the mask": lambda z, mask: attention.softmax(z, mask.fill_(True)) * attention.causal_pairs(len(mask)),
    "writes into the scores": lambda z, mask: attention.softmax(z.mul_(2), mask),
    "draws": lambda z, mask: attention.softmax(z + torch.randn(1), mask) * torch.rand(1),
    "normalized before the mask": lambda z, mask: z.softmax(-1) * mask,
    "less the mean of all": lambda z, mask: torch.where(mask, z - z.mean(-1, keepdim=True), 0),
    "less the mean of the models": lambda z, mask: attention.softmax(z - z.mean(0), mask),
    "times the largest of the prompts": lambda z, mask: attention.softmax(
        z * z.amax(1, keepdim=True), mask),
    "of no number": lambda z, mask: torch.where(mask, z.sqrt(), 0),
    "without gradients": lambda z, mask: attention.softmax(z.detach(), mask),
    "of a parameter": lambda z, mask: attention.softmax(z * torch.ones(1, requires_grad=True), mask),
}


@pytest.mark.parametrize("weigh", LEAKS.values(), ids=LEAKS)
def test_weights_of_what_is_not_visible_are_refused(weigh):
    model = Transformer(1, 2, 8, scoring=scoring(weigh))
    with pytest.raises(InputError, match="Own.weigh: "):
        model.build([0, 1], 2, 4)


def test_a_scoring_that_keeps_to_its_row_is_taken():
    weigh = lambda z, mask: attention.by_absolute_sum(z.relu() ** 3, mask)
    assert Transformer(1, 2, 8, scoring=scoring(weigh)).build([0, 1], 2, 4)


@dataclass(frozen=True)
class Changed(MLP):
    """A perceptron on prompts, whose module is changed after it was built."""

    change: object = None

    def build(self, *sizes):
        module = super().build(*sizes)
        self.change(module)
        return module


def answering(change):
    def wrap(module):
        own = module.forward
        module.forward = lambda *prompt: change(own(*prompt))
    return wrap


def peek(module):
    """Let it read the label that is asked for, in place of the last one that is shown."""
    own = module.forward
    module.forward = lambda xs, ys, lengths: own(xs, torch.cat((ys[:, :, 1:], ys[:, :, :1]), dim=2), lengths)


@pytest.mark.parametrize("change, message", [
    (peek, "answers after 2 pairs to depend on these alone"),
    (lambda module: setattr(module, "again", next(module.parameters())),
     "each parameter under one name, got .* of Changed"),
    (lambda module: module.register_buffer("scale", torch.tensor(1.0)),
     r"a first axis of 1 members, got scale \(\) of Changed"),
    (lambda module: module.register_parameter("idle", torch.nn.Parameter(torch.ones(1))),
     "a loss that depends on each parameter, got idle"),
    (lambda module: module.requires_grad_(False), "a module with parameters to train")])
def test_a_model_that_could_not_be_measured_or_kept_is_refused(change, message):
    with pytest.raises(InputError, match=f"model: expected .*{message}"):
        train(TASK, Changed(16, change=change), RECIPE, [0])


def test_models_that_differ_in_what_their_modules_do_not_hold_are_refused():
    @dataclass(frozen=True)
    class Tempered(Plain):
        temperature: float = field(default=1.0, metadata={"per_member": True})
        version: ClassVar[int] = 1

        def build(self, draw, heads):
            return Weighted(lambda z, mask: attention.softmax(z / self.temperature, mask))

    models = [Transformer(1, 2, 8, scoring=Tempered(value)) for value in (1.0, 9.0)]
    with pytest.raises(InputError, match="model: "):
        Fleet([TASK] * 2, models[0], RECIPE, [0, 1], [None] * 2, models=models)


@pytest.mark.parametrize("change, got", [
    (lambda answers: answers[..., :1], r"\(1, [14], 1\)"), (lambda answers: answers.sum(), r"\(\)"),
    (lambda answers: answers[..., None], r"\(1, [14], 2, 1\)")])
@pytest.mark.parametrize("loss", ["squared", "cross-entropy"])
def test_predictions_of_another_shape_are_refused(change, got, loss):
    model, refused = Changed(4, change=answering(change)), rf"predictions: expected a shape .* got {got}"
    task = TASK if loss == "squared" else Quantifier("every")  # whose labels are 0 and 1
    with pytest.raises(InputError, match=refused):
        train(task, model, replace(RECIPE, loss=loss), [0], [None])
    with pytest.raises(InputError, match=refused):
        ErrorByLength((2, 4), prompts=4).measure(task, Trained(model.build([0], task.dimension, 4)))


def test_members_that_mix_are_refused():
    mixing = Changed(4, change=answering(lambda found: found.mean(0, keepdim=True).expand(len(found), -1, -1)))
    train(TASK, mixing, RECIPE, [0], [None])
    with pytest.raises(InputError, match="expected members that do not mix"):
        train(TASK, mixing, RECIPE, [0, 1], [None, None])


def test_a_trained_model_answers_without_dropout():
    def drop(module):
        module.dropout = torch.nn.Dropout(0.5)
        answering(module.dropout)(module)

    trained = Trained(train(TASK, Changed(8, change=drop), RECIPE, [0]))
    first, again = (ErrorByLength((2,), prompts=8).measure([TASK], trained) for _ in range(2))
    assert first["error"] == again["error"]


@dataclass(frozen=True)
class Careless(LinearRegression):
    """Prompts of another type than a Prompt, or of other numbers."""

    change: object = None
    version: ClassVar[int] = 1

    def sample(self, *sizes):
        return self.change(super().sample(*sizes))


@pytest.mark.parametrize("change, message", [
    (tuple, "expected a Prompt of tensors, got tuple"),
    (list, "expected a Prompt of tensors, got list"),
    (lambda prompt: None, "expected a Prompt of tensors, got NoneType"),
    (lambda prompt: prompt._asdict(), "expected a Prompt of tensors, got dict"),
    (lambda prompt: prompt._replace(ys=None), "got one of Tensor, NoneType, Tensor"),
    (lambda prompt: Prompt(prompt.xs, prompt.ys.long(), prompt.means),
     "expected numbers of torch.float32, got torch.float32, torch.int64, torch.float32"),
    (lambda prompt: Prompt(*(part[:, :, :-1] for part in prompt)), "expected the shapes .*got Prompt"),
    (lambda prompt: prompt._replace(ys=prompt.ys[..., None]), "expected the shapes .*got Prompt"),
    (lambda prompt: prompt._replace(xs=prompt.xs[..., :1]), "expected the shapes .*got Prompt")])
def test_what_is_no_prompt_is_refused(change, message):
    task = Careless(2, change=change)
    for uses in (lambda: train(task, MLP(4), RECIPE, [0]),
                 lambda: ErrorByLength((2,), prompts=4).measure(task, LeastSquares())):
        with pytest.raises(InputError, match=f"Careless.sample: .*{message}"):
            uses()


def test_prompts_that_are_not_drawn_from_the_stream_are_refused():
    task = Careless(2, change=lambda prompt: prompt._replace(xs=torch.randn_like(prompt.xs)))
    with pytest.raises(InputError, match="task: "):
        train(task, MLP(4), RECIPE, [0])


class Cheating:
    """Makes what it is to predict what it says."""

    def predict(self, xs, ys, lengths):
        return ys.zero_()[..., list(lengths)]


def test_what_is_measured_is_out_of_a_predictor_s_reach():
    found, zero = (ErrorByLength((2,), prompts=4).measure(TASK, own)["error"] for own in (Cheating(), Zero()))
    assert found == zero


@dataclass
class Changing:
    dimension: int = 2
    sample = None
    version: ClassVar[int] = 1


class WithoutDimension:
    sample = None


@pytest.mark.parametrize("changes, message", [
    ({"task": Changing()}, r"task: expected a frozen dataclass, got Changing\(.*, which can change"),
    ({"task": WithoutDimension()}, "task: expected an object with dimension, got"),
    ({"recipe": Recipe((4,), 2, loss="masked tokens")}, "'masked tokens' for sentences and another"),
    ({"recipe": Recipe((4,), 2, queries=2)}, "model: expected a decoder of joint tokens"),
    ({"recipe": Recipe((4,), 2, loss_on_pairs=True)}, "model: expected a decoder of joint tokens"),
    ({"recipe": Recipe((0, 4), 2)}, "lengths: expected n >= 1 for this model, .* got 0")])
def test_parts_are_checked_alike_wherever_they_come_together(changes, message):
    parts = {"task": TASK, "model": MLP(4), "recipe": RECIPE, "pretraining_tasks": None} | changes
    of_each = {**parts, "seeds": [0], "pretraining_tasks": [parts["pretraining_tasks"]]}
    for uses in (lambda: train(**of_each), lambda: Run(**parts, evaluation=ErrorByLength((2,), prompts=4))):
        with pytest.raises(InputError, match=message):
            uses()
    if "task" in changes:
        with pytest.raises(InputError, match=message):
            ErrorByLength((2,), prompts=4).measure(changes["task"], LeastSquares())


def test_cross_entropy_is_of_labels_that_are_0_or_1():
    with pytest.raises(InputError, match="loss: "):
        train(TASK, MLP(4), replace(RECIPE, loss="cross-entropy"), [0])


def test_training_tells_who_diverged(capsys):
    train(TASK, MLP(4), replace(RECIPE, learning_rate=1e30), [7, 8])
    assert capsys.readouterr().err == "".join(
        f"icllib: MLP, seed {seed}, learning rate 1e+30: diverged\n" for seed in (7, 8))


def test_a_disk_without_room_for_checkpoints_stops_no_training(folders, monkeypatch, capsys):
    few = runs(replace(runs()[0].recipe, steps=40))
    jobs.train_and_save(few, "smoke", folders)
    expected = metrics_of(few)
    for path in folders.rglob("*.json"):
        path.unlink()

    def full(*_):
        raise OSError("no space left")

    monkeypatch.setattr(jobs, "save_checkpoint", full)
    jobs.train_and_save(few, "smoke", folders)
    assert metrics_of(few) == expected
    assert "icllib: no checkpoint in" in capsys.readouterr().err


def test_a_divergence_in_the_last_step_is_told(folders):
    last, = runs(replace(runs()[0].recipe, steps=1, learning_rate=1e30), seeds=(0,))
    jobs.train_and_save([last], "smoke", folders)
    assert find_record(last, "test").provenance["diverged"]


@pytest.fixture
def own_module(tmp_path, monkeypatch):
    """A module with a model of one's own, whose file can be edited."""
    path = tmp_path / "own_module.py"
    path.write_text("from icllib.models import MLP\n\n\nclass Own(MLP):\n    pass\n", "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    module = importlib.import_module("own_module")
    module.edit = lambda old, new: path.write_text(path.read_text("utf-8").replace(old, new), "utf-8")
    yield module
    sys.modules.pop("own_module")


def test_an_edited_module_is_told(results, own_module, capsys):
    own = lambda profile: [Run(TASK, own_module.Own(4), RECIPE, ErrorByLength((2, 4), prompts=4))]
    more = lambda profile: [*own(profile), replace(own(profile)[0], seed=1)]  # one is missing
    other = lambda profile: [replace(own(profile)[0], evaluation=ErrorByLength((2,), prompts=4))]
    icllib.records(own, "cpu", page="mine/page")
    own_module.edit("pass", "width: int = 8")
    icllib.records(own, "cpu", page="mine/page")
    assert capsys.readouterr().err == ""  # what is imported has made them
    with pytest.raises(InputError, match="own_module: "):
        icllib.records(more, "cpu", page="mine/page")
    importlib.reload(own_module)
    told = "claimbook: own_module was edited since {}; where numbers change, raise `version` in it\n"
    icllib.records(more, "cpu", page="mine/page")
    assert capsys.readouterr().err == told.format("these records were made")
    icllib.records(other, "cpu", page="mine/page")  # measured on weights of the old code
    assert capsys.readouterr().err == told.format("this model was trained")


def test_an_edited_module_is_told_where_training_goes_on(folders, own_module, monkeypatch, capsys):
    own = lambda: [Run(TASK, own_module.Own(4), RECIPE, ErrorByLength((2, 4), prompts=4))]
    with pytest.raises(ZeroDivisionError), monkeypatch.context() as patch:
        patch.setattr(jobs, "measure_fleet", lambda *_: 1 / 0)
        jobs.train_and_save(own(), "smoke", folders)
    own_module.edit("pass\n", "pass\n\n")
    importlib.reload(own_module)
    jobs.train_and_save(own(), "smoke", folders)
    assert capsys.readouterr().err == ("claimbook: own_module was edited since this training began; "
                                       "where numbers change, raise `version` in it\n")


class Mean(nn.Module):
    """Answers with the mean label so far, times a number, plus a perceptron of x."""

    def __init__(self, dimension):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dimension, 4), nn.ReLU(), nn.Linear(4, 1))
        self.scale = nn.Parameter(torch.ones(()))

    def forward(self, xs, ys):
        seen = torch.cat((torch.zeros_like(ys[:, :1]), ys.cumsum(1)[:, :-1]), 1)
        counts = torch.arange(1, ys.shape[1] + 1)
        return self.scale * seen / counts + self.net(xs)[..., 0]


class Recurrent(nn.Module):
    def __init__(self, dimension):
        super().__init__()
        self.lstm, self.out = nn.LSTM(dimension + 1, 8, batch_first=True), nn.Linear(8, 1)

    def forward(self, xs, ys):
        before = torch.cat((torch.zeros_like(ys[:, :1]), ys[:, :-1]), 1)
        return self.out(self.lstm(torch.cat((xs, before[..., None]), -1))[0])[..., 0]


class Odd(Mean):
    """Has parameters by names of the fleet, and changes what it is handed."""

    def __init__(self, dimension):
        super().__init__(dimension)
        self.state, self.names = nn.Parameter(torch.ones(1)), nn.Parameter(torch.ones(1))

    def forward(self, xs, ys):
        xs *= self.state * self.names
        return super().forward(xs, ys)


@pytest.mark.parametrize("make", [Mean, Recurrent, Odd])
def test_a_member_trains_as_if_alone_and_comes_back(make):
    task, recipe = LinearRegression(2), Recipe((2, 5), 20, 8, 1e-2)
    fleet = train(task, Module(make), recipe, [3, 4])
    alone = train(task, Module(make), recipe, [4])
    xs, ys = torch.randn(1, 6, 6, 2), torch.randn(1, 6, 6)
    own = fleet.member(1)
    assert isinstance(own, make)
    expected = Trained(alone).predict(xs, ys, (2, 5))[0]
    assert torch.allclose(own(xs[0].clone(), ys[0])[:, [2, 5]], expected, atol=1e-6)
    assert not torch.allclose(fleet.member(0)(xs[0], ys[0])[:, [2, 5]], expected, atol=1e-3)


def test_it_starts_as_pytorch_makes_it_and_leaves_the_generator_alone():
    torch.manual_seed(5)
    before, expected = torch.random.get_rng_state(), None
    module = Module(Mean).build([7], 2, 4).member(0)
    assert torch.equal(torch.random.get_rng_state(), before)
    torch.manual_seed(7)
    expected = Mean(2)
    assert all(torch.equal(own, other) for own, other in zip(module.parameters(), expected.parameters()))


class Looks(Mean):
    def forward(self, xs, ys):
        return super().forward(xs, ys) + ys


class Ahead(Mean):
    def forward(self, xs, ys):
        return super().forward(xs, ys) + xs.mean((1, 2))[:, None]


class Hides(Mean):
    def __init__(self, dimension):
        super().__init__(dimension)
        self.hidden = [nn.Linear(1, 1)]  # in a list, so that no module knows of it

    def forward(self, xs, ys):
        return self.hidden[0](super().forward(xs, ys)[..., None])[..., 0]


class Other(Mean):
    def __init__(self, change, dimension):
        super().__init__(dimension)
        self.change = change

    def forward(self, xs, ys):
        return self.change(super().forward(xs, ys))


REFUSED = {"hidden|later": Looks, "forward: expected a tensor": partial(Other, lambda said: (said,)),
           "forward.*None": partial(Other, lambda said: None), "forward.*float": partial(Other, lambda said: said.long()),
           "points, got": partial(Other, lambda said: said[None]), "KeyError.*test_own_components.py, line": partial(Other, lambda said: {}["mine"]),
           "alike at each call": partial(Other, lambda said: said + torch.randn(1)),
           "beside any": partial(Other, lambda said: said - said.mean(0)), "later inputs": Ahead,
           "finite losses": partial(Other, lambda said: (said - 99).log()), "keep tensors": Hides, "has no effect": partial(Other, torch.detach),
           "make: .*one shape": lambda dimension: Other(nn.Linear(9, int(torch.randint(2, 99, ()))), dimension)}


@pytest.mark.parametrize("told, make", [*REFUSED.items(), ("make", lambda: Mean(2)), ("make", lambda dimension: 3),
                                        ("make", lambda dimension: nn.Linear(2, 1))])
def test_modules_that_see_the_answer_or_are_none_are_refused(make, told):
    with pytest.raises(InputError, match=told):
        train(LinearRegression(2), Module(make), Recipe((2, 5), 2, 8, 1e-2), [0, 1])
