"""Prefix attention in decoders of `transformers` with random weights: nothing is downloaded."""

import copy

import pytest
import torch
from transformers import BloomConfig, BloomForCausalLM, MistralConfig, MistralForCausalLM

from claimbook.records.errors import InputError
from icllib.models.language import prefix_attention
from icllib.models.signed_language import load_signed_averaging, use_signed_averaging
from random_language_models import IDS, MAKE, SIZES, make

TOKENS = torch.tensor([[5, 9, 3, 7, 11, 4], [8, 2, 6, 13, 12, 10], [7, 7, 5, 3, 20, 30]])
LENGTHS = [4, 0, 6]


@pytest.fixture(scope="module", params=["llama", "gpt2", "qwen"])
def model(request):
    return make(request.param, ssa=False)


@torch.no_grad()
def logits(model, tokens, lengths, **options):
    with prefix_attention(model, lengths):
        return model(tokens, **options).logits


def explicit_mask(padding, lengths):
    """One cell at a time: (B, 1, T, T), where padding (B, T) is 1 for real tokens."""
    masks = []
    for real, length in zip(padding.tolist(), lengths):
        places = [column for column, one in enumerate(real) if one]
        prefix = set(places[:length])
        masks.append([[bool(real[key]) and (key <= query or {key, query} <= prefix)
                       for key in range(len(real))] for query in range(len(real))])
    return torch.tensor(masks)[:, None]


def padded(side):
    """Sequences of 4, 6 and 5 tokens: tokens and padding mask, (3, 6) each."""
    padding = torch.ones(3, 6, dtype=torch.long)
    for row, missing in enumerate((2, 0, 1)):
        if missing:
            padding[row, slice(missing) if side == "left" else slice(-missing, None)] = 0
    return TOKENS * padding, padding


@torch.no_grad()
def test_it_equals_an_explicit_mask(model):
    expected = model(TOKENS, attention_mask=explicit_mask(torch.ones(3, 6), LENGTHS)).logits
    torch.testing.assert_close(logits(model, TOKENS, LENGTHS), expected, atol=1e-12, rtol=0)


@torch.no_grad()
@pytest.mark.parametrize("side", ["left", "right"])
def test_padding_is_no_part_of_the_prefix(model, side):
    tokens, padding = padded(side)
    lengths = [3, 6, 2]
    places = (padding.cumsum(-1) - 1).clamp(min=0)
    expected = model(tokens, attention_mask=explicit_mask(padding, lengths), position_ids=places).logits
    ours = logits(model, tokens, lengths, attention_mask=padding, position_ids=places)
    real = padding.bool()
    torch.testing.assert_close(ours[real], expected[real], atol=1e-12, rtol=0)
    for row, length in enumerate(lengths):  # and each sequence is what it is alone
        alone = logits(model, tokens[row, real[row]][None], [length])[0]
        torch.testing.assert_close(ours[row, real[row]], alone, atol=1e-12, rtol=0)


@torch.no_grad()
@pytest.mark.parametrize("cache", ["dynamic", "static"])
def test_cached_generation_equals_recomputing_everything(model, cache):
    tokens, padding = padded("left")
    lengths, steps = [3, 6, 2], 5
    with prefix_attention(model, lengths):
        written = model.generate(tokens, attention_mask=padding, max_new_tokens=steps,
                                 do_sample=False, cache_implementation=cache,
                                 disable_compile=True)
    for row, length in enumerate(lengths):
        sequence = tokens[row, padding[row].bool()]
        for _ in range(steps):
            following = logits(model, sequence[None], [length])[0, -1].argmax()
            sequence = torch.cat((sequence, following[None]))
        assert written[row, -steps:].tolist() == sequence[-steps:].tolist()


@torch.no_grad()
def test_the_model_is_left_as_it_was(model):
    before, settings = model(TOKENS).logits, model.config.to_dict()
    torch.testing.assert_close(logits(model, TOKENS, torch.tensor(LENGTHS))[1], before[1], atol=1e-12, rtol=0)
    assert model.config.to_dict() == settings
    assert torch.equal(model(TOKENS).logits, before)
    with pytest.raises(RuntimeError), prefix_attention(model, LENGTHS):
        raise RuntimeError
    assert torch.equal(model(TOKENS).logits, before)


@pytest.mark.parametrize("lengths, message", [
    (-1, "lengths: "), ([1, 1.5, 2], "lengths: "), (torch.ones(3, 1).long(), "lengths: "),
    ([1, 2], "expected 3, one for each sequence of the batch, got 2"),
    ([1, 7, 2], r"expected at most the sequences' own \[6, 6, 6\], got \[1, 7, 2\]"),
])
def test_lengths_that_do_not_fit_are_refused(model, lengths, message):
    with pytest.raises(InputError, match=message):
        logits(model, TOKENS, lengths)


def test_a_prefix_longer_than_its_sequence_without_padding_is_refused(model):
    tokens, padding = padded("left")
    with pytest.raises(InputError, match=r"sequences' own \[4, 6, 5\], got \[5, 6, 2\]"):
        logits(model, tokens, [5, 6, 2], attention_mask=padding)


@torch.no_grad()
@pytest.mark.parametrize("side", ["left", "right"])
def test_prefixes_and_signed_averaging_together_equal_an_explicit_mask(model, side):
    both = use_signed_averaging(copy.deepcopy(model))
    tokens, padding = padded(side)
    lengths, real = [3, 6, 2], padding.bool()
    plain = both(tokens, attention_mask=padding).logits
    places = (padding.cumsum(-1) - 1).clamp(min=0)
    expected = both(tokens, attention_mask=explicit_mask(padding, lengths), position_ids=places).logits
    ours = logits(both, tokens, lengths, attention_mask=padding, position_ids=places)
    torch.testing.assert_close(ours[real], expected[real], atol=1e-12, rtol=0)
    softmax = logits(model, tokens, lengths, attention_mask=padding, position_ids=places)
    assert (ours - softmax)[real].abs().max() > 1e-3
    assert torch.equal(both(tokens, attention_mask=padding).logits, plain)


def test_signed_averaging_is_not_put_into_a_model_within_prefix_attention(model):
    with prefix_attention(model, LENGTHS), pytest.raises(InputError, match="prefix_attention"):
        use_signed_averaging(model)


@torch.no_grad()
@pytest.mark.parametrize("signed", [False, True])
def test_another_attention_that_is_set_within_is_refused(model, signed):
    model = use_signed_averaging(copy.deepcopy(model)) if signed else model
    before = model(TOKENS).logits
    with prefix_attention(model, 3):
        model.set_attn_implementation("eager")
        with pytest.raises(InputError, match="its attention to stay icllib_.*, got eager: set_attn"):
            model(TOKENS)
    assert torch.equal(model(TOKENS).logits, before)


@pytest.mark.parametrize("signed", [False, True])
def test_a_model_is_not_saved_within_prefix_attention(model, signed, tmp_path):
    model = copy.deepcopy(model)
    if signed:
        use_signed_averaging(model)
    with prefix_attention(model, LENGTHS), prefix_attention(model, LENGTHS[::-1]):
        pass
    for part in (model, model.base_model):
        with prefix_attention(model, LENGTHS), prefix_attention(model, LENGTHS):
            with pytest.raises(InputError, match="save_pretrained .*: expected a call outside of prefix"):
                part.save_pretrained(tmp_path)
    assert not list(tmp_path.iterdir())
    model.save_pretrained(tmp_path)
    again = (load_signed_averaging if signed else type(model).from_pretrained)(
        tmp_path, dtype=torch.float64).eval()
    torch.testing.assert_close(logits(again, TOKENS, LENGTHS), logits(model, TOKENS, LENGTHS),
                               atol=1e-6, rtol=0)


@pytest.mark.parametrize("of", [lambda mask: mask, lambda mask: {"full_attention": mask}, torch.Tensor.double])
@pytest.mark.parametrize("signed", [False, True])
def test_a_ready_made_mask_is_refused(model, signed, of):
    model = use_signed_averaging(copy.deepcopy(model)) if signed else model
    mask = of(explicit_mask(torch.ones(3, 6), [0, 0, 0]))
    with pytest.raises(InputError, match=r"attention_mask: expected \(B, T\), .* got \(3, 1, 6, 6\)"):
        logits(model, TOKENS, LENGTHS, attention_mask=mask)
    with prefix_attention(model, LENGTHS), pytest.raises(InputError, match="attention_mask"):
        model.base_model(TOKENS, attention_mask=mask)


def test_a_decoder_with_sliding_windows_is_refused():
    model = MistralForCausalLM(MistralConfig(**IDS, **SIZES, num_key_value_heads=2, sliding_window=3))
    with pytest.raises(InputError, match="plainly causal, got the mask and_masks"):
        logits(model, TOKENS, LENGTHS)


def test_a_decoder_that_would_ignore_the_mask_is_refused():
    model = BloomForCausalLM(BloomConfig(vocab_size=50, hidden_size=16, n_layer=1, n_head=2))
    with pytest.raises(InputError, match="expected a decoder whose attention .* BloomForCausalLM"):
        logits(model, TOKENS, LENGTHS)


def test_a_decoder_that_is_refused_keeps_its_attention(monkeypatch):
    model = MAKE["llama"]()
    model.set_attn_implementation("eager")
    monkeypatch.setattr("icllib.models.signed_language.attention_layers", lambda model: [])
    with pytest.raises(InputError, match="expected a decoder whose attention"):
        logits(model, TOKENS, LENGTHS)
    assert model.config._attn_implementation == "eager"


@pytest.mark.parametrize("attention", ["eager", "sdpa"])
def test_a_prefix_is_the_same_whatever_attention_a_model_was_loaded_with(tmp_path, attention):
    model = make("llama", ssa=False)
    model.save_pretrained(tmp_path)
    again = type(model).from_pretrained(tmp_path, attn_implementation=attention, dtype=torch.float64)
    # Eager attention takes its softmax in single precision.
    torch.testing.assert_close(logits(again, TOKENS, 3), logits(model, TOKENS, 3),
                               atol=1e-5 if attention == "eager" else 1e-12, rtol=0)
    assert again.config._attn_implementation == attention
