"""What every model owes, by the checks of tests/models/contract.py."""

import contract
import pytest
import torch
from contract import DIMENSION, prompts

from icllib.models import MLP, SGPT, FeatureMLP, ScalarRegression, Transformer

SEEDS, LENGTHS = (5, 11, 2), (3, 12, 1, 7, 3)
SGPTS = [SGPT(2, 3), SGPT(2, 3, mlp_skip=False), SGPT(2, 3, "absolute"), SGPT(2, 3, "none")]
FEATURES = [FeatureMLP("linear", width=6), FeatureMLP("l1", activation="gelu", width=6),
            FeatureMLP("hilbert", prompt=True, width=6), FeatureMLP("exponential", width=6),
            ScalarRegression("hilbert"), ScalarRegression("linear")]
MODELS = [Transformer(1, 2, 4), Transformer(1, 1, 4, tokens="separate"), MLP(6), *SGPTS, *FEATURES]
every_model = pytest.mark.parametrize("model", MODELS, ids=str)


def module_of(model, seeds=SEEDS, pairs=12, dtype=torch.float64):
    """A fleet with all parameters away from zero and one."""
    return contract.shaken(model.build(seeds, DIMENSION, pairs).to(dtype), 0.3)


@every_model
def test_one_pass_equals_separate_passes(model):
    contract.one_pass_equals_separate_passes(module_of(model), *prompts(), LENGTHS)


@every_model
def test_hidden_points_change_no_bit(model):
    module = module_of(model, dtype=torch.float32)
    contract.hidden_points_change_no_bit(module, *prompts(torch.float32), 3, -5)


@every_model
def test_a_member_is_in_every_fleet_what_it_is_alone(model):
    contract.fleet_equals_single_models(model, SEEDS, DIMENSION, *prompts(), LENGTHS)


@every_model
def test_gradients_equal_finite_differences(model):
    contract.gradients_equal_finite_differences(module_of(model, [5], 3), *prompts())


@pytest.mark.parametrize("model", [
    MLP(64), SGPT(2, 16), FeatureMLP("linear", width=50), FeatureMLP("linear", True, width=50)], ids=str)
def test_multiplications_are_those_of_the_operations(model):
    """Of decoders see test_transformer_passes.py; one-dimensional sums are not counted as products."""
    contract.multiplications_are_those_of_the_operations(model, module_of(model), *prompts(), LENGTHS)
