"""Masked sentences: what is hidden, in which order, and the losses and scores made of it."""

import dataclasses
import hashlib
import math

import pytest
import torch
from torch.nn.functional import cross_entropy

from claimbook.records.errors import InputError
from icllib.data import DataFile
from icllib.models import Encoder, SignedAveraging, Softmax
from icllib.streams import Stream
from icllib.tasks import LinearRegression
from icllib.tasks.sentences import MASK, PAD, SPECIAL, encode
from icllib.training import Fleet, Recipe, Run
from icllib.training.engine import clipped, run_steps
from icllib.training.losses import masked_losses
from icllib.training.run import Trained
from papers.signed_averaging.table03_babyberta import (
    GrammarProbes, MADE, MADE_PROBE, pseudo_log_likelihoods)

IDS = torch.arange(4000)[None]


def sampled(task=MADE, ids=IDS, seeds=(0,)):
    return task.sample(Stream.of(seeds, "training"), ids.expand(len(seeds), -1), 128)


def original(batch):
    """The sentences before anything was hidden, by a plain loop."""
    tokens = batch.tokens.clone()
    for member in range(len(tokens)):
        for place, target, counted in zip(*(part[member].tolist() for part in (
                batch.places, batch.targets, batch.counted))):
            if counted:
                tokens[member].view(-1)[place] = target
    return tokens


def test_what_is_hidden_comes_back_as_a_sentence_of_the_corpus():
    known = set(map(tuple, encode(MADE.tokenizer, MADE.corpus.read().splitlines(), 30)))
    for row in original(sampled())[0].tolist():
        assert tuple(token for token in row if token != PAD) in known


def test_fifteen_percent_of_words_are_hidden_and_at_least_one():
    batch = sampled()
    tokens, hidden = original(batch), torch.zeros(4000 * batch.tokens.shape[2], dtype=torch.bool)
    hidden[batch.places[0][batch.counted[0]]] = True
    hidden = hidden.view(4000, -1)
    assert not hidden[tokens[0] < SPECIAL].any()
    counts, words = hidden.sum(dim=1), (tokens[0] >= SPECIAL).sum(dim=1)
    assert counts.min() == 1
    expected = 0.15 * words + 0.85**words  # one more where chance would have hidden none
    deviation = (counts - expected).mean() / (counts.float().std() / 4000**0.5)
    assert abs(deviation) < 4


def test_a_tenth_of_what_is_hidden_reads_as_another_word():
    batch = sampled()
    places = batch.places[0][batch.counted[0]]
    read = batch.tokens[0].view(-1)[places]
    share = (read != MASK).float().mean().item()
    assert abs(share - 0.1) < 4 * (0.09 / len(places)) ** 0.5
    assert read[read != MASK].min() >= SPECIAL and read.max() == 29


def test_each_pass_visits_every_sentence_once_in_a_new_order():
    count = len(MADE.sentences(128, "cpu"))
    passes = [original(sampled(ids=torch.arange(n * count, (n + 1) * count)[None]))[0] for n in (0, 1)]
    first, second = ([tuple(row) for row in rows.tolist()] for rows in passes)
    assert sorted(first) == sorted(second) and first != second
    assert sorted(first) == sorted(map(tuple, MADE.sentences(128, "cpu").tolist()))


def test_held_out_lines_are_drawn_from_their_own_part():
    trained, held_out = MADE.sentences(128, "cpu"), MADE.sentences(128, "cpu", True)
    assert len(held_out) == 4 and len(trained) + len(held_out) == 400
    ids = torch.arange(4)[None]
    batch = MADE.sample_held_out(Stream.of([0], "evaluation"), ids, 128)
    found = sorted(tuple(t for t in row if t != PAD) for row in original(batch)[0].tolist())
    assert found == sorted(tuple(t for t in row if t != PAD) for row in held_out.tolist())


def test_a_prompt_depends_on_its_id_and_seed_alone():
    alone = sampled(ids=torch.tensor([[17]]), seeds=(3,))
    among = sampled(ids=torch.tensor([[4, 17, 9]]), seeds=(8, 3))
    length = alone.tokens.shape[2]
    assert torch.equal(alone.tokens[0, 0], among.tokens[1, 1, :length])
    assert not torch.equal(among.tokens[0, 1], among.tokens[1, 1])


def test_the_loss_is_the_mean_over_each_members_hidden_tokens():
    batch = sampled(ids=IDS[:, :6], seeds=(0, 1))
    module = Encoder(1, 2, 8, 8, dropout=0.0).build([0, 1], 30, 12)
    losses = masked_losses(module, batch)
    for member in range(2):
        one = Encoder(1, 2, 8, 8, dropout=0.0).build([member], 30, 12)
        places = batch.places[member][batch.counted[member]]
        targets = original(batch)[member].view(-1)[places]
        expected = cross_entropy(one(batch.tokens[member : member + 1], places[None])[0], targets)
        assert torch.allclose(losses[member], expected, atol=1e-5)


@pytest.mark.parametrize("scoring", [Softmax(), SignedAveraging(2.0, 1.0, False)], ids=str)
def test_a_fleet_of_encoders_equals_single_ones(scoring):
    recipe = Recipe((12,), 20, batch=4, learning_rate=1e-2, loss="masked tokens", clip=1.0, precision="fp64")
    model = Encoder(2, 2, 8, 8, scoring, dropout=0.3)
    together = Fleet([MADE] * 3, model, recipe, [4, 1, 7], [None] * 3)
    run_steps(together)
    for member, seed in enumerate((4, 1, 7)):
        alone = Fleet([MADE], model, recipe, [seed], [None])
        run_steps(alone)
        for ours, theirs in zip(together.parameters, alone.parameters):
            assert (ours[member] - theirs[0]).abs().max() < 1e-9


def test_gradients_are_clipped_as_pytorch_does_member_by_member():
    sizes = torch.tensor([9.0, 0.01, 1.0])  # the second's norm is below 1.5
    gradients = [torch.randn(3, 4, 5) * sizes[:, None, None], torch.randn(3, 7) * sizes[:, None]]
    for member in range(3):
        theirs = [torch.nn.Parameter(gradient[member].clone()) for gradient in gradients]
        for parameter, gradient in zip(theirs, gradients):
            parameter.grad = gradient[member].clone()
        torch.nn.utils.clip_grad_norm_(theirs, 1.5)
        for ours, parameter in zip(clipped(gradients, 1.5), theirs):
            assert torch.allclose(ours[member], parameter.grad, atol=1e-5)


def test_pseudo_log_likelihoods_are_those_of_a_loop_over_words():
    module = Encoder(1, 2, 8, 8).build([0, 1], 30, 12)
    sentences = MADE.sentences(128, "cpu")[:5]
    ours = pseudo_log_likelihoods(module, sentences)
    for index, sentence in enumerate(sentences):
        total = torch.zeros(2)
        for place, token in enumerate(sentence.tolist()):
            if token >= SPECIAL:
                masked = sentence.clone()
                masked[place] = MASK
                logits = module(masked.expand(2, 1, -1), torch.tensor([[place]] * 2))
                total += logits[:, 0].log_softmax(dim=-1)[:, token]
        assert torch.allclose(ours[:, index], total, atol=1e-4)


def test_a_trained_encoder_knows_the_made_grammar_and_a_fresh_one_does_not():
    recipe = Recipe((12,), 600, batch=32, learning_rate=3e-3, loss="masked tokens", clip=1.0,
                    schedule="linear", warmup=0.1)
    fleet = Fleet([MADE], Encoder(2, 2, 32, 64, dropout=0.0), recipe, [0], [None])
    probe = GrammarProbes((MADE_PROBE,), pairs=40, held_out=20)
    before = probe.measure([MADE], Trained(fleet.module))
    run_steps(fleet)
    after = probe.measure([MADE], Trained(fleet.module))
    assert before["accuracy"][0, 0] < 80 and after["accuracy"][0, 0] > 95
    assert abs(before["held_out_loss"][0] - math.log(30)) < 0.1
    assert after["held_out_loss"][0] < 1.5


def test_a_wrong_file_a_missing_file_and_a_wrong_tokenizer_are_refused():
    wrong = dataclasses.replace(MADE.corpus, sha256="0" * 64)
    with pytest.raises(InputError, match=f"expected SHA-256 {'0' * 64}, got [0-9a-f]+"):
        wrong.read()
    with pytest.raises(InputError, match="nowhere.txt: "):
        DataFile("nowhere.txt", "0" * 64).read()
    with pytest.raises(InputError, match="expected at most 20 tokens"):
        dataclasses.replace(MADE, dimension=20).sentences(128, "cpu")
    with pytest.raises(InputError, match="expected sentences of 9 words or more"):
        dataclasses.replace(MADE, words=9).sentences(128, "cpu")


@pytest.mark.parametrize("content, told", [(b"{", "expected the JSON of a tokenizer"), (b"[]", "expected the JSON of a tokenizer"),
                                           ("Wörter".encode("latin-1"), "expected text in UTF-8")])
def test_files_whose_checksum_is_right_and_that_are_of_another_kind_are_told(tmp_path, monkeypatch, content, told):
    monkeypatch.setenv("CLAIMBOOK_DATA", str(tmp_path))
    (tmp_path / "own.json").write_bytes(content)
    own = DataFile("own.json", hashlib.sha256(content).hexdigest())
    with pytest.raises(InputError, match=f"own.json: {told}"):
        dataclasses.replace(MADE, tokenizer=own).sentences(128, "cpu")


def test_sentences_and_their_loss_go_together():
    probe = GrammarProbes((MADE_PROBE,))
    with pytest.raises(InputError, match="got 'squared' for MaskedSentences"):
        Run(MADE, Encoder(), Recipe((9,), 50), probe)
    with pytest.raises(InputError, match="got 'masked tokens' for LinearRegression"):
        Run(LinearRegression(3), Encoder(), Recipe((9,), 50, loss="masked tokens"), probe)


def test_other_sentences_make_another_fleet():
    run = Run(MADE, Encoder(), Recipe((9,), 50, loss="masked tokens"), GrammarProbes((MADE_PROBE,)))
    other = dataclasses.replace(run, task=dataclasses.replace(MADE, replaced=0.2))
    assert run.shape == dataclasses.replace(run, seed=1).shape != other.shape
