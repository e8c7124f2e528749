"""Public configurations, as the how-to page writes them: their laws, and a few steps of each."""

import os
import re

import pytest
import torch

import icllib
from claimbook.records import PROJECT, settings
from claimbook.records.errors import InputError
from icllib.streams import Stream
from icllib.tasks import LinearRegression

PAGE = (PROJECT / "book/howto/coming_from_garg.md").read_text("utf-8")
FROM_A_FILE, *BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
RUNS = {}
for block in BLOCKS[:-1]:  # the last one trains
    exec(block, RUNS)
RUNS = RUNS["runs"]
STREAM, IDS = Stream.of([0], "training"), torch.arange(4000)[None]
SQUARES = {  # E y^2 of d coordinates, from the definitions of the public code
    "linear_regression.yaml": lambda d: d, "sparse_linear_regression.yaml": lambda d: 3,
    "relu_2nn_regression.yaml": lambda d: d, "decision_tree.yaml": lambda d: 1, "toy.yaml": lambda d: d,
    "noisy_linear_regression": lambda d: d + 0.25, "num_training_examples": lambda d: d,
    "mixture": lambda d: (d + 3) / 2, "icl/configs/example.py": lambda d: d + 0.25}
POOLED = {"num_tasks": (64, 0)}  # functions and seed


def pool_squares(name, d):
    """E y^2 given the functions of a pool: the mean of |w|^2 over them."""
    functions, seed = POOLED[name]
    weights = Stream.of([seed], "pool").normal(torch.arange(functions)[None], "weights", (20,))
    return weights[0, :, :d].square().sum(dim=1).mean()


def test_the_page_has_ten_configurations_of_at_most_fifteen_lines():
    assert RUNS.keys() == SQUARES.keys() | POOLED.keys() and len(RUNS) == 10
    assert max(len(block.splitlines()) for block in BLOCKS) <= 15


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize("step, coordinates", [(1999, 5), (2000, 6), (30_000, 20)])
def test_samplers_have_the_moments_of_the_closed_forms(name, step, coordinates):
    run = RUNS[name]
    d = coordinates if run.recipe.dimensions else run.task.dimension
    xs, ys, _ = run.task.sample(STREAM, IDS, 1, active=run.recipe.active(torch.tensor(step)))
    near = lambda values, expected: abs(values.mean() - expected) < 4.5 * values.std() / len(IDS[0])**0.5
    assert near(ys[0, :, 0], 0)
    expected = pool_squares(name, d) if name in POOLED else SQUARES[name](d)
    assert near(ys[0, :, 0] ** 2, expected)
    inputs = xs[0, :, 0]
    assert near(inputs[:, :d].square().mean(dim=1), 1) and near(inputs[:, :d].mean(dim=1), 0)
    assert not inputs[:, d:].any()


def test_the_points_of_a_curriculum_are_those_of_the_public_loop():
    """n_points after each update, as `curriculum.py` of Garg et al. computes it."""
    for name, end in (("linear_regression.yaml", 41), ("decision_tree.yaml", 101)):
        recipe, own = RUNS[name].recipe, RUNS[name].recipe.curriculum
        counted, steps = own.start, 40_000
        for step in range(0, steps, 500):
            if step and step % own.every == 0:
                counted = min(counted + own.increment, end)
            weights = recipe.length_weights(torch.tensor(step))
            assert (weights > 0).tolist() == [length < counted for length in range(end)]
            assert weights.sum().item() == pytest.approx(end)


FILES = {  # in the format of the public code, in words of our own
    "size.yaml": "model: {family: gpt2, n_embd: 8, n_layer: 12, n_head: 8}",
    "every.yaml": """
inherit: size.yaml
out_dir: elsewhere
wandb: {name: one, log_every_steps: 10}
model: {n_embd: 256, n_dims: 20, n_positions: 41}
training:
    data: gaussian
    task_kwargs: {}
    learning_rate: 0.0001
    train_steps: 500001
    keep_every_steps: 100000
    curriculum: {dims: {start: 5, end: 20, inc: 1, interval: 2000},
                 points: {start: 11, end: 41, inc: 2, interval: 2000}}
""",
    "long.yaml": """
inherit: [every.yaml]
model: {n_positions: 101}
training: {curriculum: {points: {start: 26, end: 101, inc: 5}}}
"""}
OWN = {  # a run of the page, which file it is over, and what its own file says
    "linear_regression.yaml": ("every", "task: linear_regression"),
    "sparse_linear_regression.yaml": ("every", "task: sparse_linear_regression\n    task_kwargs: {sparsity: 3}"),
    "relu_2nn_regression.yaml": ("long", "task: relu_2nn_regression\n    task_kwargs: {hidden_layer_size: 100}"),
    "decision_tree.yaml": ("long", "task: decision_tree\n    task_kwargs: {depth: 4}"),
    "num_tasks": ("every", "task: linear_regression\n    num_tasks: 64"),
    "num_training_examples": ("every", "task: linear_regression\n    num_training_examples: 10000")}


@pytest.fixture
def written(tmp_path):
    def write(over, text, model="{}"):
        for name, own in FILES.items():
            (tmp_path / name).write_text(own, "utf-8")
        (tmp_path / "own.yaml").write_text(
            f"inherit:\n    - {over}.yaml\nmodel: {model}\ntraining:\n    {text}\n", "utf-8")
        return tmp_path / "own.yaml"
    return write


@pytest.mark.parametrize("name", OWN)
def test_a_file_gives_the_run_that_the_page_writes_out(written, name):
    assert icllib.from_garg(written(*OWN[name])) == RUNS[name]


def test_the_page_s_first_lines_run(written, tmp_path, monkeypatch):
    written("every", "task: linear_regression").rename(tmp_path / "linear_regression.yaml")
    monkeypatch.chdir(tmp_path)
    exec(FROM_A_FILE, found := {})
    assert found["run"] == RUNS["linear_regression.yaml"]


def test_settings_of_size_noise_and_places_arrive(written):
    run = icllib.from_garg(written("every", "task: noisy_linear_regression\n    batch_size: 7\n    task_kwargs: "
                                   "{noise_std: 0.5, scale: 2}", "{n_layer: 3, n_head: 2, n_embd: 64, n_positions: 50}"))
    assert run.task == LinearRegression(20, noise_std=0.5, weight_std=2) and run.recipe.batch == 7
    model = run.model
    assert (model.layers, model.heads, model.width, model.positions_up_to) == (3, 2, 64, 49)
    assert isinstance(settings(run), dict)


@pytest.mark.parametrize("text, model, key", [
    ("task: kernel_regression", "{}", "training.task"), ("task: [3]", "{}", "training.task"),
    ("task: linear_regression", "{family: lstm}", "model.family"),
    ("task: linear_regression", "{n_positions: 40}", "model.n_positions"),
    ("task: linear_regression", "{n_positions: 4000000000}", "model.n_positions"),
    ("task: linear_regression", "{n_dims: 19}", "training.curriculum.dims.end"),
    ("task: linear_regression", "{rotary: true}", "model.rotary"),
    ("task: linear_regression\n    data: laplace", "{}", "training.data"),
    ("task: linear_regression\n    task_kwargs: {sparsity: 3}", "{}", "training.task_kwargs.sparsity"),
    ("task: linear_regression\n    train_steps: many", "{}", "training.train_steps"),
    ("task: linear_regression\n    curriculum: {points: {start: 60}}", "{}", "training.curriculum.points.start"),
    ("task: sparse_linear_regression\n    num_tasks: 4", "{}", "training.num_tasks"),
    ("task: noisy_linear_regression\n    num_training_examples: 99\n    task_kwargs: {noise_std: 1}", "{}",
     "training.num_training_examples")])
def test_what_cannot_be_said_is_named(written, text, model, key):
    with pytest.raises(InputError, match=rf"own.yaml: {key}: expected"):
        icllib.from_garg(written("every", text, model))


MANY = "a0: &a0 {x: 1}\n" + "".join(  # keys, 20 to the power of 6, by few words
    f"a{n}: &a{n} {{{', '.join(f'{key}: *a{n - 1}' for key in range(20))}}}\n" for n in range(1, 7))


@pytest.mark.timeout(60)
@pytest.mark.parametrize("text", ["inherit: own.yaml", "inherit: none.yaml", "inherit: pipe.yaml", "inherit:", "- a list", "a: [", "a: 1\na: 2", MANY])
def test_files_that_are_no_configuration_are_refused(tmp_path, text):
    (tmp_path / "own.yaml").write_text(text, "utf-8")
    os.mkfifo(tmp_path / "pipe.yaml")
    with pytest.raises(InputError, match="yaml: .*n_dims" if text == "inherit:" else "yaml: "):
        icllib.from_garg(tmp_path / "own.yaml")
