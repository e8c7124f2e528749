"""What training says of itself on the way."""

import io
import os
import sys
from dataclasses import replace

import pytest
import torch

from claimbook.records.errors import InputError
from icllib.progress import Progress
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
    writer = types.SimpleNamespace(add_scalars=lambda *entry: written.append(entry), flush=lambda: None)
    module = types.SimpleNamespace(SummaryWriter=lambda folder: writer)
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", module)
    monkeypatch.setenv("CLAIMBOOK_TENSORBOARD", "board")
    jobs.train_and_save(runs(), "smoke", folders)
    assert [step for _, _, step in written] == [100, 200]
    assert set(written[0][1]) == {"0", "1", "2"} and written[-1][1]["0"] < written[0][1]["0"]


def test_work_goes_on_where_nobody_looks_on_any_more(monkeypatch):
    reader, writer = os.pipe()
    os.close(reader)
    with open(writer, "w", encoding="utf-8") as gone:
        monkeypatch.setattr(sys, "stderr", gone)
        for terminal in (False, True):
            progress = Progress(10)
            progress.rewritten, progress.due = terminal, 0
            progress.update(1)
            progress.close()
        monkeypatch.undo()
        os.dup2(os.open(os.devnull, os.O_WRONLY), writer)  # so that it can be closed


def test_losses_of_a_few_steps_and_of_the_last_ones_are_logged():
    logged = []
    fleet = Fleet([run.task for run in runs()], runs()[0].model, replace(RECIPE, steps=130),
                  [0, 1, 2], 3 * [None])
    run_steps(fleet, log=lambda step, losses: logged.append((step, tuple(losses.shape))))
    assert logged == [(100, (100, 3)), (130, (30, 3))]


def test_where_output_goes_to_a_file_a_line_comes_after_a_second_and_then_every_30(monkeypatch, capsys):
    clock = iter([0, 0.9, 1.1, 15, 31, 31.2])
    monkeypatch.setattr("icllib.progress.time.monotonic", lambda: next(clock))
    progress = Progress(60, "fleet")
    for done in (9, 11, 15, 31, 32):
        progress.update(done)
    progress.close()
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(" steps, ")[0] for line in lines] == ["fleet 11/60", "fleet 32/60"]
    assert "10.0 model-steps/s, 5 s left" in lines[0] and "\r" not in "".join(lines)


def test_progress_tells_rate_and_time_left_on_a_terminal_and_in_jupyter(monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    Progress(10, "fleet", unit_per_step=4).update(5, torch.ones(4))
    shown = capsys.readouterr().err
    monkeypatch.undo()
    stream = type("OutStream", (io.StringIO,), {"__module__": "ipykernel.iostream"})()
    monkeypatch.setattr(sys, "stderr", stream)
    Progress(10, "fleet").update(5)
    assert "fleet 5/10" in stream.getvalue()
    assert all(word in shown for word in ("fleet 5/10", "model-steps/s", "s left", "GiB", "loss 1"))
