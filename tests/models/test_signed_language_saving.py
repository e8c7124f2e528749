"""Scaled signed averaging in models of `transformers`: what is saved never turns into softmax."""

import json
import subprocess
import sys

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import (AutoModelForCausalLM, AutoModelForMaskedLM, GPT2LMHeadModel, GPT2Model,
                          LlamaForSequenceClassification, LlamaModel)

from claimbook.records.errors import InputError
from icllib.models import signed_language
from icllib.models.signed_language import attention_layers, load_signed_averaging, use_signed_averaging
from random_language_models import MAKE, TOKENS, make

LOAD_ELSEWHERE = """
import sys
from transformers import AutoModelForCausalLM
AutoModelForCausalLM.from_pretrained(sys.argv[1])
"""


@pytest.mark.parametrize("name", MAKE)
def test_a_saved_model_loads_with_n_and_b_and_computes_the_same(name, tmp_path):
    model = make(name)
    model.save_pretrained(tmp_path)
    again = load_signed_averaging(tmp_path, dtype=torch.float64).eval()
    assert type(again) is type(model)
    assert torch.equal(again(TOKENS).logits, model(TOKENS).logits)
    for own, other in zip(attention_layers(again), attention_layers(model)):
        assert torch.equal(own.signed_softmax_norm.n, other.signed_softmax_norm.n)
    again.save_pretrained(tmp_path / "again")
    third = load_signed_averaging(tmp_path / "again", dtype=torch.float64).eval()
    assert torch.equal(third(TOKENS).logits, model(TOKENS).logits)


@pytest.mark.parametrize("trainable", [True, False])
def test_what_is_fixed_stays_fixed(trainable, tmp_path):
    use_signed_averaging(MAKE["gpt2"](), 2.5, 0.5, trainable).save_pretrained(tmp_path)
    again = load_signed_averaging(tmp_path)
    assert any("norm.excess" in name for name, _ in again.named_parameters()) == trainable
    torch.testing.assert_close(attention_layers(again)[0].signed_softmax_norm.n,
                               torch.full((4,), 2.5), atol=1e-6, rtol=0)


def test_another_class_loads_the_same_layers(tmp_path):
    model = make("gpt2")
    model.save_pretrained(tmp_path)
    inner = load_signed_averaging(tmp_path, GPT2Model, dtype=torch.float64).eval()
    assert type(inner) is GPT2Model
    assert torch.equal(inner(TOKENS).last_hidden_state, model.transformer(TOKENS).last_hidden_state)


def test_plain_loading_stops_before_it_computes(tmp_path):
    make("gpt2").save_pretrained(tmp_path)
    signed_language.register_signed()
    for kind in (GPT2LMHeadModel, AutoModelForCausalLM):
        model = kind.from_pretrained(tmp_path)
        with pytest.raises(InputError, match="got none: load saved models with load_signed"):
            model(TOKENS)


def test_plain_loading_stops_where_this_project_is_not_imported(tmp_path):
    make("gpt2").save_pretrained(tmp_path)
    done = subprocess.run([sys.executable, "-c", LOAD_ELSEWHERE, str(tmp_path)], encoding="utf-8",
                          capture_output=True)
    assert done.returncode and '"icllib_signed_averaging"` is not supported' in done.stderr


def test_a_folder_that_names_no_model_is_refused(tmp_path):
    make("gpt2").save_pretrained(tmp_path)
    config = json.loads((tmp_path / "config.json").read_text("utf-8"))
    for named in ("pipeline", "AutoModel", "Gone", "GPT2Config"):
        (tmp_path / "config.json").write_text(json.dumps(config | {"architectures": [named]}), "utf-8")
        with pytest.raises(InputError, match=f"folder: .*'{named}'"):
            load_signed_averaging(tmp_path)


def test_what_has_no_n_and_b_is_refused(tmp_path):
    make("gpt2", ssa=False).save_pretrained(tmp_path / "softmax")
    with pytest.raises(InputError, match="folder: "):
        load_signed_averaging(tmp_path / "softmax")
    make("gpt2").save_pretrained(tmp_path)
    weights = load_file(tmp_path / "model.safetensors")
    lost = {name: value for name, value in weights.items() if "h.1.attn.signed" not in name}
    assert len(lost) == len(weights) - 2
    save_file(lost, tmp_path / "model.safetensors", {"format": "pt"})
    with pytest.raises(InputError, match="with n and b, got none for transformer.h.1.attn"):
        load_signed_averaging(tmp_path)


@pytest.mark.parametrize("change, message", [
    (lambda weights: weights.pop("model.layers.0.mlp.up_proj.weight"), "none for model.layers.0.mlp.up"),
    (lambda weights: weights.update(other=torch.ones(3)), "got too many for other"),
    (lambda weights: weights.update({"lm_head.weight": torch.ones(50, 3)}), "lm_head.weight")])
def test_weights_that_are_not_the_model_s_are_refused_by_name(change, message, tmp_path):
    make("llama").save_pretrained(tmp_path)
    weights = load_file(tmp_path / "model.safetensors")
    change(weights)
    save_file(weights, tmp_path / "model.safetensors", {"format": "pt"})
    with pytest.raises(InputError, match=f"folder: expected the weights of LlamaFor.*{message}"):
        load_signed_averaging(tmp_path)


def test_the_head_of_another_class_may_be_new_but_not_its_layers(tmp_path):
    make("llama").save_pretrained(tmp_path)
    with pytest.warns(UserWarning, match=r"score.weight \(drawn anew\), lm_head.weight \(left out\)$"):
        model = load_signed_averaging(tmp_path, LlamaForSequenceClassification)
    assert model.score.weight.std() > 0
    weights = load_file(tmp_path / "model.safetensors")
    del weights["model.norm.weight"]
    save_file(weights, tmp_path / "model.safetensors", {"format": "pt"})
    for kind in (LlamaForSequenceClassification, LlamaModel):
        with pytest.raises(InputError, match="got none for .*norm.weight"):
            load_signed_averaging(tmp_path, kind)


def test_a_class_and_options_are_handed_on(tmp_path):
    model = make("llama").float()
    model.save_pretrained(tmp_path / "inner", variant="own")
    again, found = load_signed_averaging(tmp_path, AutoModelForCausalLM, subfolder="inner", variant="own",
                                         output_loading_info=True)
    assert type(again) is type(model) and not found["missing_keys"]
    assert torch.equal(again.eval()(TOKENS).logits, model(TOKENS).logits)
    for kind in (AutoModelForMaskedLM, torch.nn.Linear, "no"):
        with pytest.raises(InputError, match="kind: .* for LlamaConfig"):
            load_signed_averaging(tmp_path / "inner", kind, variant="own")


@pytest.mark.parametrize("half", [torch.bfloat16, torch.float16])
def test_n_and_b_stay_in_single_precision(half, tmp_path):
    model = make("llama").float()
    before = attention_layers(model)[0].signed_softmax_norm.n.detach().clone()
    assert not torch.equal(before.to(half).float(), before)
    model.save_pretrained(tmp_path)
    for cast in (model.to(half), load_signed_averaging(tmp_path, dtype=half)):
        assert next(cast.parameters()).dtype == half
        ssa = attention_layers(cast)[0].signed_softmax_norm
        assert ssa.excess.dtype == ssa.log_b.dtype == torch.float32
        assert torch.equal(ssa.n, before) and cast(TOKENS).logits.dtype == half
    saved = tmp_path / "half"
    model.save_pretrained(saved)
    assert torch.equal(attention_layers(load_signed_averaging(saved))[0].signed_softmax_norm.n, before)


def test_a_version_that_computes_something_else_is_refused(monkeypatch):
    model = make("gpt2", ssa=False)
    for version in ("4.57.6", "5.3.0"):
        monkeypatch.setattr("transformers.__version__", version)
        with pytest.raises(InputError, match=f"transformers: .* {version}$"):
            use_signed_averaging(model)
    monkeypatch.setattr("transformers.__version__", "5.10.0.dev0")
    use_signed_averaging(model)


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A model with SSA, and the folder that it was saved to."""
    model, folder = make("llama").float(), tmp_path_factory.mktemp("saved")
    model.save_pretrained(folder)
    return model, folder


@torch.no_grad()
def test_options_reach_transformers_and_change_no_attention(saved):
    model, folder = saved
    for options in ({"attn_implementation": "eager"}, {"config": None}, {"device_map": "cpu"}):
        again = load_signed_averaging(folder, **options).cpu().eval()
        own, other = model.state_dict(), again.state_dict()
        assert own.keys() == other.keys() and all(torch.equal(own[name], other[name]) for name in own)
        assert torch.equal(model(TOKENS).logits, again(TOKENS).logits)
    assert load_signed_averaging(folder, dtype=torch.float64).dtype == torch.float64


@pytest.mark.parametrize("folder, options", [
    (3, {}), ("/no/such/folder", {}), ("saved", {"variant": "other"}), ("saved", {"nonsense": 3}),
    ("config.json", {}), ("model.safetensors", {})])  # a file that is damaged
def test_what_cannot_be_loaded_is_refused_in_a_line(saved, tmp_path, folder, options):
    for file in saved[1].iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes()[: 90 if file.name == folder else None])
    with pytest.raises(InputError, match="folder: ") as raised:
        load_signed_averaging(folder if folder in (3, "/no/such/folder") else tmp_path, **options)
    assert "\n" not in str(raised.value)
