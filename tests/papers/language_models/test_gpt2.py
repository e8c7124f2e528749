"""GPT-2's training script on small made data: it learns, resumes exactly, measures rightly."""

import json
import math
import os
import signal
import sys
import time

import numpy as np
import pytest
import torch
from torch.nn.functional import log_softmax

from claimbook.records.errors import InputError, OutOfTime
from icllib.training.checkpoint import checkpoints
from papers.language_models import gpt2
from papers.language_models.gpt2_model import SCORINGS, Settings, batch, build_gpt2, open_tokens, perplexity

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


def state(folder):
    return (folder / "model.safetensors").read_bytes(), json.loads(
        (folder / "training.json").read_text("utf-8"))


def test_both_scorings_start_from_the_same_weights():
    softmax, ssa = (build_gpt2(Settings(scoring, **SMALL)).state_dict() for scoring in SCORINGS)
    assert all(torch.equal(value, ssa[name]) for name, value in softmax.items())
    assert len(ssa) == len(softmax) + 4


def test_weight_decay_spares_vectors_and_n_and_b(data):
    trainer = gpt2.Trainer(Settings("ssa", **SMALL), open_tokens(data, Settings(**SMALL)), "cpu")
    decay = {id(p): group["weight_decay"] for group in trainer.optimizer.param_groups
             for p in group["params"]}
    for name, parameter in trainer.model.named_parameters():
        spared = "signed_softmax" in name or name.endswith("bias") or ".ln_" in name
        assert decay[id(parameter)] == (0.0 if spared else 0.1), name


def test_one_pass_takes_every_window_once(data):
    settings = Settings(**SMALL)
    tokens = open_tokens(data, settings)  # 201: 25 windows of 8
    tokens = np.arange(len(tokens), dtype="<u2")
    rows = torch.cat([batch(tokens, settings, step).flatten(0, 1) for step in range(25)])
    assert rows.shape == (100, 9) and (rows.diff() == 1).all()
    passes = rows[:, 0].view(4, 25)
    assert all(sorted(one.tolist()) == list(range(0, 200, 8)) for one in passes)
    assert len({tuple(one.tolist()) for one in passes}) == 4


def test_a_batch_is_a_function_of_seed_and_step(data):
    settings, other = Settings(**SMALL), Settings(seed=1, **SMALL)
    tokens = np.arange(2000, dtype="<u2")
    assert torch.equal(batch(tokens, settings, 7), batch(tokens, settings, 7))
    assert not torch.equal(batch(tokens, settings, 7), batch(tokens, settings, 8))
    assert not torch.equal(batch(tokens, settings, 7), batch(tokens, other, 7))


def test_steps_are_those_of_a_plain_loop_over_whole_batches(data):
    settings = Settings("ssa", **SMALL)
    tokens, model = open_tokens(data, settings), build_gpt2(settings)
    spared = [p for name, p in model.named_parameters() if p.dim() < 2 or "signed_" in name]
    decayed = [p for p in model.parameters() if id(p) not in set(map(id, spared))]
    optimizer = torch.optim.AdamW([{"params": decayed, "weight_decay": 0.1},
                                   {"params": spared, "weight_decay": 0.0}], betas=(0.9, 0.95))
    trainer = gpt2.Trainer(settings, tokens, "cpu")
    for step, rate in enumerate((0.02 / 3, 0.04 / 3, 0.02, 0.02)):
        rows = batch(tokens, settings, step).flatten(0, 1)
        chances = log_softmax(model(rows[:, :-1]).logits, -1)  # (4, 8, 11)
        loss = -chances.gather(-1, rows[:, 1:, None]).mean()
        for group in optimizer.param_groups:
            group["lr"] = rate
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        trainer.take_step()
        assert trainer.losses[-1] == pytest.approx(float(loss.detach()), rel=1e-5)
    for name, value in model.named_parameters():
        torch.testing.assert_close(trainer.parameters[name], value, atol=2e-5, rtol=0)


@pytest.mark.parametrize("scoring", SCORINGS)
def test_it_learns_even_where_no_checkpoint_has_room(scoring, data, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(gpt2, "SAVE_EVERY", -1.0)
    monkeypatch.setattr(gpt2, "save_checkpoint", lambda *_: open(tmp_path, "rb"))  # an OSError
    gpt2.train(data, tmp_path / "run", settings := Settings(scoring, **SMALL | {"steps": 80}))
    assert "icllib: no checkpoint in" in capsys.readouterr().err
    losses = state(tmp_path / "run")[1]["losses"]
    assert len(losses) == 80 and abs(losses[0] - math.log(11)) < 0.2 and losses[-1] < 0.1
    model, _ = gpt2.load_trained(tmp_path / "run")
    assert perplexity(model, open_tokens(data, settings), settings.context) < 1.2


@pytest.mark.parametrize("scoring", SCORINGS)
def test_a_killed_training_resumes_bit_for_bit(scoring, data, tmp_path, monkeypatch):
    settings = Settings(scoring, **SMALL)
    gpt2.train(data, tmp_path / "whole", settings)
    monkeypatch.setattr(gpt2, "SAVE_EVERY", 0.0)
    plain = gpt2.Trainer.take_step
    for last in (3, 7):  # killed in the step after

        def killed(trainer, last=last):
            if len(trainer.losses) == last:
                raise KeyboardInterrupt
            plain(trainer)

        monkeypatch.setattr(gpt2.Trainer, "take_step", killed)
        with pytest.raises(KeyboardInterrupt):
            gpt2.train(data, tmp_path / "killed", settings)
        assert not (tmp_path / "killed/training.json").exists()
    taken = []
    monkeypatch.setattr(gpt2.Trainer, "take_step", lambda one: (taken.append(1), plain(one)))
    gpt2.train(data, tmp_path / "killed", settings)
    assert len(taken) == 5
    assert state(tmp_path / "killed") == state(tmp_path / "whole")
    assert not checkpoints(tmp_path / "killed/checkpoints")


def test_a_time_limit_or_a_full_disk_at_the_end_leaves_a_checkpoint(data, tmp_path, monkeypatch):
    settings = Settings("ssa", **SMALL)
    gpt2.train(data, tmp_path / "whole", settings)
    with pytest.raises(OutOfTime, match="stopped at step 0 of 12"):
        gpt2.train(data, tmp_path / "run", settings, deadline=time.monotonic() - 1)
    assert len(checkpoints(tmp_path / "run/checkpoints")) == 1
    with monkeypatch.context() as patch, pytest.raises(OSError):
        patch.setattr(gpt2, "checksum", lambda path: open(tmp_path, "rb"))
        gpt2.train(data, tmp_path / "run", settings)
    gpt2.train(data, tmp_path / "run", settings, deadline=time.monotonic() - 1)  # no step is left
    assert state(tmp_path / "run") == state(tmp_path / "whole")


def test_sigterm_leaves_a_checkpoint_and_the_next_call_goes_on(data, tmp_path, monkeypatch):
    settings, plain = Settings(**SMALL), gpt2.Trainer.take_step
    gpt2.train(data, tmp_path / "whole", settings)

    def stopped(trainer):
        plain(trainer)
        if len(trainer.losses) == 5:
            os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr(gpt2.Trainer, "take_step", stopped)
    with pytest.raises(OutOfTime, match="stopped at step 5 of 12"):
        gpt2.train(data, tmp_path / "run", settings)
    monkeypatch.setattr(gpt2.Trainer, "take_step", plain)
    gpt2.train(data, tmp_path / "run", settings)
    assert state(tmp_path / "run") == state(tmp_path / "whole")


def test_a_uniform_model_has_the_perplexity_of_its_vocabulary(data):
    settings = Settings(**SMALL)
    model = build_gpt2(settings)
    model.transformer.wte.weight.data.zero_()  # the scores of the words too: they are tied
    assert perplexity(model, open_tokens(data, settings), 8) == pytest.approx(11, rel=1e-6)


@torch.no_grad()
@pytest.mark.parametrize("length", [41, 45, 48])  # 5 windows of 8, and nothing to 7 tokens more
def test_perplexity_is_that_of_a_plain_loop(length):
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
    assert perplexity(model, tokens, 8, sequences=3) == pytest.approx(expected, rel=1e-5)


def test_a_finished_training_is_never_overwritten(data, tmp_path):
    gpt2.train(data, tmp_path / "run", Settings(**SMALL))
    before = state(tmp_path / "run")
    with pytest.raises(InputError, match="expected no finished training, got one"):
        gpt2.train(data, tmp_path / "run", Settings("ssa", **SMALL))
    assert state(tmp_path / "run") == before


def test_damaged_weights_of_a_finished_training_are_told(data, tmp_path):
    gpt2.train(data, tmp_path / "run", Settings(**SMALL))
    weights = tmp_path / "run/model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1])
    with pytest.raises(InputError, match="expected a finished training, got .* a damaged one"):
        gpt2.load_trained(tmp_path / "run")


def test_weights_of_another_model_whose_checksum_is_right_are_told(data, tmp_path):
    gpt2.train(data, tmp_path / "run", Settings(**SMALL))
    about = json.loads((tmp_path / "run/training.json").read_text("utf-8"))
    about["settings"]["layers"] += 1
    (tmp_path / "run/training.json").write_text(json.dumps(about), "utf-8")
    with pytest.raises(InputError, match="run: ") as told:
        gpt2.load_trained(tmp_path / "run")
    assert "\n" not in str(told.value)


def test_checkpoints_of_another_training_are_refused(data, tmp_path):
    with pytest.raises(OutOfTime):
        gpt2.train(data, tmp_path / "run", Settings(**SMALL), deadline=time.monotonic() - 1)
    with pytest.raises(InputError, match="got those of one with scoring=softmax"):
        gpt2.train(data, tmp_path / "run", Settings("ssa", **SMALL))
    longer = write(tmp_path / "longer.bin", [1] * 300)
    with pytest.raises(InputError, match="got those of one with tokens=201"):
        gpt2.train(longer, tmp_path / "run", Settings(**SMALL))


def command(monkeypatch, *words):
    """The exit code of the script."""
    monkeypatch.setattr(sys, "argv", ["gpt2", *map(str, words)])
    with pytest.raises(SystemExit) as stop:
        gpt2.main()
    return stop.value.code


def test_the_commands_train_stop_refuse_and_measure(data, tmp_path, monkeypatch, capsys):
    sizes = [word for name, value in SMALL.items() for word in ("-p", f"{name}={value}")]
    line = ["train", data, tmp_path / "run", "--scoring", "ssa", "--seed", 3, *sizes]
    assert command(monkeypatch, "perplexity", tmp_path / "run", data) == 2
    assert "expected a finished training, got none" in capsys.readouterr().err
    assert command(monkeypatch, *line, "--time-limit", 0) == 3
    assert "icllib: stopped at step 0 of 12" in capsys.readouterr().err
    assert command(monkeypatch, *line, "-p", "depth=3") == 2
    assert "expected a setting, got depth" in capsys.readouterr().err
    assert command(monkeypatch, *line) == 0
    assert command(monkeypatch, *line) == 2
    assert state(tmp_path / "run")[1]["settings"]["seed"] == 3
    capsys.readouterr()
    assert command(monkeypatch, "perplexity", tmp_path / "run", data) == 0
    assert 1 < float(capsys.readouterr().out) < 11
