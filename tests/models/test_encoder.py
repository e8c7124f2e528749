"""The encoder against RoBERTa of `transformers`, and dropout against its definition."""

import pytest
import torch
from contract import shaken

from icllib.models import Encoder, SignedAveraging, Softmax, Uniform
from icllib.models.encoder import Dropout
from icllib.streams import Stream
from icllib.tasks.sentences import PAD

TINY = Encoder(layers=2, heads=2, width=8, feed_forward=12, dropout=0.0)
TOKENS = torch.tensor([[3, 7, 9, 0, 4, PAD], [3, 8, 0, 6, 9, 4]])
PLACES = torch.tensor([[3, 8]])  # the masks, among the 12 tokens


def roberta(module):
    from transformers import RobertaConfig, RobertaForMaskedLM

    config = RobertaConfig(vocab_size=11, hidden_size=8, num_hidden_layers=2,
                           num_attention_heads=2, intermediate_size=12, pad_token_id=PAD,
                           max_position_embeddings=6 + PAD + 1, layer_norm_eps=1e-5)
    theirs = RobertaForMaskedLM(config).eval()
    embeddings, head = theirs.roberta.embeddings, theirs.lm_head
    with torch.no_grad():
        embeddings.word_embeddings.weight.copy_(module.words[0])
        embeddings.position_embeddings.weight[PAD + 1 :].copy_(module.positions[0])
        embeddings.token_type_embeddings.weight.zero_()
        copy_norm(embeddings.LayerNorm, module.norm)
        copy_linear(head.dense, module.head)
        copy_norm(head.layer_norm, module.head_norm)
        head.bias.copy_(module.bias[0])
        for layer, block in zip(theirs.roberta.encoder.layer, module.blocks):
            qkv = zip(block.qkv.weight[0].split(8, dim=1), block.qkv.bias[0].split(8))
            attention = layer.attention.self
            for linear, (weight, bias) in zip((attention.query, attention.key, attention.value), qkv):
                linear.weight.copy_(weight.T)
                linear.bias.copy_(bias)
            copy_linear(layer.attention.output.dense, block.project)
            copy_norm(layer.attention.output.LayerNorm, block.attention_norm)
            copy_linear(layer.intermediate.dense, block.expand)
            copy_linear(layer.output.dense, block.contract)
            copy_norm(layer.output.LayerNorm, block.mlp_norm)
    return theirs


def copy_linear(theirs, ours):
    theirs.weight.copy_(ours.weight[0].T)
    theirs.bias.copy_(ours.bias[0])


def copy_norm(theirs, ours):
    theirs.weight.copy_(ours.gain.flatten(1)[0])
    theirs.bias.copy_(ours.bias.flatten(1)[0])


@pytest.fixture
def module():
    return shaken(TINY.build([5], 11, 6), 0.3)


def test_it_is_roberta_forward_and_backward(module):
    theirs = roberta(module)
    ours = module(TOKENS[None], PLACES)[0]
    expected = theirs(TOKENS, attention_mask=TOKENS != PAD).logits.flatten(0, 1)[PLACES[0]]
    assert torch.allclose(ours, expected, atol=1e-5)
    ours[:, 2].sum().backward()
    expected[:, 2].sum().backward()
    first = theirs.roberta.encoder.layer[0]
    assert torch.allclose(module.blocks[0].expand.weight.grad[0],
                          first.intermediate.dense.weight.grad.T, atol=1e-5)
    table = theirs.roberta.embeddings.word_embeddings.weight.grad
    real = torch.arange(11) != PAD  # RoBERTa gives padding no gradient as an input
    assert torch.allclose(module.words.grad[0][real], table[real], atol=1e-5)


@pytest.mark.parametrize("scoring", [TINY.scoring, SignedAveraging(2.0, 1.0, False)], ids=str)
def test_padding_changes_nothing(scoring):
    module = Encoder(2, 2, 8, 12, scoring, 0.0).build([5], 11, 9)
    longer = torch.cat((TOKENS, torch.full((2, 3), PAD)), dim=1)
    short = module(TOKENS[None], PLACES)
    assert torch.allclose(short, module(longer[None], torch.tensor([[3, 11]])), atol=1e-6)


def test_dropout_drops_its_share_and_keeps_the_mean():
    ids, ones = torch.arange(400)[None], torch.ones(1, 400, 5, 8)
    dropped = Dropout(Stream.of([0], "dropout"), ids, 0.25, 5)(ones, "here")
    share = (dropped == 0).float().mean().item()
    assert abs(share - 0.25) < 4 * (0.25 * 0.75 / 16000) ** 0.5
    assert set(dropped.unique().tolist()) == {0.0, torch.tensor(4 / 3).item()}


def test_dropout_differs_by_prompt_place_and_seed_alone():
    ones, ids = torch.ones(2, 3, 4, 8), torch.tensor([[5, 6, 7]] * 2)
    drop = Dropout(Stream.of([0, 1], "dropout"), ids, 0.5, 9)
    alone = Dropout(Stream.of([1], "dropout"), ids[:1, 1:], 0.5, 9)
    both = drop(ones, "here")
    assert torch.equal(both[1:, 1:, :3], alone(ones[:1, 1:, :3], "here"))
    weights = torch.ones(2, 3, 2, 4, 4)
    fewer = alone.of_weights(weights[:1, 1:, :, :3, :3], "here")
    assert torch.equal(drop.of_weights(weights, "here")[1:, 1:, :, :3, :3], fewer)
    for other in (both[:1], drop(ones, "there")[1:], both[1:, [1, 2, 0]]):
        assert not torch.equal(both[1:], other)


def test_nothing_is_dropped_without_ids(module):
    dropping = Encoder(2, 2, 8, 12).build([5], 11, 6)
    dropping.load_state_dict(module.state_dict())
    plain = module(TOKENS[None], PLACES)
    assert torch.equal(plain, dropping(TOKENS[None], PLACES))
    ids = torch.tensor([[1, 2]])
    assert not torch.equal(plain, dropping(TOKENS[None], PLACES, ids))
    assert torch.equal(plain, module(TOKENS[None], PLACES, ids))


def test_an_average_is_dropped_from_as_a_softmax_of_equal_scores():
    answers = []
    for scoring in (Softmax(), Uniform()):
        module = Encoder(2, 2, 8, 12, scoring, 0.5).build([5], 11, 6)
        with torch.no_grad():
            for block in module.blocks:
                block.qkv.weight[..., :16] = 0  # queries and keys
        answers.append(module(TOKENS[None], PLACES, torch.tensor([[1, 2]])))
    assert torch.allclose(*answers, atol=1e-6)


def test_multiplications_are_those_of_every_product():
    layer = 6 * (8 * 24 + 8 * 8 + 8 * 12 + 12 * 8)  # qkv, project, expand, contract, by token
    attention = 2 * (6 * 6 * 4) * 2  # scores and mixing, of two heads of four dimensions
    head = 6 * (8 * 8 + 8 * 11)
    assert TINY.multiplications(11, (6,)) == 2 * (layer + attention) + head
