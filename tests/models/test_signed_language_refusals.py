"""Scaled signed averaging in models of `transformers`: what is refused."""

import copy
import pickle

import pytest
import torch
from transformers import (BloomConfig, BloomForCausalLM, Gemma2Config, Gemma2ForCausalLM,
                          GPT2Config, GPT2LMHeadModel)

from claimbook.records.errors import InputError
from icllib.models.signed_language import use_signed_averaging
from random_language_models import IDS, MAKE, SIZES, TOKENS, make


def test_a_model_with_an_attention_of_its_own_is_refused_and_left_alone():
    model = BloomForCausalLM(BloomConfig(vocab_size=50, hidden_size=16, n_layer=1, n_head=2))
    before = set(model.state_dict())
    with pytest.raises(InputError, match="attention that `transformers` can set, got Bloom"):
        use_signed_averaging(model)
    assert set(model.state_dict()) == before


@torch.no_grad()
@pytest.mark.parametrize("name", ["gpt2", "roberta"])
def test_another_attention_that_is_set_later_is_refused(name):
    """It would leave out n and b, which are saved all the same."""
    model = make(name)
    before = model(TOKENS).logits
    model.set_attn_implementation("eager")
    for own in (model, copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        with pytest.raises(InputError, match="its attention to stay icllib_signed_averaging, got eager"):
            own(TOKENS)
    model.set_attn_implementation("icllib_signed_averaging")
    assert torch.equal(model(TOKENS).logits, before)


def test_a_second_call_leaves_what_was_trained():
    model = use_signed_averaging(MAKE["gpt2"](), 1.5)
    before = copy.deepcopy(model.state_dict())
    with pytest.raises(InputError, match="without n and b, got one that has them already"):
        use_signed_averaging(model, 2.0)
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())


def test_scores_that_are_more_than_products_are_refused():
    model = use_signed_averaging(Gemma2ForCausalLM(Gemma2Config(
        **IDS, **SIZES, num_key_value_heads=2, head_dim=4)))
    with pytest.raises(InputError, match="q . k alone, got softcap"):
        model(TOKENS)


def test_a_second_model_on_the_same_config_says_what_is_wrong():
    config = GPT2Config(**IDS, n_embd=16, n_layer=1, n_head=4)
    use_signed_averaging(GPT2LMHeadModel(config))
    with pytest.raises(InputError, match="got none: .* share a config"):
        GPT2LMHeadModel(config)(TOKENS)
