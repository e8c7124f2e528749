"""Prefix attention in decoders of `transformers` with random weights: nothing is downloaded."""

import copy

import pytest
import torch
from transformers import MistralConfig, MistralForCausalLM

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
@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("side", ["left", "right"])
def test_a_prefix_is_an_explicit_mask_and_each_sequence_alone_and_leaves_the_model_as_it_was(model, side, signed):
    model = use_signed_averaging(copy.deepcopy(model)) if signed else model
    tokens, padding = padded(side)
    real, places, lengths = padding.bool(), (padding.cumsum(-1) - 1).clamp(min=0), torch.tensor([3, 6, 0])
    before, settings = model(tokens, attention_mask=padding).logits, model.config.to_dict()
    expected = model(tokens, attention_mask=explicit_mask(padding, lengths), position_ids=places).logits
    ours = logits(model, tokens, lengths, attention_mask=padding, position_ids=places)
    torch.testing.assert_close(ours[real], expected[real], atol=1e-12, rtol=0)
    for row, length in enumerate(lengths.tolist()):
        alone = logits(model, tokens[row, real[row]][None], [length])[0]
        torch.testing.assert_close(ours[row, real[row]], alone, atol=1e-12, rtol=0)
    assert torch.equal(model(tokens, attention_mask=padding).logits, before)
    assert model.config.to_dict() == settings


@torch.no_grad()
@pytest.mark.parametrize("cache", ["dynamic", "static"])
def test_cached_generation_equals_recomputing_everything(model, cache):
    tokens, padding = padded("left")
    lengths, steps = [3, 6, 2], 5
    with prefix_attention(model, lengths):
        written = model.generate(tokens, attention_mask=padding, max_new_tokens=steps, do_sample=False,
                                 cache_implementation=cache, disable_compile=True)
    for row, length in enumerate(lengths):
        sequence = tokens[row, padding[row].bool()]
        for _ in range(steps):
            following = logits(model, sequence[None], [length])[0, -1].argmax()
            sequence = torch.cat((sequence, following[None]))
        assert written[row, -steps:].tolist() == sequence[-steps:].tolist()


@pytest.mark.parametrize("lengths, own, message", [
    (-1, None, "lengths: "), ([1, 1.5, 2], None, "lengths: "), (torch.ones(3, 1).long(), None, "lengths: "),
    ([1, 2], None, "expected 3, one for each sequence of the batch, got 2"),
    ([1, 7, 2], None, r"expected at most the sequences' own \[6, 6, 6\], got \[1, 7, 2\]"),
    ([5, 6, 2], padded("left")[1], r"sequences' own \[4, 6, 5\], got \[5, 6, 2\]")])
def test_lengths_that_do_not_fit_are_refused(model, lengths, own, message):
    with pytest.raises(InputError, match=message):
        logits(model, TOKENS, lengths, attention_mask=own)


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
    model = use_signed_averaging(copy.deepcopy(model)) if signed else model
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


def test_a_decoder_with_sliding_windows_or_that_would_ignore_the_mask_is_refused_and_left_alone(monkeypatch):
    windows = MistralForCausalLM(MistralConfig(**IDS, **SIZES, num_key_value_heads=2, sliding_window=3))
    with pytest.raises(InputError, match="plainly causal, got the mask and_masks"):
        logits(windows, TOKENS, LENGTHS)
    model = MAKE["llama"]()
    model.set_attn_implementation("eager")
    monkeypatch.setattr("icllib.models.signed_language.attention_layers", lambda model: [])
    with pytest.raises(InputError, match="expected a decoder whose attention"):
        logits(model, TOKENS, LENGTHS)
    assert model.config._attn_implementation == "eager"
