"""Decoders as GPT2Model of `transformers` and back, and members of any fleet as ordinary modules."""

import contract
import pytest
import torch
from torch import nn

from claimbook.records.errors import InputError
from icllib.models import MLP, SGPT, SignedAveraging, Softmax, Transformer
from icllib.models.gpt2 import from_gpt2, to_gpt2
from icllib.models.signed_language import use_signed_averaging
from icllib.training import Trained

XS, YS = torch.randn(2, 5, 8, 3), torch.randn(2, 5, 8)


def shaken(model, pairs=7, **options):
    return contract.shaken(model.build((3, 4), 3, pairs, **options))


@torch.no_grad()
@pytest.mark.parametrize("positions", ["learned", "none"])
@pytest.mark.parametrize("tokens", ["joint", "separate"])
def test_to_gpt2_and_back_answers_are_equal(tokens, positions):
    fleet = shaken(Transformer(2, 2, 16, tokens=tokens, positions=positions))
    expected = fleet(XS, YS, range(8))
    for member in range(2):
        decoder = to_gpt2(fleet, member)
        assert type(decoder.backbone).__name__ == "GPT2Model"
        assert torch.allclose(decoder(XS[member], YS[member]), expected[member], atol=1e-6)
        back = from_gpt2(decoder.read_in, decoder.backbone, decoder.read_out, tokens)
        assert torch.allclose(back(XS[member:][:1], YS[member:][:1], range(8))[0], expected[member], atol=1e-6)
    assert not torch.allclose(expected[0], expected[1], atol=1e-2)


@torch.no_grad()
def test_one_hot_labels_go_along():
    fleet, labels = shaken(Transformer(1, 2, 16), classes=3), torch.eye(3)[torch.randint(3, (2, 5, 8))]
    answers = to_gpt2(fleet, 1)(XS[1], labels[1])
    assert answers.shape == (5, 8, 3)
    assert torch.allclose(answers, fleet(XS, labels, range(8))[1], atol=1e-6)


@torch.no_grad()
def test_the_public_code_s_forward_pass_is_ours():
    """Garg et al.: x, then (y, 0, ...), in turn; read in, GPT2Model, read out at each x."""
    from transformers import GPT2Config, GPT2Model

    backbone = GPT2Model(GPT2Config(n_positions=16, n_embd=16, n_layer=2, n_head=2)).eval()
    read_in, read_out = nn.Linear(3, 16), nn.Linear(16, 1)
    tokens = torch.zeros(5, 16, 3)
    tokens[:, ::2], tokens[:, 1::2, 0] = XS[0], YS[0]
    theirs = read_out(backbone(inputs_embeds=read_in(tokens)).last_hidden_state)[:, ::2, 0]
    ours = from_gpt2(read_in, backbone, read_out)(XS[:1], YS[:1], range(8))[0]
    assert torch.allclose(ours, theirs, atol=1e-6)


@pytest.mark.parametrize("options, named", [
    ({"scoring": SignedAveraging()}, "scoring"), ({"scoring": Softmax(2.0)}, "scoring"), ({"mask": "prefix"}, "mask"),
    ({"final_norm": False}, "final_norm"), ({"positions": "rotary"}, "other"), ({"activation": "swiglu"}, "activation")])
def test_what_gpt2_cannot_be_is_refused(options, named):
    with pytest.raises(InputError, match=f"module: .*{named}"):
        to_gpt2(Transformer(1, 2, 8, **options).build([0], 3, 7))


def test_a_gpt2_of_another_kind_is_refused():
    from transformers import GPT2Config, GPT2Model

    backbone = GPT2Model(GPT2Config(n_positions=16, n_embd=8, n_layer=1, n_head=2, activation_function="relu"))
    with pytest.raises(InputError, match="backbone: expected activation_function"):
        from_gpt2(nn.Linear(3, 8), backbone, nn.Linear(8, 1))
    plain = GPT2Model(GPT2Config(n_positions=16, n_embd=8, n_layer=2, n_head=2))
    diverged = nn.Linear(3, 8).requires_grad_(False)
    diverged.weight[2, 1] = torch.nan
    for read_in in (nn.Linear(3, 9), nn.Linear(3, 8, bias=False), nn.Linear(3, 8, device="meta"), diverged):
        with pytest.raises(InputError, match="embed.*: expected numbers"):
            from_gpt2(read_in, plain, nn.Linear(8, 1))
    del plain.h[1]  # as to prune it, where its settings still say 2
    assert from_gpt2(nn.Linear(3, 8), plain, nn.Linear(8, 1)).settings.layers == 1
    with pytest.raises(InputError, match="backbone: .* SignedHeads"):
        from_gpt2(nn.Linear(3, 8), use_signed_averaging(plain), nn.Linear(8, 1))


@torch.no_grad()
@pytest.mark.parametrize("model", [
    Transformer(1, 2, 8, scoring=SignedAveraging()), Transformer(1, 2, 8, mask="prefix"), SGPT(1, 8), MLP(8)],
    ids=lambda model: type(model).__name__)
def test_a_member_of_any_fleet_is_an_ordinary_module(model):
    fleet = Trained(shaken(model))
    first = 0 if isinstance(model, Transformer) else 1
    for place in range(2):
        own = fleet.member(place)
        assert all(len(values) == 1 for values in own.parameters())
        answers = own(XS[place], YS[place])
        assert answers.shape == (5, 8) and not answers[:, :first].any()
        assert torch.allclose(answers[:, first:], fleet.predict(XS, YS, range(first, 8))[place], atol=1e-6)
    with torch.no_grad():
        next(own.parameters()).add_(1)
    assert not torch.equal(own(XS[1], YS[1]), answers)
    assert torch.allclose(fleet.predict(XS, YS, range(first, 8))[1], answers[:, first:], atol=1e-6)
    with pytest.raises(InputError, match="place"):
        fleet.member(2)
