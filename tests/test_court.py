"""The court: who is worse is told so, softmax in disguise is not, and who has learned nothing decides nothing."""

import json
import re
import signal
import sys
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

from claimbook.records import PROJECT
from claimbook.records.errors import InputError
from icllib import attention, court
from icllib.__main__ import main
from icllib.models import Transformer
from icllib.models.scoring import Uniform
from icllib.tasks import AffineFunctions
from icllib.training import Recipe, engine

LINES = AffineFunctions()
SMALL = court.Setting(
    LINES, Recipe(tuple(range(1, 9)), 1_000, 16, 5e-3, "cosine", 0.05), 0.3,
    {"as in training": court.Shift(LINES, 8), "steeper": court.Shift(replace(LINES, function_std=2.0), 8),
     "noise": court.Shift(LINES, 8, noise=0.5, heavy=True), "in order": court.Shift(LINES, 8, ordered=True)},
    Transformer(2, 2, 16, positions="none"))
DISGUISED = """
def weigh(z, mask):
    powers = z.clamp(max=60).exp() * mask
    return powers / powers.sum(-1, keepdim=True)
"""


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """The court with one small setting and eight softmax models; its folder."""
    folder = tmp_path_factory.mktemp("court")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(court, "SETTINGS", {"lines": SMALL})
        patch.setattr(court, "KEPT", 8)
        court.keep_softmax(folder / "kept.json")
        patch.setattr(court, "kept_softmax", lambda: json.loads((folder / "kept.json").read_text("utf-8")))
        patch.setattr(court.compare, "__defaults__", ("court", False, ("lines",), 4))
        yield folder


def test_a_mean_of_all_tokens_is_worse_and_the_controls_come_out_right(small):
    rows = court.compare(Uniform(), small / "uniform")
    by_test = {row["shift"]: row for row in rows}
    assert by_test["as in training"]["word"] in ("worse", "not learned")
    told = json.loads((small / "uniform/report.json").read_text("utf-8"))
    assert not {row["softmax, other seeds"] for row in told["rows"]} & {"better", "worse"}
    assert {row["untrained"] for row in told["rows"]} == {"not learned"}
    assert (small / "uniform/report.png").stat().st_size > 5_000
    assert (small / "uniform/report.md").read_text("utf-8").count("| lines |") == 4


def test_softmax_in_disguise_is_no_better_and_no_worse_and_later_calls_go_on(small, capsys, monkeypatch):
    path, save = small / "mine.py", court.keep_checkpoint
    path.write_text(f"from beside import one\n{DISGUISED}", "utf-8")
    (small / "beside.py").write_text("one = 1", "utf-8")
    monkeypatch.chdir(small)
    with monkeypatch.context() as patch:
        patch.setattr(court, "keep_checkpoint", lambda *own: (save(*own), signal.raise_signal(signal.SIGTERM)))
        patch.setattr(engine, "SAVE_EVERY", 0.5)
        assert main(["compare", "mine.py"]) == 3
    stopped = re.findall(r"stopped at step (\d+) of 1000; the same call", capsys.readouterr().err)
    begun, run_steps = [], court.run_steps
    monkeypatch.setattr(court, "run_steps", lambda fleet, *own: (begun.append(f"{fleet.step}"), run_steps(fleet, *own)))
    assert main(["compare", "mine.py"]) == 0
    assert begun == stopped != ["0"]
    said = capsys.readouterr().out
    assert "better" not in said and "worse" not in said and "not learned" not in said
    before = json.loads((small / "court/report.json").read_text("utf-8"))["rows"]
    monkeypatch.setattr(court, "run_steps", None)
    assert [row["yours"] for row in court.compare("mine.py")] == [row["yours"] for row in before]


def test_who_has_learned_nothing_decides_nothing(small):
    class Zero(nn.Module):
        def __init__(self, dimension):
            super().__init__()
            self.scale = nn.Parameter(torch.full((1,), 1e-3))

        def forward(self, xs, ys):
            return self.scale * xs[..., 0]

    rows = court.compare(Zero, small / "zero")
    assert {row["word"] for row in rows} == {"not learned"}
    assert court.in_one_sentence(rows).startswith("Yours has learned no task")


def test_a_word_is_told_where_the_ratio_exceeds_floor_and_chance():
    draw = np.random.default_rng(1)
    softmax = {name: np.exp(size * draw.standard_normal(20)) for name, size in (("a", 0.1), ("b", 0.05))}
    errors = {"a": 2 * softmax["a"][:5] * np.exp(0.01 * draw.standard_normal(5)), "b": softmax["b"][5:10]}
    rows = court.ratio_rows("made", errors, softmax, np.full(5, True))
    court.give_words(rows)
    assert [row["word"] for row in rows] == ["worse", "no difference"]
    assert rows[0]["floors"] == pytest.approx(abs(np.log(rows[0]["ratio"])) / court.floor_of(tuple(softmax["a"]), 5))
    # Two means of five normal numbers of deviation 0.1 differ by more than 1.96 * 0.1 * (2/5)^0.5 in 5 of 100.
    many = np.exp(0.1 * draw.standard_normal(2_000))
    assert court.floor_of(tuple(many), 5) == pytest.approx(1.96 * 0.1 * 0.4**0.5, rel=0.1)


def test_holm_is_the_textbook_s():
    assert np.allclose(court.holm([0.01, 0.04, 0.03]), [0.03, 0.06, 0.06])


def test_the_files_of_the_how_to_are_taken(tmp_path):
    text = (PROJECT / "book/howto/test_your_own.md").read_text("utf-8")
    for block in re.findall(r"```text\n(.*?(?:def weigh|class Model).*?)```", text, re.DOTALL):
        (tmp_path / "mine.py").write_text(block, "utf-8")
        model = court.model_of(court.read_own(tmp_path / "mine.py"), SMALL.model)
        xs, ys = torch.randn(2, 3, 9, 1), torch.randn(2, 3, 9)
        assert model.build([0, 1], 1, 8)(xs, ys, (4, 8)).shape == (2, 3, 2)


@pytest.mark.parametrize("name", ["json.py", "mine", "mine.py"])
@pytest.mark.parametrize("text", ["", "weigh = model = 1", "def weigh(", "import sys\nsys.exit(0)"])
def test_a_file_that_says_nothing_or_too_much_is_refused(tmp_path, name, text):
    (tmp_path / name).write_text(text, "utf-8")
    with pytest.raises(InputError, match=f"{name}: expected"):
        court.read_own(tmp_path / name)
    assert sys.modules["json"] is json


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"cos\nsystem\n(S'false'\ntR."])
def test_what_is_left_of_an_earlier_call_is_read_whole_or_refused(small, tmp_path, content):
    kept = next(small.rglob("lines_*.safetensors"))
    (tmp_path / "half.safetensors").write_bytes(content or kept.read_bytes()[:-99])
    with pytest.raises(InputError, match="half.safetensors: expected what a call before has trained"):
        court.trained_or_kept(SMALL, SMALL.model, 4, tmp_path / "half.safetensors")


def sharper(factor):
    """A scoring, of which the factor is no part of the source."""
    return lambda z, mask: attention.softmax(factor * z, mask)


def test_what_is_kept_is_that_of_the_same_scoring():
    kept = {court.identity(own, court.tried(own, SMALL)[1]) for own in (sharper(1.0), sharper(1.0), sharper(3.0))}
    assert len(kept) == 2


class OfAnotherCall(Uniform):
    def build(self, draw, heads):
        return nn.Identity()


@pytest.mark.parametrize("told, wrong", [
    ("settings: expected one or more", {"settings": ()}), ("settings: ", {"settings": None}), ("quick: ", {"quick": "no"}),
    ("report.md, which is no file", {}), ("first prompts, got TypeError", {"mine": OfAnotherCall()}),
    ("first prompts, got ", {"mine": torch.nn.functional.softmax}), ("mine: ", {"mine": nn.Softmax(-1)}),
    ("null byte", {"folder": "a\0"})])
def test_what_cannot_end_well_is_refused_before_training(told, wrong, small, tmp_path, monkeypatch):
    monkeypatch.setattr(court, "run_steps", None)
    if not wrong:
        (tmp_path / "report.md").mkdir()
    with pytest.raises(InputError, match=told):
        court.compare(**{"mine": Uniform(), "folder": tmp_path} | wrong)


def test_the_kept_errors_are_those_of_the_court_s_settings():
    errors = court.kept_softmax()
    assert set(errors) == set(court.SETTINGS)
    for name, setting in court.SETTINGS.items():
        assert set(errors[name]) == set(setting.shifts)
        assert all(len(values) == court.KEPT for values in errors[name].values())
        assert max(errors[name]["as in training"]) <= setting.at_most
