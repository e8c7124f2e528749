"""Scaled signed averaging in models of `transformers` with random weights; what is saved is never softmax."""

import copy
import json
import math
import pickle

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch.func import functional_call
from transformers import (
    AttentionInterface, AttentionMaskInterface, AutoModelForCausalLM, AutoModelForMaskedLM, BloomConfig,
    BloomForCausalLM, GPT2Config, GPT2LMHeadModel, GPT2Model, LlamaForSequenceClassification, LlamaModel,
    RobertaForMaskedLM)

from claimbook.records.errors import InputError
from icllib.models import signed_language
from icllib.models.signed_language import (
    attention_layers, load_signed_averaging, signed_attention, use_signed_averaging)

from random_language_models import IDS, MAKE, NO_DROPOUT, TOKENS, make


@pytest.fixture(scope="module", params=MAKE)
def model(request):
    return make(request.param)


def by_the_formula(q, k, v, n, b, scale, seen):
    """Equation 5 one query at a time: q, k, v (B, H, T, d), n, b (H,), seen(t) -> columns."""
    mixed = torch.zeros_like(q)
    for batch, head, t in ((*place,) for place in torch.cartesian_prod(
            *(torch.arange(size) for size in q.shape[:3]))):
        powers = {}
        for s in seen(int(t)):
            z = float(q[batch, head, t] @ k[batch, head, s]) * scale
            powers[s] = (1 + float(b[head]) * abs(z)) ** (math.copysign(1, z) * float(n[head]))
        for s, power in powers.items():
            mixed[batch, head, t] += power / sum(powers.values()) * v[batch, head, s]
    return mixed


def heads_of(tensor):
    """(B, T, heads d) -> (B, heads, T, d) with 4 numbers a head."""
    return tensor.unflatten(-1, (-1, 4)).transpose(1, 2)


@torch.no_grad()
@pytest.mark.parametrize("name, index", [("gpt2", 0), ("gpt2", 1), ("roberta", 0), ("llama", 0)])
def test_values_are_mixed_by_the_formula(name, index):
    """GPT-2 divides scores by the layer, RoBERTa sees all tokens, Llama's neighbors share keys and values."""
    layer, hidden = attention_layers(make(name))[index], torch.randn(2, 6, 16, dtype=torch.float64)
    if name == "gpt2":
        parts, out = layer.c_attn(hidden).split(16, dim=-1), layer.c_proj
    else:
        names = ("query", "key", "value") if name == "roberta" else ("q_proj", "k_proj", "v_proj")
        parts = [getattr(layer, own)(hidden) for own in names]
        out = torch.nn.Identity() if name == "roberta" else layer.o_proj
    (q, k, v), options = map(heads_of, parts), {"attention_mask": None}
    if name == "llama":
        k, v = (tensor[:, [0, 0, 1, 1]] for tensor in (k, v))
        one = torch.ones(2, 6, 4, dtype=torch.float64)
        options["position_embeddings"] = one, 0 * one  # no rotation
    n = 1 + torch.log1p(layer.signed_softmax_norm.excess.exp())
    b = layer.signed_softmax_norm.log_b.exp()
    seen = lambda t: range(6 if name == "roberta" else t + 1)
    mixed = by_the_formula(q, k, v, n, b, 4**-0.5 / (index + 1), seen)
    expected = out(mixed.transpose(1, 2).flatten(-2))
    torch.testing.assert_close(layer(hidden, **options)[0], expected, atol=1e-12, rtol=0)


@torch.no_grad()
@pytest.mark.parametrize("side", ["left", "right"])
def test_padding_changes_nothing(model, side):
    padding = torch.ones_like(TOKENS)
    padding[0, slice(2) if side == "left" else slice(-2, None)] = 0
    real = padding.bool()
    first = 1 if isinstance(model, RobertaForMaskedLM) else 0  # its places start behind padding's
    places = (padding.cumsum(-1) - 1).clamp(min=0) + first
    together = model(TOKENS * padding, attention_mask=padding, position_ids=places).logits
    assert together.isfinite().all()
    for row in range(2):
        tokens = TOKENS[row, real[row]][None]
        alone = model(tokens, position_ids=places[row, real[row]][None]).logits[0]
        torch.testing.assert_close(together[row, real[row]], alone, atol=1e-12, rtol=0)


def test_gradients_stay_finite_beside_padding_that_sees_nothing(model):
    padding = torch.tensor([[0, 0, 1, 1, 1, 1], [1] * 6])
    model.zero_grad()
    model(TOKENS, attention_mask=padding).logits[padding.bool()].sum().backward()
    assert all(p.grad is None or p.grad.isfinite().all() for p in model.parameters())


def test_every_head_of_every_layer_has_its_own_n_and_b():
    """Appendix B: from n = 1.5 and b = 1, 2 x 12 x 12 = 288 numbers in GPT-2 124M."""
    with torch.device("meta"):
        model = GPT2LMHeadModel(GPT2Config())
    plain = sum(parameter.numel() for parameter in model.parameters())
    assert sum(p.numel() for p in use_signed_averaging(model).parameters()) == plain + 288
    ssa = use_signed_averaging(MAKE["gpt2"]()).transformer.h[1].attn.signed_softmax_norm
    torch.testing.assert_close(ssa.n, torch.full((4,), 1.5))
    torch.testing.assert_close(ssa.b, torch.ones(4))


@pytest.mark.parametrize("name", ["gpt2", "roberta"])  # Llama normalizes in float32
def test_gradients_are_those_of_finite_differences(name):
    model = make(name)
    learned = {own: values for own, values in model.named_parameters() if "signed_softmax_norm" in own}
    loss = lambda *values: functional_call(model, dict(zip(learned, values)), (TOKENS,)).logits.square().mean()
    assert len(learned) == 4 and torch.autograd.gradcheck(loss, tuple(learned.values()))
    assert all(slope.abs().min() > 1e-9 for slope in torch.autograd.grad(loss(*learned.values()), [*learned.values()]))


@torch.no_grad()
def test_scores_are_float32_under_autocast():
    """The second score is 200.5 and the first 200: bfloat16 has only every whole number there."""
    attn = use_signed_averaging(MAKE["gpt2"](), n=300.0).transformer.h[0].attn
    q, k = torch.full((1, 4, 1, 4), 8.0), torch.full((1, 4, 2, 4), 6.25)
    k[:, :, 1, 0] += 0.0625
    with torch.autocast("cpu", torch.bfloat16):
        _, weights = signed_attention(attn, q.bfloat16(), k.bfloat16(), k.bfloat16(), None, scaling=1.0)
    powers = (torch.tensor([201.0, 201.5], dtype=torch.float64) / 201) ** 300
    expected = (powers / powers.sum()).expand(4, 2)
    assert weights.dtype == torch.bfloat16 and expected[0, 1] > 0.67
    torch.testing.assert_close(weights[0, :, 0].double(), expected, atol=4e-3, rtol=0)


def test_dropout_acts_in_training_and_not_after():
    torch.manual_seed(0)
    model = use_signed_averaging(GPT2LMHeadModel(GPT2Config(
        **IDS, **NO_DROPOUT | {"attn_pdrop": 0.5}, n_embd=16, n_layer=1, n_head=4)))
    assert torch.equal(model.eval()(TOKENS).logits, model(TOKENS).logits)
    assert not torch.equal(model.train()(TOKENS).logits, model(TOKENS).logits)


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


def test_a_second_model_on_the_same_config_says_what_is_wrong():
    config = GPT2Config(**IDS, n_embd=16, n_layer=1, n_head=4)
    use_signed_averaging(GPT2LMHeadModel(config))
    with pytest.raises(InputError, match="got none: .* share a config"):
        GPT2LMHeadModel(config)(TOKENS)


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
