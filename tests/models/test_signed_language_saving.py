"""Scaled signed averaging in models of `transformers`: what is saved never turns into softmax."""

import json

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import (
    AttentionInterface, AttentionMaskInterface, AutoModelForCausalLM, AutoModelForMaskedLM, GPT2LMHeadModel,
    GPT2Model, LlamaForSequenceClassification, LlamaModel)

from claimbook.records.errors import InputError
from icllib.models import signed_language
from icllib.models.signed_language import attention_layers, load_signed_averaging, use_signed_averaging
from random_language_models import MAKE, TOKENS, make


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


def test_plain_loading_stops_where_this_project_is_not_imported(tmp_path, monkeypatch):
    make("gpt2").save_pretrained(tmp_path)
    for known in (AttentionInterface, AttentionMaskInterface):
        own = {name: function for name, function in known._global_mapping.items() if "icllib" not in name}
        monkeypatch.setattr(known, "_global_mapping", own)
    with pytest.raises(ValueError, match='"icllib_signed_averaging"` is not supported'):
        AutoModelForCausalLM.from_pretrained(tmp_path)


def test_the_head_of_another_class_may_be_new_but_not_its_layers(tmp_path):
    make("llama").save_pretrained(tmp_path)
    with pytest.warns(UserWarning, match=r"score.weight \(drawn anew\), lm_head.weight \(left out\)$"):
        model = load_signed_averaging(tmp_path, LlamaForSequenceClassification)
    assert model.score.weight.std() > 0
    without("model.norm.weight")(tmp_path)
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


@torch.no_grad()
def test_options_reach_transformers_and_change_no_attention(tmp_path):
    model, folder = make("llama").float(), tmp_path
    model.save_pretrained(folder)
    for options in ({"attn_implementation": "eager"}, {"config": None}, {"device_map": "cpu"}):
        again = load_signed_averaging(folder, **options).cpu().eval()
        own, other = model.state_dict(), again.state_dict()
        assert own.keys() == other.keys() and all(torch.equal(own[name], other[name]) for name in own)
        assert torch.equal(model(TOKENS).logits, again(TOKENS).logits)
    assert load_signed_averaging(folder, dtype=torch.float64).dtype == torch.float64


def config(**changes):
    return lambda folder: (folder / "config.json").write_text(json.dumps(json.loads(
        (folder / "config.json").read_text("utf-8")) | changes), "utf-8")


def weights(change):
    def damage(folder):
        change(own := load_file(folder / "model.safetensors"))
        save_file(own, folder / "model.safetensors", {"format": "pt"})
    return damage


def without(text):
    return weights(lambda own: [own.pop(name) for name in [*own] if text in name])


def half(name):
    return lambda folder: (folder / name).write_bytes((folder / name).read_bytes()[:90])


REFUSED = [
    *((config(architectures=[name]), {}, f"folder: .*'{name}'")
      for name in ("pipeline", "AutoModel", "Gone", "LlamaConfig")),
    (lambda folder: make("llama", ssa=False).save_pretrained(folder), {}, "folder: "),
    (without("layers.1.self_attn.signed"), {}, "with n and b, got none for model.layers.1.self_attn"),
    (without("layers.0.mlp.up_proj"), {}, "the weights of LlamaFor.* none for model.layers.0.mlp.up"),
    (weights(lambda own: own.update(other=torch.ones(3))), {}, "of LlamaFor.* got too many for other"),
    (weights(lambda own: own.update({"lm_head.weight": torch.ones(50, 3)})), {}, "of LlamaFor.*lm_head.weight"),
    (half("config.json"), {}, "folder: "), (half("model.safetensors"), {}, "folder: "),
    *((None, options, "folder: ") for options in (
        {"folder": 3}, {"folder": "/no/such/folder"}, {"variant": "other"}, {"nonsense": 3}))]


@pytest.mark.parametrize("damage, options, told", REFUSED)
def test_what_cannot_be_loaded_is_refused_in_a_line(tmp_path, damage, options, told):
    make("llama").float().save_pretrained(tmp_path)
    if damage:
        damage(tmp_path)
    with pytest.raises(InputError, match=told) as raised:
        load_signed_averaging(**{"folder": tmp_path} | options)
    assert "\n" not in str(raised.value)
