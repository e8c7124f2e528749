"""GPT-2's training script on small made data: it learns, resumes exactly, measures rightly."""

import dataclasses
import math
import sys

import numpy as np
import pytest
import torch
from torch.nn.functional import log_softmax
from transformers import Trainer

from claimbook.records.errors import InputError
from papers.language_models import gpt2
from papers.language_models.gpt2 import Settings, batch, build_gpt2, open_tokens, perplexity

SMALL = {"layers": 2, "heads": 2, "width": 16, "context": 8, "vocabulary": 11, "steps": 12,
         "sequences": 2, "accumulation": 2, "warmup": 3, "learning_rate": 0.02,
         "final_learning_rate": 0.002}


def write(path, tokens):
    np.asarray(tokens, "<u2").tofile(path)
    return path


@pytest.fixture
def data(tmp_path):
    """Tokens of which each follows from the one before: 3, 6, 1, 2, 4, 8, 5, 10, 9, 7, 3, ..."""
    tokens = [3]
    for _ in range(200):
        tokens.append(tokens[-1] * 2 % 11)
    return write(tmp_path / "train.bin", tokens)


@pytest.mark.parametrize("scoring, parameters", [("softmax", 124_439_808), ("ssa", 124_440_096)])
def test_the_defaults_are_the_papers_a_gpt2_with_124_million_parameters(scoring, parameters):
    paper = Settings(scoring)
    assert (paper.steps, paper.sequences, paper.weight_decay) == (50_000, 12, 0.1)
    assert (paper.beta1, paper.beta2) == (0.9, 0.95)
    assert (paper.learning_rate, paper.final_learning_rate) == (6e-4, 6e-5)
    with torch.device("meta"):
        assert sum(p.numel() for p in build_gpt2(paper).parameters()) == parameters


def test_both_scorings_start_from_the_same_weights():
    softmax, ssa = (build_gpt2(Settings(scoring, **SMALL)).state_dict() for scoring in ("softmax", "ssa"))
    assert all(torch.equal(value, ssa[name]) for name, value in softmax.items())
    assert len(ssa) == len(softmax) + 4


def test_steps_are_those_of_a_plain_loop_over_whole_batches(data, tmp_path):
    settings = Settings("ssa", **SMALL)
    rows, model = open_tokens(data, settings), build_gpt2(settings)
    assert np.array_equal(rows[:, :-1].ravel(), np.fromfile(data, "<u2")[:200])
    assert np.array_equal(rows[:, 1:].ravel(), np.fromfile(data, "<u2")[1:])
    spared = [p for name, p in model.named_parameters() if p.dim() < 2 or "signed_" in name]
    decayed = [p for p in model.parameters() if id(p) not in set(map(id, spared))]
    optimizer = torch.optim.AdamW([{"params": decayed, "weight_decay": 0.1},
                                   {"params": spared, "weight_decay": 0.0}], betas=(0.9, 0.95))
    steps = dataclasses.replace(settings, steps=4)
    taken, seen = [], lambda some: taken.append(some) or batch(some)
    trainer = Trainer(build_gpt2(settings), gpt2.arguments(steps, tmp_path), seen, rows)
    trainer.train()
    for step in range(4):
        windows = torch.tensor(np.concatenate(taken[2 * step : 2 * step + 2]).astype(np.int64))
        assert len(windows) == 4  # two micro-batches of two
        chances = log_softmax(model(windows[:, :-1]).logits, -1)  # (4, 8, 11)
        for group in optimizer.param_groups:
            group["lr"] = 0.02 * step / 3
        optimizer.zero_grad()
        (-chances.gather(-1, windows[:, 1:, None]).mean()).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    for name, value in model.named_parameters():
        torch.testing.assert_close(trainer.model.get_parameter(name), value, atol=2e-5, rtol=0)


def test_the_learning_rate_warms_up_and_falls_along_half_a_cosine(tmp_path):
    parameter = torch.nn.Parameter(torch.zeros(1))
    trainer = Trainer(build_gpt2(Settings(**SMALL)), gpt2.arguments(Settings(), tmp_path))
    rate = trainer.create_scheduler(50_000, torch.optim.AdamW([parameter], lr=6e-4)).lr_lambdas[0]
    rates = [6e-4 * rate(step) for step in (0, 1_000, 2_000, 26_000, 50_000)]
    assert rates == pytest.approx([0, 3e-4, 6e-4, 3.3e-4, 6e-5])


def test_a_killed_training_resumes_bit_for_bit(data, tmp_path, monkeypatch):
    settings, plain = Settings("ssa", **SMALL), Trainer.training_step
    gpt2.train(data, tmp_path / "whole", settings)
    monkeypatch.setattr(gpt2, "SAVE_EVERY", 2)
    taken = []

    def step(trainer, *given):  # killed in the fourth step
        taken.append(trainer.state.global_step)
        if len(taken) == 7:
            raise KeyboardInterrupt
        return plain(trainer, *given)

    monkeypatch.setattr(Trainer, "training_step", step)
    with pytest.raises(KeyboardInterrupt):
        gpt2.train(data, tmp_path / "run", settings)
    (tmp_path / "run/checkpoints/checkpoint-3").mkdir()  # another that was killed while it was written
    with pytest.raises(InputError, match="expected a finished training"):
        gpt2.load_trained(tmp_path / "run")
    gpt2.train(data, tmp_path / "run", settings)
    assert taken == [0, 0, 1, 1, 2, 2, 3] + [k for k in range(2, 12) for _ in range(2)]
    whole, resumed = (tmp_path / name / "model.safetensors" for name in ("whole", "run"))
    assert whole.read_bytes() == resumed.read_bytes()
    assert not (tmp_path / "run/checkpoints").exists()


@torch.no_grad()
@pytest.mark.parametrize("length", [41, 45, 48])  # 5 windows of 8, and nothing to 7 tokens more
def test_perplexity_is_that_of_a_plain_loop(length, tmp_path):
    model = build_gpt2(Settings("ssa", **SMALL)).eval()
    for parameter in model.parameters():
        parameter += 0.2 * torch.randn_like(parameter)
    tokens = np.random.default_rng(0).integers(0, 11, length).astype("<u2")
    losses = []
    for start in range(0, 40, 8):
        for end in range(start + 1, start + 9):
            seen = torch.tensor(tokens[start:end].astype(np.int64))[None]
            scores = model(seen).logits[0, -1]
            losses.append(-float(log_softmax(scores, -1)[int(tokens[end])]))
    expected = math.exp(sum(losses) / 40)
    assert abs(expected - 11) > 0.5
    rows = open_tokens(write(tmp_path / "val", tokens), Settings("ssa", **SMALL))
    assert perplexity(model, rows, sequences=3) == pytest.approx(expected, rel=1e-5)
    assert open_tokens(write(tmp_path / "least", tokens[:9]), Settings("ssa", **SMALL)).tolist() == [tokens[:9].tolist()]


@pytest.mark.parametrize("scoring", ["softmax", "ssa"])
def test_the_command_trains_once_measures_and_refuses_other_settings(scoring, data, tmp_path, monkeypatch, capsys):
    def command(*changes):
        words = [word for name, value in SMALL.items() for word in (f"--{name}", value)]
        words += ["--scoring", scoring, "--seed", 3, *changes]
        monkeypatch.setattr(sys, "argv", ["gpt2", *map(str, (data, data, tmp_path / "run", *words))])
        gpt2.main()
        return capsys.readouterr().out.splitlines()[-1]

    shown = command()
    model, settings = gpt2.load_trained(tmp_path / "run")
    assert settings.seed == 3 and model.training is False
    assert 1 < perplexity(model, open_tokens(data, settings)) < 11
    assert shown == f"perplexity {perplexity(model, open_tokens(data, settings)):.4f}"
    monkeypatch.delattr(Trainer, "train")
    assert command() == shown
    for change, told in (("--beta1", "expected a training of"), ("--depth", "--depth")):
        with pytest.raises(SystemExit) as stop:
            command(change, "0.5")
        assert stop.value.code == 2 and told in capsys.readouterr().err
