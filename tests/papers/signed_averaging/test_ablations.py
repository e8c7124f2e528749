"""Table 6 and its relatives: the paper's settings, shared runs, statistics, printed numbers."""

import numpy as np
import pytest
import torch

from icllib.claims import load_claims
from icllib.models import SignedAveraging, Softmax
from icllib.papers.signed_averaging import (
    affine, attention_or_feed_forward, boundary_values, comparisons, table05_deviant_input,
    table06_depth_heads, training_laws)
from icllib.papers.signed_averaging.affine import (
    FIRST_STDS, SHAPES, SIGMAS, scorings_on_affine_functions)
from icllib.papers.signed_averaging.boundary_values import QUERIES
from icllib.results import Record, digest, settings
from icllib.streams import Stream
from icllib.tasks import AffineFunctions

CLAIMS = {claim.id: claim.printed["value"] for claim in load_claims("signed_averaging")}


def names(runs):
    return {digest(settings(run)) for run in runs}


def test_the_models_are_those_of_table_6():
    assert [shape.name for shape in SHAPES] == list(comparisons.TABLE_6)
    run = affine.Shape(18, 8).runs("paper")[2]
    model, recipe = run.model, run.recipe
    assert (model.layers, model.heads, model.width, model.tokens) == (18, 8, 256, "separate")
    assert model.scoring == Softmax() and model.attention and model.perceptron
    assert (recipe.steps, recipe.batch, recipe.learning_rate) == (500_000, 64, 1e-4)
    assert run.task == AffineFunctions(1.0) and run.seed == 2
    two_of_32 = SHAPES[-2].runs("cpu")[0].model
    assert (two_of_32.layers, two_of_32.heads, two_of_32.perceptron) == (2, 32, False)


@pytest.mark.parametrize("profile", affine.DEPTH_SIZES)
def test_at_any_profile_models_differ_in_their_shape_only(profile):
    models = affine.models_by_shape(profile)
    assert len({(run.recipe, run.evaluation, run.task, run.model.width)
                for runs in models.values() for run in runs}) == 1
    assert {len(runs) for runs in models.values()} == {affine.DEPTH_SIZES[profile].seeds}


def test_pages_share_their_runs():
    table_6 = names(table06_depth_heads.runs("cpu"))
    table_5 = names(table05_deviant_input.runs("cpu"))
    parts = names(attention_or_feed_forward.runs("cpu"))
    assert len(parts - table_6) == affine.DEPTH_SIZES["cpu"].seeds  # feed-forward only
    assert names(boundary_values.runs("cpu")) < table_6 | table_5
    table_1 = names(scorings_on_affine_functions("cpu"))
    wider = {name: names(runs) for name, runs in affine.models_by_law("cpu").items()}
    assert wider.pop("N(0, 1)") < table_1 and not table_1 & set.union(*wider.values())
    assert len(names(training_laws.with_and_without_curriculum("cpu")) & table_1) == 5
    # At `paper` the base model is 12L8AH.
    softmax = names(affine.models_by_scoring("paper")["softmax"])
    assert softmax < names(table06_depth_heads.runs("paper"))
    runs = boundary_values.runs("paper")
    assert len(runs) == len(set(runs)) == 9


def test_laws_of_training():
    laws = affine.models_by_law("paper")
    stds = {name: runs[0].task.input_std for name, runs in laws.items()}
    assert stds == {"N(0, 1)": 1, "N(0, 10)": 10, "N(0, 100)": 100}
    both = training_laws.models_by_curriculum("paper")
    assert [bool(runs[0].recipe.curriculum) for runs in both.values()] == [True, False]
    assert all(run.model.scoring == Softmax() for runs in (laws | both).values() for run in runs)
    ssa = affine.models_by_scoring("paper")["SSA"]
    assert [run.model.scoring for run in ssa] == [SignedAveraging()] * 3


def outputs(shape, change: str):
    """Predictions at the last point of a built model before and after its context changes."""
    model = shape.runs("smoke")[0].model
    module = model.build([0], 1, 40)
    prompt = AffineFunctions().sample(Stream.of([0], "test"), torch.arange(4)[None], 41)
    xs, ys = prompt.xs.clone(), prompt.ys.clone()
    if change == "pairs":
        xs[:, :, :-1] += 1.0
        ys[:, :, :-1] -= 3.0
    else:
        xs[:, :, -1] += 1.0
    with torch.no_grad():
        before, after = (module(*points, (40,)) for points in ((prompt.xs, prompt.ys), (xs, ys)))
    return before, after


@pytest.mark.parametrize("shape, sees_pairs", [(attention_or_feed_forward.FEED_FORWARD_ONLY, False),
                                               (affine.ATTENTION_ONLY, True)])
def test_only_attention_sees_the_pairs(shape, sees_pairs):
    before, after = outputs(shape, "pairs")
    assert torch.equal(before, after) != sees_pairs
    before, after = outputs(shape, "query")
    assert not torch.equal(before, after)


@pytest.mark.parametrize("perceptron", [True, False])
def test_no_prediction_passes_the_bound_of_the_last_norm(perceptron):
    """The formula on the page of the boundary values; one prediction reaches it."""
    model = affine.Shape(2, 8, perceptron=perceptron).runs("smoke")[0].model
    module, sizes = model.build([0], 1, 3), torch.logspace(-1, 6, 50)
    xs = sizes[None, :, None, None] * torch.tensor([-1.0, 0.5, 2, 3])[:, None]
    with torch.no_grad():
        *_, states = module.states(xs, 9 * xs[..., 0], (3,))
        module.final_norm.gain += torch.linspace(0, 1, model.width)
        module.read_out.weight[0, :, 0] = module.final_norm(states)[0, -1, 0]
        module.read_out.weight /= module.final_norm.gain[0, 0, 0][:, None] ** 2
        module.read_out.bias += 2
        predictions = module(xs, 9 * xs[..., 0], (3,)).abs()
        product = module.final_norm.gain[0, 0, 0] * module.read_out.weight[0, :, 0]
        bound = model.width**0.5 * product.norm() + 2
    assert float(predictions.max()) == pytest.approx(float(bound), rel=1e-4)


# ---- statistics -----------------------------------------------------------------------------


def test_the_rise_is_one_on_the_line_and_zero_beyond_a_boundary():
    xs = np.array(QUERIES, dtype=float)
    on_lines = np.stack([9 * xs, np.clip(9 * xs, -50, 50), np.clip(9 * xs, -135, 135)])
    assert boundary_values.rise(on_lines, 9).tolist() == pytest.approx([1, 0, 0.5])
    falls = 200 * np.sign(xs) - 9 * xs
    assert boundary_values.rise(falls[None], 9).tolist() == pytest.approx([-1])


def test_answers_on_a_line_are_chosen_by_its_slope():
    answers = np.arange(2 * 3 * 4).reshape(2, 3, 4)
    assert boundary_values.on_line(answers, 9).tolist() == answers[:, 1].tolist()


def test_always_answering_zero_does_not_get_worse_in_claims_40_and_41():
    stds = (1, 2, 10)
    grid = np.array([[[std_f**2 * (1 + std_i**2) for std_f in stds] for std_i in stds]] * 2, float)
    unshifted = affine.shift_ratios(grid, stds)
    assert all(list(ratio) == [1, 1] for ratio in unshifted.values()) and len(unshifted) == 3
    grid[0, -1, 0] *= 3  # the widest inputs, of one seed
    grid[1, 0, -1] *= 5
    grid[:, -1, -1] *= 7
    ratios = affine.shift_ratios(grid, stds)
    assert ratios["inputs"] == pytest.approx([3, 1])
    assert ratios["functions"] == pytest.approx([1, 5])
    assert ratios["both"] == pytest.approx([7, 7])


def test_the_printed_answers_fail_as_claim_47_says():
    errors = (2.15 - 0.78) ** 2 + (0.96 - 0.26) ** 2 + (0.65 - 0.42) ** 2
    ratio, zero = table05_deviant_input.failure_on_sequence([table05_deviant_input.SEQUENCE, (9, 9, 0, 0, 0)])
    assert ratio == pytest.approx(errors / (0.78**2 + 0.26**2 + 0.42**2)) and zero == 1
    assert ratio == pytest.approx(CLAIMS["signed_averaging.47"]["softmax"], abs=5e-3)


def test_metrics_find_their_model_in_any_order():
    models = affine.models_by_law("smoke")
    runs = [run for runs in models.values() for run in runs]
    made = [Record(settings(run), {}, {"error": [place]}, {}) for place, run in enumerate(runs)]
    found = affine.by_model(made[::-1], models, "error")
    assert found["N(0, 100)"].tolist() == [[4.0], [5.0]]
    first = [made[place] for place, run in enumerate(runs) if run.seed == 0]
    assert affine.by_model(first, models, "error")["N(0, 100)"].tolist() == [[4.0]]


# ---- printed numbers ------------------------------------------------------------------------


def test_the_printed_ratios_of_the_claims_are_those_of_the_tables():
    """The ledger was read from the tables apart from ours, and rounded."""
    full = [shape.name for shape in SHAPES if shape.perceptron]
    rows = {name: np.array(comparisons.TABLE_6[name]) for name in full}
    assert {name: row[0] for name, row in rows.items()} == CLAIMS["signed_averaging.1"]
    ratios = {f"{name} over {above}": affine.geometric_mean(rows[name][2:] / rows[above][2:])
              for above, name in zip(full[1:], full[2:])}
    assert ratios == pytest.approx(CLAIMS["signed_averaging.12"], rel=1e-2)
    growth = {f"sigma = {std}": error / table05_deviant_input.TABLE_5[0]
              for std, error in zip(FIRST_STDS[1:], table05_deviant_input.TABLE_5[1:])}
    assert growth == pytest.approx(CLAIMS["signed_averaging.11"], rel=1e-2)


def test_ours_stands_below_the_printed_row():
    ours = {name: np.full((3, 10), [[1.0], [2.0], [3.0]]) for name in ("12L8AH", "other")}
    table = comparisons.beside(ours, comparisons.TABLE_6, SIGMAS)
    assert list(table.index) == [("12L8AH", "paper"), ("12L8AH", "ours"), ("other", "ours")]
    assert table.loc[("12L8AH", "paper"), 10] == "73.5"
    assert table.loc[("other", "ours"), 1] == "1.82"  # the cube root of 6
    across = comparisons.beside(ours, {}, SIGMAS, spread=True)
    logs = np.log([1.0, 2.0, 3.0])
    low, high = np.exp(logs.mean() + np.array([-1, 1]) * 4.3027 * logs.std(ddof=1) / 3**0.5)
    assert across.loc[1, ("other", "ours")] == f"1.8 [{low:.2g}, {high:.2g}]"
    plain = comparisons.beside(ours, {}, SIGMAS, spread=True, scale="linear")
    assert plain.loc[1, ("other", "ours")] == "2 [-0.48, 4.5]"  # 2 -+ 4.303 / sqrt(3)
