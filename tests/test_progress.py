"""What training says of itself on the way."""

import io
import sys
from dataclasses import replace

import pytest
import torch

from claimbook.records.errors import InputError
from icllib.training import Fleet, jobs
from icllib.training.engine import run_steps
from small_fleet import RECIPE, runs


def test_tensorboard_where_it_is_not_installed_is_told(monkeypatch):
    monkeypatch.setenv("CLAIMBOOK_TENSORBOARD", "board")
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)
    with pytest.raises(InputError, match="CLAIMBOOK_TENSORBOARD: "):
        jobs.board("fleet")


def test_losses_go_to_tensorboard_where_it_is_asked_for(folders, monkeypatch):
    import types

    written = []
    writer = types.SimpleNamespace(add_scalars=lambda *entry: written.append(entry),
                                   flush=lambda: None)
    module = types.SimpleNamespace(SummaryWriter=lambda folder: writer)
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", module)
    monkeypatch.setenv("CLAIMBOOK_TENSORBOARD", "board")
    jobs.train_and_save(runs(), "smoke", folders)
    assert [step for _, _, step in written] == [100, 200, 300, 400]
    assert set(written[0][1]) == {"0", "1", "2"} and written[-1][1]["0"] < written[0][1]["0"]


def test_losses_of_a_few_steps_and_of_the_last_ones_are_logged():
    logged = []
    fleet = Fleet([run.task for run in runs()], runs()[0].model, replace(RECIPE, steps=130),
                  [0, 1, 2], 3 * [None])
    run_steps(fleet, log=lambda step, losses: logged.append((step, tuple(losses.shape))))
    assert logged == [(100, (100, 3)), (130, (30, 3))]


def test_progress_tells_rate_and_time_left_on_a_terminal_or_in_jupyter_and_is_silent_elsewhere(
        monkeypatch, capsys):
    from icllib.progress import Progress

    Progress(10, "fleet").update(5)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    Progress(10, "fleet", unit_per_step=4).update(5, torch.ones(4))
    shown = capsys.readouterr().err
    monkeypatch.undo()
    stream = type("OutStream", (io.StringIO,), {"__module__": "ipykernel.iostream"})()
    monkeypatch.setattr(sys, "stderr", stream)
    Progress(10, "fleet").update(5)
    assert "fleet 5/10" in stream.getvalue()
    assert all(word in shown for word in ("fleet 5/10", "model-steps/s", "s left", "GiB", "loss 1"))
