"""What loads a saved model, and every mask, works or is refused in a line."""

import subprocess
import sys

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
    (None, {}), (3, {}), ("someone/model", {"local_files_only": True}), ("/no/such/folder", {}),
    ("saved", {"variant": "other"}), ("saved", {"dtype": "float99"}), ("saved", {"nonsense": 3})])
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


ELSEWHERE = """
import sys, torch
for name in ("outside-False", "within-False", "outside-True", "within-True"):
    model, tokens, expected = torch.load(f"{sys.argv[1]}/{name}.pt", weights_only=False)
    print(name, torch.equal(model(tokens).logits, expected))
"""


def test_a_pickled_model_computes_the_same_elsewhere(tmp_path):
    for ssa in (False, True):
        model = make("llama", ssa=ssa)
        torch.save((model, TOKENS, model(TOKENS).logits), tmp_path / f"outside-{ssa}.pt")
        with prefix_attention(model, 3):
            torch.save((model, TOKENS, model(TOKENS).logits), tmp_path / f"within-{ssa}.pt")
    done = subprocess.run([sys.executable, "-c", ELSEWHERE, str(tmp_path)], capture_output=True, encoding="utf-8")
    assert done.stdout.split() == ["outside-False", "True", "within-False", "True",
                                   "outside-True", "True", "within-True", "True"], done.stderr


# ---- masks ------------------------------------------------------------------------------------

ONES = torch.ones_like(TOKENS)
MASKS = {"a dictionary of 2D masks": {"full_attention": ONES}, "a dictionary of none": {"full_attention": None},
         "another name": {"other": ONES.bool()}, "a list": ONES.tolist(), "an array": ONES.numpy(),
         "3D": torch.ones(2, 6, 6).bool(), "1D": torch.ones(6), "another batch": torch.ones(6, 6).bool()}
OTHER_SIZES = {"fewer tokens": ONES[:, :4], "more tokens": torch.ones(2, 9), "fractions": torch.full((2, 6), 0.5),
               "numbers to add": torch.full((2, 6), -1e9), "a text": "causal",
               "more keys": torch.ones(2, 1, 6, 9).bool(), "fewer heads": torch.ones(2, 3, 6, 6).bool(),
               "more sequences": torch.ones(5, 1, 6, 6).bool()}


def refused(part, mask, **options) -> bool:
    with pytest.raises(InputError, match="attention_mask: ") as raised:
        part(TOKENS, attention_mask=mask, **options)
    return "\n" not in str(raised.value)


def test_a_mask_of_another_form_is_refused_within_a_prefix():
    for name in ["llama", "qwen"]:
        for ssa in [False, True]:
            model = make(name, ssa=ssa)
            with prefix_attention(model, 3):
                for kind, mask in MASKS.items():
                    assert refused(model, mask), kind


def test_a_mask_of_another_form_is_refused_with_signed_averaging():
    for name in ["qwen", "gpt2"]:
        model = make(name)
        for kind, mask in (MASKS | OTHER_SIZES).items():
            options = {"use_cache": False} if kind == "more tokens" else {}
            if (name, kind) != ("qwen", "a dictionary of none"):
                assert refused(model, mask, **options) and refused(model.base_model, mask, **options), kind


def test_a_dictionary_of_masks_by_kind_of_layer_is_honored_or_refused_with_signed_averaging():
    model = make("qwen")
    full = torch.ones(2, 1, 6, 6).tril().bool()
    for mask in ({"full_attention": full}, {"full_attention": None}):
        assert torch.equal(model(TOKENS, attention_mask=mask).logits, model(TOKENS, attention_mask=full).logits)
    assert refused(model, {"full_attention": ONES.bool()}) and refused(model, {"other": full})
