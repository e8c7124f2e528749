"""Scaled signed averaging under the tools around `transformers`; those not installed are skipped."""

import copy
from functools import partial

import pytest
import torch
from torch import nn
from transformers import Trainer, TrainingArguments

from claimbook.records.errors import InputError
from icllib.models.language import prefix_attention
from icllib.models.signed_language import load_signed_averaging
from random_language_models import MAKE, TOKENS, make

DECODERS = ["gpt2", "llama", "qwen"]


def batch():
    return {"input_ids": TOKENS, "labels": TOKENS}


def gradients(model):
    model.zero_grad()
    model(**batch()).loss.backward()
    return {name: p.grad for name, p in model.named_parameters() if p.grad is not None}


def signed(names):
    return [name for name in names if "signed_softmax_norm" in name]


@pytest.mark.parametrize("name", [
    name if name == "llama" else pytest.param(name, marks=pytest.mark.large) for name in MAKE])
def test_a_compiled_model_computes_the_same(name):
    model = make(name)
    expected = gradients(model)
    torch.compiler.reset()
    compiled = torch.compile(model, backend="aot_eager")
    found = gradients(compiled)
    for key, value in expected.items():
        torch.testing.assert_close(found[f"_orig_mod.{key}"], value, atol=1e-10, rtol=1e-8)


def trained(model, folder, **options):
    rows = [{"input_ids": row, "labels": row} for row in TOKENS.repeat(3, 1)[:5]]
    settings = TrainingArguments(folder, per_device_train_batch_size=2, max_steps=3, use_cpu=True,
                                 learning_rate=0.01, weight_decay=10.0, report_to=[], seed=1,
                                 save_strategy="no", disable_tqdm=True, **options)
    Trainer(model, settings, train_dataset=rows).train()
    return model


@pytest.mark.parametrize("name, bf16", [("gpt2", False), ("llama", True)])
def test_the_trainer_trains_n_and_b_and_saves_them(name, bf16, tmp_path):
    pytest.importorskip("accelerate", reason="accelerate, which Trainer needs, is not installed")
    model = make(name).float()
    before = {key: p.detach().clone() for key, p in model.named_parameters()}
    trained(model, tmp_path, bf16=bf16).eval()
    for key in signed(before):  # Adam's steps are about the learning rate, decay would be ten times
        step = (model.get_parameter(key) - before[key]).abs()
        assert 0 < step.min() and step.max() < 0.04
    model.save_pretrained(tmp_path / "saved")
    again = load_signed_averaging(tmp_path / "saved").state_dict()
    assert all(torch.equal(again[key], value) for key, value in model.state_dict().items())


@pytest.mark.parametrize("name", ["gpt2", "llama"])
def test_lora_leaves_n_and_b_alone_or_trains_them(name, tmp_path):
    peft = pytest.importorskip("peft", reason="peft is not installed")
    base = make(name).float()
    pristine = copy.deepcopy(base)
    for extra, count in ((None, 0), (["signed_softmax_norm"], 4)):
        model = peft.get_peft_model(copy.deepcopy(base), peft.LoraConfig(
            r=2, target_modules="all-linear", modules_to_save=extra, init_lora_weights=False))
        assert len(signed(name for name, p in model.named_parameters() if p.requires_grad)) == count
        assert len(signed(gradients(model))) == count
        with torch.no_grad():
            for key in signed(name for name, p in model.named_parameters() if p.requires_grad):
                model.get_parameter(key).add_(0.5)
        expected = model.eval()(TOKENS).logits
        model.save_pretrained(tmp_path / str(count))
        again = peft.PeftModel.from_pretrained(copy.deepcopy(pristine), tmp_path / str(count))
        torch.testing.assert_close(again.eval()(TOKENS).logits, expected)


@pytest.mark.parametrize("implementation", ["eager", "sdpa", "ssa"])
@pytest.mark.parametrize("checkpointing", [None, True, False], ids=["none", "reentrant", "not reentrant"])
@pytest.mark.parametrize("wrap", [lambda model: model, pytest.param(
    partial(torch.compile, backend="aot_eager"), marks=pytest.mark.large)], ids=["plain", "compiled"])
@pytest.mark.parametrize("name", ["gpt2", "llama"])
def test_gradients_of_a_prefix_are_the_same_whatever_computes_them(name, implementation, checkpointing, wrap):
    """Also where layers are computed again in the backward pass, when the block has ended."""
    torch.compiler.reset()
    found, signed = [], implementation == "ssa"
    for own, again in (("sdpa", None), (implementation, checkpointing)):
        model = make(name, ssa=signed).train()
        if not signed:
            model.set_attn_implementation(own)
        before = model.config._attn_implementation
        if again is not None:
            model.gradient_checkpointing_enable({"use_reentrant": again})
        called = wrap(model) if found else model
        with prefix_attention(called, [4, 2]):
            loss = called(**batch(), attention_mask=torch.ones_like(TOKENS), use_cache=False).loss
        assert model.config._attn_implementation == before and not hasattr(model.config, "prefix_lengths")
        loss.sum().backward()
        found.append({key: p.grad.clone() for key, p in model.named_parameters()})
    near = {"atol": 3e-6, "rtol": 1e-3} if implementation == "eager" else {"atol": 1e-12, "rtol": 1e-9}
    for key, expected in found[0].items():  # Llama's own eager attention takes softmax in single precision
        torch.testing.assert_close(found[1][key], expected, **near)


@pytest.mark.parametrize("name", DECODERS)
def test_attention_maps_of_a_prefix(name):
    """Of a model with eager attention: the weights of each layer, with which the prefix sees itself."""
    model = make(name, ssa=False)
    model.set_attn_implementation("eager")
    with torch.no_grad(), prefix_attention(model, [4, 2]):
        shown = model(TOKENS, output_attentions=True)
    assert len(shown.attentions) == 2
    for weights in shown.attentions:
        torch.testing.assert_close(weights.sum(-1), torch.ones_like(weights[..., 0]))
        for row, length in enumerate((4, 2)):
            seen = torch.ones(6, 6).tril().bool()
            seen[:length, :length] = True
            assert ((weights[row] > 0) == seen).all()
    expected = shown.logits
    model.set_attn_implementation("sdpa")
    with torch.no_grad(), prefix_attention(model, [4, 2]):
        torch.testing.assert_close(model(TOKENS).logits, expected, atol=3e-6, rtol=1e-3)


def test_the_end_of_a_prefix_leaves_nothing_behind_whatever_fails():
    model = make("llama", ssa=False)
    with torch.no_grad():
        causal = model(TOKENS).logits
        first, second = prefix_attention(torch.compile(model, backend="eager"), 4), prefix_attention(model, 2)
        first.__enter__(), second.__enter__()
        first.__exit__(None, None, None), second.__exit__(None, None, None)  # not as they were opened
        with pytest.raises(ZeroDivisionError), prefix_attention(model, 4):
            1 / 0
        model.set_attn_implementation("sdpa")
        assert (model(TOKENS).logits == causal).all()


@pytest.mark.parametrize("implementation", ["eager", "sdpa", "ssa"])
def test_no_other_model_takes_a_prefix_over(implementation):
    """Neither one with the same config, or made of it within the block, nor a copy."""
    model = make("llama", ssa=implementation == "ssa")
    if implementation != "ssa":
        model.set_attn_implementation(implementation)
    other = copy.deepcopy(model)
    for module in other.modules():
        if hasattr(module, "config"):
            module.config = model.config
    causal = other(TOKENS).logits
    with prefix_attention(model, 4), prefix_attention(model, 3):
        model(TOKENS)
        for late in (other, type(model)(model.config), type(model)(copy.deepcopy(model.config))):
            with pytest.raises(InputError, match="model: expected that of prefix_attention, got another"):
                late(TOKENS)
        with pytest.raises(InputError, match="got another with the same config"), prefix_attention(other, 2):
            pass
        for part in (model, model.base_model, nn.Sequential(model)):
            with pytest.raises(InputError, match="or deepcopy: expected a call outside of prefix_attention"):
                copy.deepcopy(part)
    assert torch.equal(other(TOKENS).logits, causal) and torch.equal(copy.deepcopy(model)(TOKENS).logits, causal)
