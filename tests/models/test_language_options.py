"""What loads a saved model works or is refused in a line."""

import pytest
import torch
from transformers import LlamaForCausalLM

from claimbook.records.errors import InputError
from icllib.models.language import prefix_attention
from icllib.models.signed_language import load_signed_averaging
from random_language_models import TOKENS, make


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A model with SSA, and the folder that it was saved to."""
    model, folder = make("llama").float(), tmp_path_factory.mktemp("saved")
    model.save_pretrained(folder)
    return model, folder


@torch.no_grad()
def same(model, again) -> bool:
    own, other = model.state_dict(), again.state_dict()
    return (own.keys() == other.keys() and all(torch.equal(own[name], other[name]) for name in own)
            and torch.equal(model(TOKENS).logits, again.eval()(TOKENS).logits))


def test_options_reach_transformers_and_change_no_attention(saved):
    model, folder = saved
    for options in ({"attn_implementation": "eager"}, {"config": None}, {"device_map": "cpu"}):
        assert same(model, load_signed_averaging(folder, **options).cpu())
    assert load_signed_averaging(folder, dtype=torch.float64).dtype == torch.float64


@pytest.mark.parametrize("folder, options", [
    (3, {}), ("/no/such/folder", {}), ("saved", {"variant": "other"}), ("saved", {"nonsense": 3})])
def test_what_cannot_be_loaded_is_refused_in_a_line(saved, folder, options):
    with pytest.raises(InputError, match="folder: ") as raised:
        load_signed_averaging(saved[1] if folder == "saved" else folder, **options)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("name", ["config.json", "model.safetensors"])
def test_a_damaged_file_is_refused_in_a_line(saved, tmp_path, name):
    for file in saved[1].iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes()[: 90 if file.name == name else None])
    with pytest.raises(InputError, match="folder: ") as raised:
        load_signed_averaging(tmp_path)
    assert "\n" not in str(raised.value)


# ---- prefixes -------------------------------------------------------------------------------


@pytest.mark.parametrize("attention", ["eager", "sdpa"])
def test_a_prefix_is_the_same_whatever_attention_a_model_was_loaded_with(tmp_path, attention):
    model = make("llama", ssa=False)
    model.save_pretrained(tmp_path)
    again = LlamaForCausalLM.from_pretrained(tmp_path, attn_implementation=attention, dtype=torch.float64)
    with torch.no_grad(), prefix_attention(model, 3), prefix_attention(again, 3):
        # Eager attention takes its softmax in single precision.
        torch.testing.assert_close(again(TOKENS).logits, model(TOKENS).logits,
                                   atol=1e-5 if attention == "eager" else 1e-12, rtol=0)
    assert again.config._attn_implementation == attention
