"""The code that the how-to page shows runs as it stands."""

import contextlib
import json
import os
import re
import shutil
import sys
import traceback

import pytest
from small_fleet import PROCESSES

from claimbook.records import PROJECT
from test_from_garg import FILES


def execute(script, folder):
    """Run a script in this folder, which keeps its results there, as a process does with -c."""
    os.chdir(folder)
    sys.path.insert(0, "")
    os.environ |= {"CLAIMBOOK_OUTPUT": str(folder / "output"), "CLAIMBOOK_RESULTS": str(folder / "results")}
    with (open("errors", "w", encoding="utf-8") as errors, open("printed", "w", encoding="utf-8") as printed,
          contextlib.redirect_stdout(printed)):
        try:
            exec(compile(script, "<string>", "exec"), {"__name__": "__main__"})
        except BaseException:
            traceback.print_exc(file=errors)
            raise


def printed_by(script, folder):
    """What a script prints in a process of its own, which need not import torch again."""
    process = PROCESSES.Process(target=execute, args=(script, folder))
    process.start()
    process.join()
    assert process.exitcode == 0, (folder / "errors").read_text("utf-8")
    return (folder / "printed").read_text("utf-8")


def test_bring_your_own_task_predictor_model_and_attention(tmp_path):
    text = (PROJECT / "book/howto/test_your_own.md").read_text("utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    scripts = [block for block in blocks if "from mine import" in block or "print(" in block]
    (tmp_path / "mine.py").write_text("\n".join(b for b in blocks if b not in scripts), "utf-8")
    assert len(scripts) == 5 and len(blocks) > 5
    shutil.copytree(PROJECT / "results" / "signed_averaging", tmp_path / "results/signed_averaging")
    for script in scripts:
        assert printed_by(script, tmp_path).strip()
    assert (tmp_path / "cube.png").exists()


def test_a_page_s_figure_drawn_from_changed_runs(tmp_path):
    text = (PROJECT / "book/howto/run_a_page.md").read_text("utf-8")
    records, runs = re.findall(r"```python\n(.*?)```", text, re.DOTALL)[-2:]
    script = (PROJECT / "notebooks/causal_lm/few_shot_tokens.py").read_text("utf-8")
    small = lambda lines: lines.replace('"cpu"', '"smoke"').replace("steps=500", "steps=20")
    script = re.sub(r"^page = .*\n", lambda own: own[0] + small(records), script, flags=re.MULTILINE)
    script = re.sub(r"^runs = .*\n", lambda _: small(runs), script, flags=re.MULTILINE)
    script = script.replace("    axes.minorticks_off()\n",
                            '    axes.minorticks_off()\nfigure.savefig("shorter.png")\n')
    printed_by(script, tmp_path)
    assert (tmp_path / "shorter.png").exists()


def output_of(page, folder):
    text = (PROJECT / f"book/howto/{page}.md").read_text("utf-8")
    return printed_by("\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL)), folder)


def test_prefix_attention_in_a_language_model(tmp_path):
    printed = output_of("prefix_language_models", tmp_path)
    assert re.search(r"5, +9, +3, +7, +11, +4, +\d+, +\d+, +\d+", printed)


def test_signed_averaging_in_a_language_model(tmp_path):
    printed = output_of("signed_averaging_in_your_model", tmp_path)
    loss = float(re.search(r"loss (\d\.\d\d)", printed)[1])
    assert loss < 3.5 and printed.count("n:") == 2
    learned = [float(n) for line in re.findall(r"n: tensor\(\[(.*?)\]", printed) for n in line.split(",")]
    assert len(learned) == 8 and all(n != 1.5 for n in learned)


def test_a_model_of_the_book_in_scikit_learn(tmp_path):
    with_name = PROJECT / "results/models.json"
    for model in json.loads(with_name.read_text("utf-8")).values():
        for file in (model["record"], model["weights"]):
            (tmp_path / "results" / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(PROJECT / "results" / file, tmp_path / "results" / file)
    shutil.copy(with_name, tmp_path / "results")
    printed = output_of("scikit_learn", tmp_path)
    errors = {name: float(value) for name, value in re.findall(r" *(.+): squared error (.+)", printed)}
    assert errors["in context"] < 1.25 * errors["ridge"]
    text = (PROJECT / "book/howto/scikit_learn.md").read_text("utf-8")
    shown = re.search(r"It prints (\S+) for the model .*?, (\S+) for ridge .*?, (\S+) for five .* and (\S+) for X", text)
    for error, own in zip(errors.values(), shown.groups(), strict=True):
        assert error == pytest.approx(float(own), abs=0.001 if len(own) > 4 else 0.006)
    for table, learner, score in re.findall(r"^(\w+), (.+): (?:r2 )?(\S+)$", printed, re.MULTILINE):
        head, row = (re.search(rf"^\| {name} \|.*$", text, re.MULTILINE)[0].rstrip(" |").split(" | ")
                     for name in ("table", table))
        shown = dict(zip(head, row))[learner]
        assert shown == score == "refused" or abs(float(shown) - float(score)) <= 0.02
    at_0, at_1 = map(float, re.search(r"\[ *(\S+) +(\S+) *\]", printed).groups())
    assert abs(at_0 + 1) < 0.1 and abs(at_1 + 0.5) < 0.1


def test_code_fits_the_column_of_a_page():
    for path in (PROJECT / "book/howto").glob("*.md"):
        for block in re.findall(r"^```.*?^```", path.read_text("utf-8"), re.DOTALL | re.MULTILINE):
            assert block.startswith("```{index}") or max(map(len, block.splitlines())) <= 74, path.name


def test_a_configuration_of_garg_et_al_is_trained_in_small(tmp_path):
    own = FILES | {"linear_regression.yaml": "{inherit: every.yaml, training: {task: linear_regression}}"}
    for name, text in own.items():
        (tmp_path / name).write_text(text, "utf-8")
    assert "(41,)" in output_of("coming_from_garg", tmp_path)
