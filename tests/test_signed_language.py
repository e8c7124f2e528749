"""Scaled signed averaging in models of `transformers` with random weights, none downloaded."""

import copy
import math

import pytest
import torch
from safetensors.torch import load_model, save_model
from transformers import (BloomConfig, BloomForCausalLM, Gemma2Config, Gemma2ForCausalLM,
                          GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM,
                          RobertaConfig, RobertaForMaskedLM)

from icllib.errors import InputError
from icllib.models.signed_language import (attention_layers, signed_attention,
                                           use_signed_averaging)

IDS = {"vocab_size": 50, "bos_token_id": 1, "eos_token_id": None, "pad_token_id": 0}
SIZES = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2,
         "num_attention_heads": 4}
NO_DROPOUT = {"resid_pdrop": 0.0, "embd_pdrop": 0.0, "attn_pdrop": 0.0}
MAKE = {
    "gpt2": lambda: GPT2LMHeadModel(GPT2Config(**IDS, **NO_DROPOUT, n_embd=16, n_layer=2,
                                               n_head=4, scale_attn_by_inverse_layer_idx=True)),
    "llama": lambda: LlamaForCausalLM(LlamaConfig(**IDS, **SIZES, num_key_value_heads=2)),
    "roberta": lambda: RobertaForMaskedLM(RobertaConfig(
        **IDS, **SIZES, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)),
}
TOKENS = torch.tensor([[5, 9, 3, 7, 11, 4], [8, 2, 6, 13, 12, 10]])


def make(name, **options):
    """A model in double precision whose weights are large enough for scores far from 0."""
    torch.manual_seed(0)
    model = MAKE[name]().double().eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.3 * torch.randn_like(parameter)
        if options.get("ssa", True):
            use_signed_averaging(model)
            for layer in attention_layers(model):  # another n and b for every head
                for parameter in layer.signed_softmax.parameters():
                    parameter += torch.randn_like(parameter)
    return model


@pytest.fixture(scope="module", params=MAKE)
def model(request):
    return make(request.param)


@pytest.fixture(scope="module", params=["gpt2", "llama"])
def decoder(request):
    return make(request.param)


# ---- against the paper's formula --------------------------------------------------------------


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
@pytest.mark.parametrize("index", [0, 1])
def test_gpt2_mixes_values_by_the_formula(index):
    attn = make("gpt2").transformer.h[index].attn
    hidden = torch.randn(2, 6, 16, dtype=torch.float64)
    q, k, v = (heads_of(part) for part in attn.c_attn(hidden).split(16, dim=-1))
    n = 1 + torch.log1p(attn.signed_softmax.excess[0].exp())
    b = attn.signed_softmax.log_b[0].exp()
    mixed = by_the_formula(q, k, v, n, b, 4**-0.5 / (index + 1), lambda t: range(t + 1))
    expected = attn.c_proj(mixed.transpose(1, 2).flatten(-2))
    torch.testing.assert_close(attn(hidden, attention_mask=None)[0], expected, atol=1e-12, rtol=0)


@torch.no_grad()
def test_roberta_mixes_values_by_the_formula_over_all_tokens():
    layer = make("roberta").roberta.encoder.layer[0].attention.self
    hidden = torch.randn(2, 6, 16, dtype=torch.float64)
    q, k, v = (heads_of(part(hidden)) for part in (layer.query, layer.key, layer.value))
    ssa = layer.signed_softmax
    mixed = by_the_formula(q, k, v, ssa.n[0], ssa.b[0], 4**-0.5, lambda t: range(6))
    torch.testing.assert_close(layer(hidden)[0], mixed.transpose(1, 2).flatten(-2),
                               atol=1e-12, rtol=0)


@torch.no_grad()
def test_llama_shares_keys_and_values_among_neighbors():
    model = make("llama")
    layer = model.model.layers[0].self_attn
    hidden = torch.randn(2, 6, 16, dtype=torch.float64)
    one, nil = torch.ones(2, 6, 4, dtype=torch.float64), torch.zeros(2, 6, 4, dtype=torch.float64)
    q, k, v = (heads_of(part(hidden)) for part in (layer.q_proj, layer.k_proj, layer.v_proj))
    k, v = (tensor[:, [0, 0, 1, 1]] for tensor in (k, v))
    ssa = layer.signed_softmax
    mixed = by_the_formula(q, k, v, ssa.n[0], ssa.b[0], 4**-0.5, lambda t: range(t + 1))
    expected = layer.o_proj(mixed.transpose(1, 2).flatten(-2))
    found = layer(hidden, position_embeddings=(one, nil), attention_mask=None)[0]  # no rotation
    torch.testing.assert_close(found, expected, atol=1e-12, rtol=0)


@torch.no_grad()
@pytest.mark.parametrize("name", MAKE)
def test_in_the_limit_it_is_softmax(name):
    """n = m and b = 1 / m approach e^z as m grows (Section 7): the error falls like 1 / m."""
    expected, gaps = make(name, ssa=False)(TOKENS).logits, []
    for m in (1e2, 1e3, 1e4):
        found = use_signed_averaging(make(name, ssa=False), n=m, b=1 / m)(TOKENS).logits
        gaps.append(float((found - expected).abs().max()))
    assert gaps[0] > 1e-4 and gaps[1] < gaps[0] / 8 and gaps[2] < gaps[1] / 8


# ---- masks and caches -------------------------------------------------------------------------


@torch.no_grad()
def test_a_later_token_changes_no_earlier_output(decoder):
    changed = TOKENS.clone()
    changed[:, 3] = 40
    moved = (decoder(changed).logits - decoder(TOKENS).logits).abs().amax((0, 2)) > 0
    assert moved.tolist() == [False] * 3 + [True] * 3


@torch.no_grad()
def test_an_encoder_sees_both_ways():
    encoder, changed = make("roberta"), TOKENS.clone()
    changed[:, 3] = 40
    assert ((encoder(changed).logits - encoder(TOKENS).logits).abs().amax((0, 2)) > 0).all()


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


@torch.no_grad()
@pytest.mark.parametrize("cache", ["dynamic", "static"])
def test_cached_generation_equals_recomputing_everything(decoder, cache):
    padding = torch.tensor([[0, 0, 1, 1, 1, 1], [1] * 6])
    steps = 5
    written = decoder.generate(TOKENS * padding, attention_mask=padding, max_new_tokens=steps,
                               do_sample=False, cache_implementation=cache, disable_compile=True)
    for row in range(2):
        sequence = TOKENS[row, padding[row].bool()]
        for _ in range(steps):
            following = decoder(sequence[None], use_cache=False).logits[0, -1].argmax()
            sequence = torch.cat((sequence, following[None]))
        assert written[row, -steps:].tolist() == sequence[-steps:].tolist()


# ---- parameters -------------------------------------------------------------------------------


def test_every_head_of_every_layer_has_its_own_n_and_b():
    """Appendix B: from n = 1.5 and b = 1, 2 x 12 x 12 = 288 numbers in GPT-2 124M."""
    with torch.device("meta"):
        model = GPT2LMHeadModel(GPT2Config())
    plain = sum(parameter.numel() for parameter in model.parameters())
    assert sum(p.numel() for p in use_signed_averaging(model).parameters()) == plain + 288
    ssa = use_signed_averaging(MAKE["gpt2"]()).transformer.h[1].attn.signed_softmax
    torch.testing.assert_close(ssa.n, torch.full((1, 4), 1.5))
    torch.testing.assert_close(ssa.b, torch.ones(1, 4))


@pytest.mark.parametrize("name", ["gpt2", "roberta"])  # Llama normalizes in float32
def test_gradients_are_those_of_finite_differences(name):
    model = make(name)
    layers = attention_layers(model)
    targets = [value for layer in layers for value in layer.signed_softmax.parameters()]
    assert len(targets) == 4

    def loss():
        return model(TOKENS).logits.square().mean()

    grads = torch.autograd.grad(loss(), targets)
    with torch.no_grad():
        for values, grad in zip(targets, grads):
            for head in range(4):
                ends = []
                for shift in (1e-6, -2e-6):
                    values[0, head] += shift
                    ends.append(float(loss()))
                values[0, head] += 1e-6
                slope = (ends[0] - ends[1]) / 2e-6
                assert slope == pytest.approx(float(grad[0, head]), rel=1e-5, abs=1e-9)
                assert abs(slope) > 1e-9


def test_the_slope_at_a_score_of_zero_is_n_b():
    """Queries of 0 make every score 0. Plain autograd would give their weights no gradient."""
    model = make("gpt2", ssa=False)
    use_signed_averaging(model, n=2.0, b=3.0)
    attn, hidden = model.transformer.h[0].attn, torch.randn(1, 2, 16, dtype=torch.float64)
    with torch.no_grad():
        attn.c_attn.weight[:, :16], attn.c_attn.bias[:16] = 0, 0
    bias = attn.c_attn.bias

    def last(shift):
        with torch.no_grad():
            bias[0] += shift
            out = attn(hidden, attention_mask=None)[0][0, -1].sum()
            bias[0] -= shift
        return float(out)

    grad, = torch.autograd.grad(attn(hidden, attention_mask=None)[0][0, -1].sum(), bias)
    slope = (last(1e-6) - last(-1e-6)) / 2e-6
    assert slope == pytest.approx(float(grad[0]), rel=1e-4) and abs(slope) > 1e-3


@pytest.mark.parametrize("trainable", [True, False])
@pytest.mark.parametrize("name", MAKE)
def test_a_saved_model_loads_and_computes_the_same(name, trainable, tmp_path):
    model = use_signed_averaging(make(name, ssa=False), n=1.7, b=0.6, trainable=trainable)
    save_model(model, tmp_path / "model.safetensors")
    torch.manual_seed(1)
    other = use_signed_averaging(MAKE[name]().double().eval(), trainable=trainable)
    assert not torch.equal(other(TOKENS).logits, model(TOKENS).logits)
    load_model(other, tmp_path / "model.safetensors")
    assert torch.equal(other(TOKENS).logits, model(TOKENS).logits)
    state = model.state_dict()
    assert sum("signed_softmax" in entry for entry in state) == 4
    fresh = use_signed_averaging(MAKE[name]().double().eval(), trainable=trainable)
    fresh.load_state_dict(state)
    assert torch.equal(fresh(TOKENS).logits, model(TOKENS).logits)


def test_fixed_numbers_are_no_parameters():
    model = use_signed_averaging(MAKE["gpt2"](), n=1.0, trainable=False)
    assert not any("signed_softmax" in name for name, _ in model.named_parameters())
    assert (attention_layers(model)[0].signed_softmax.n == 1).all()


# ---- precision and dropout --------------------------------------------------------------------


@torch.no_grad()
def test_scores_are_float32_under_autocast():
    """The second score is 200.5 and the first 200: bfloat16 has only every whole number there."""
    attn = use_signed_averaging(MAKE["gpt2"](), n=300.0).transformer.h[0].attn
    q, k = torch.full((1, 4, 1, 4), 8.0), torch.full((1, 4, 2, 4), 6.25)
    k[:, :, 1, 0] += 0.0625
    with torch.autocast("cpu", torch.bfloat16):
        _, weights = signed_attention(attn, q.bfloat16(), k.bfloat16(), k.bfloat16(), None,
                                      scaling=1.0)
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


# ---- what is refused --------------------------------------------------------------------------


def test_a_model_with_an_attention_of_its_own_is_refused_and_left_alone():
    model = BloomForCausalLM(BloomConfig(vocab_size=50, hidden_size=16, n_layer=1, n_head=2))
    before = set(model.state_dict())
    with pytest.raises(InputError, match="attention that `transformers` can set, got Bloom"):
        use_signed_averaging(model)
    assert set(model.state_dict()) == before


@torch.no_grad()
def test_a_model_that_stays_with_its_attention_is_refused_and_left_alone(monkeypatch):
    model = make("gpt2", ssa=False)
    before, names = model(TOKENS).logits, set(model.state_dict())
    monkeypatch.setattr(type(model), "_can_set_attn_implementation", lambda _: False)
    with pytest.raises(InputError, match="attention that `transformers` can set, got GPT2"):
        use_signed_averaging(model)
    assert torch.equal(model(TOKENS).logits, before) and set(model.state_dict()) == names


@pytest.mark.parametrize("n, b", [(0.9, 1.0), (1.0, 1.0), (1.5, 0.0)])
def test_numbers_outside_their_range_are_refused(n, b):
    with pytest.raises(InputError, match="expected (n >= 1|a positive number)"):
        use_signed_averaging(MAKE["gpt2"](), n, b)


def test_a_second_call_leaves_what_was_trained():
    model = use_signed_averaging(MAKE["gpt2"](), 1.5)
    before = copy.deepcopy(model.state_dict())
    with pytest.raises(InputError, match="without n and b, got one that has them already"):
        use_signed_averaging(model, 2.0)
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())


def test_what_is_no_model_of_transformers_is_refused():
    with pytest.raises(InputError, match="one of `transformers`, got Linear"):
        use_signed_averaging(torch.nn.Linear(2, 2))


def test_scores_that_are_more_than_products_are_refused():
    model = use_signed_averaging(Gemma2ForCausalLM(Gemma2Config(
        **IDS, **SIZES, num_key_value_heads=2, head_dim=4)))
    with pytest.raises(InputError, match="q . k alone, got softcap"):
        model(TOKENS)


def test_a_mask_of_numbers_is_refused():
    with pytest.raises(InputError, match="expected a boolean one, .* got torch.float64"):
        make("gpt2")(TOKENS, attention_mask=torch.zeros(2, 1, 6, 6, dtype=torch.float64))


def test_a_second_model_on_the_same_config_says_what_is_wrong():
    config = GPT2Config(**IDS, n_embd=16, n_layer=1, n_head=4)
    use_signed_averaging(GPT2LMHeadModel(config))
    with pytest.raises(InputError, match="does it share a config with another model"):
        GPT2LMHeadModel(config)(TOKENS)
