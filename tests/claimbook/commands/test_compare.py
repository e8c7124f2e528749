"""Pages executed again: a number that moved is told with its page, its cell and both numbers."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
from conftest import FORKED

from claimbook.commands import compare
from claimbook.commands.compare import moved_outputs, outputs_of
from claimbook.records import PROJECT

BODY = 'print("error 0.125 of 8")\n# %% tags=["nbval-ignore-output"]\nimport time\nprint(time.time())'


@FORKED
def test_a_page_is_as_committed_or_the_number_that_moved_is_told_with_its_cell(page, icllib):
    folder = page(BODY)
    assert icllib("run", "causal_lm/sample")[0] == 0
    before = (folder / "sample.ipynb").read_bytes()
    code, out, _ = icllib("compare", "all")
    assert code == 0 and out == ("causal_lm/sample: as committed\n1 of 1 pages are as committed\n")
    assert (folder / "sample.ipynb").read_bytes() == before
    path = folder / "sample.ipynb"
    path.write_text(path.read_text("utf-8").replace('error 0.125 of 8\\n"', 'error 0.25 of 8\\n"'), "utf-8")
    assert json.loads(path.read_text("utf-8"))["cells"][2]["outputs"][0]["text"] == ["error 0.25 of 8\n"]
    code, out, _ = icllib("compare", "causal_lm/sample")
    assert code == 1
    assert "causal_lm/sample: cell 2: 0.25 before, 0.125 now, in 'error 0.125 of 8'" in out
    assert out.endswith("0 of 1 pages are as committed\n")


@FORKED
def test_a_page_that_cannot_be_compared_is_told(page, icllib):
    folder = page("1")
    assert icllib("run", "causal_lm/sample")[0] == 0
    (folder / "sample.py").write_text((folder / "sample.py").read_text("utf-8").replace("\n1\n", "\n1 / 0\n"), "utf-8")
    code, out, _ = icllib("compare", "all")
    assert code == 1 and "cell 2: ZeroDivisionError" in out
    for text, got in (("{\n<<<<<<< mine\n", "a damaged one with conflict markers of git"), ("{", "a damaged one"), (None, "none")):
        (folder / "sample.ipynb").unlink() if text is None else (folder / "sample.ipynb").write_text(text, "utf-8")
        code, out, _ = icllib("compare", "all")
        assert code == 1 and f"expected a committed notebook to compare with, got {got};" in out


PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
PICTURE = f"""from IPython.display import SVG, HTML, Image, display
import base64
PIXEL = base64.b64decode("{PIXEL}")
"""
CELLS = {  # code, then what is put into the committed outputs for what it gives
    "a changed number": ("print(0.125)", "0.125", "0.25"),
    "the same": ("print(7)", None, None),
    "a missing output": ("print(1)\n2", "drop last", None),
    "an output that is no longer there": ("3;", "add", None),
    "another picture of pixels": ("Image(PIXEL)", "iVBOR", "iVBOQ"),
    "another drawing": ("display({'image/svg+xml': '<?xml version=1?><svg><path/></svg>', "
                        "'text/plain': 'a'}, raw=True)", "path", "rect"),
    "no drawing any more": ("SVG(data='<?xml version=\"1.0\"?><svg xmlns=\"http://www.w3.org/2000/svg\">"
                            "</svg>')", "drop image/svg+xml", None),
    "a number in HTML alone": ("HTML('<b>0.5</b>')", "0.5", "0.75"),
    "a number on the other stream": ("import sys; print('w 1', file=sys.stderr)", "w 1", "w 2"),
    "two parts of one stream": ("print('a'); display(4); print('b')", "'b", "'b"),
    "a time in a cell with a tag": ("import time; print(time.time())", ".", ","),
    "a time in a cell with a comment": ("# NBVAL_IGNORE_OUTPUT\nprint(time.time())", ".", ","),
    "the order of two kinds": ("display(5); print('c')", "reverse", None),
}


def change(cell, old, new):
    """Put into a cell's outputs what is not so today."""
    if old == "drop last":
        cell.outputs = cell.outputs[:-1]
    elif old == "add":
        cell.outputs = [nbformat.v4.new_output("stream", name="stdout", text="3\n")]
    elif old == "reverse":
        cell.outputs = cell.outputs[::-1]
    elif old and old.startswith("drop "):
        del cell.outputs[0].data[old.removeprefix("drop ")]
    elif old:
        outputs = json.loads(json.dumps(cell.outputs).replace(old, new))
        cell.outputs = [nbformat.from_dict(output) for output in outputs]


def test_nbval_says_the_same_of_every_kind_of_output(tmp_path, page):
    from nbclient import NotebookClient

    rules = tmp_path / "notebooks/nbval.cfg"
    page("1")
    text = (PROJECT / "notebooks/nbval.cfg").read_text("utf-8")
    rules.write_text(text + "[seconds]\nregex: [0-9.]+ s\nreplace: some time\n", "utf-8")
    cells = {**CELLS, "a line that is sanitized": ("print('took 3 s')", "3 s", "4 s"),
             "beside what is sanitized": ("print('took 3 s of 8')", "of 8", "of 9")}
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(PICTURE)] + [
        nbformat.v4.new_code_cell(code) for code, *_ in cells.values()])
    notebook.cells[1 + list(cells).index("a time in a cell with a tag")].metadata.tags = ["nbval-ignore-output"]
    NotebookClient(notebook, kernel_name="python3", startup_timeout=300, iopub_timeout=60).execute()
    today = [outputs_of(cell) for cell in notebook.cells]
    for cell, (_, old, new) in zip(notebook.cells[1:], cells.values()):
        change(cell, old, new)
    ours = [bool(moved_outputs(outputs_of(cell), now)) for cell, now in zip(notebook.cells, today)]
    nbformat.write(notebook, tmp_path / "page.ipynb")
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "patient_nbval", "-rA", "--nbval",
             "--nbval-current-env", f"--nbval-sanitize-with={rules}", "page.ipynb"]
    told = subprocess.run(words, cwd=tmp_path, capture_output=True, encoding="utf-8",
                          env=os.environ | {"PYTHONPATH": f"{PROJECT}:{PROJECT}/tests"}).stdout
    found = {int(number): result == "FAILED" for result, number in re.findall(
        r"^(PASSED|FAILED) page.ipynb::Cell (\d+)", told, re.MULTILINE)}
    theirs = [found[number] for number in range(len(notebook.cells))]
    names = ["what is imported", *cells]
    assert dict(zip(names, ours)) == dict(zip(names, theirs))
    assert {name for name, is_told in zip(names, ours) if is_told} == {
        "a changed number", "a missing output", "an output that is no longer there",
        "no drawing any more", "a number in HTML alone", "a number on the other stream",
        "beside what is sanitized"}


DRAWN = """import claimbook, pandas as pd
import matplotlib.pyplot as plt
page = claimbook.Page("causal_lm/propositions")
claim = claimbook.claims.find_claim("causal_lm.1")
page.decide(claim.id, {part: [1 / 10**15] for part in claim.parts}, profile="paper")
table = page.save_figure(pd.DataFrame({"series": ["ours", "theirs"], "y": [0.125, 1e-20]}))
# %% tags=["figure"]
axes = plt.subplots(figsize=(3, 2))[1]
axes.imshow([[0, 1], [1, 0]], cmap="gray")
line = axes.plot([0, 1], [0.125, 1], "o-", color="#1f77b4", label="ours")
"""
SCRIPT = "<script>alert(1)</script>"
moved = lambda pixels: (r"(<path d=\\\"M )([0-9.]+)", lambda found: f"{found[1]}{float(found[2]) + pixels}")
OTHER = "cell 3: another drawing, "
FORGED = {  # what is replaced in the committed notebook or beside it, and what is told
    "nothing": ("no such text", "", None),
    "a number of the figure": ("ours,0.125", "ours,0.12", "figure.csv: 0.12 before, 0.125 now, in 'ours,0.125'"),
    "one more row": ("theirs,1e-20", "theirs,1e-20\nmore,1", "figure.csv: 4 lines before, 3 now"),
    "its last digit": ("ours,0.125", "ours,0.125001", None),
    "a point of the drawing": (*moved(3), f"{OTHER}whose places moved by up to 3 pixels"),
    "a place by a hundredth of a pixel": (*moved(0.01), None),
    "a color": ("stroke: #1f77b4", "stroke: #ff0000", OTHER),
    "a script": ("</metadata>", f"{SCRIPT}</metadata>", OTHER),
    "a script in a comment": ("<!-- ", f"<!-->{SCRIPT}", OTHER),
    "a letter": (r"(xlink:href=\\\"#BookSans-Regular-)\w+", r"\g<1>0", OTHER),
    "a pixel": (r"(base64,)[^\"\\]*(?:\\n[^\"\\]*)*", lambda found: found[1] + PIXEL, OTHER),
    "Matplotlib's version": ("Matplotlib v3", "Matplotlib v4", None),
    "the name of a marker": (r"\bm([0-9a-f]{10})\b", lambda found: "m" + found[1][::-1], None),
    "rounding in the evidence": ("1e-15", "3e-16", None),
    "made-up evidence": ("1e-15", "0.5", "evidence.json: 0.5 before, 1e-15 now"),
}


@FORKED
def test_a_forged_figure_or_evidence_is_told(page, icllib, results, monkeypatch):
    folder = page(DRAWN)
    shutil.copyfile(PROJECT / "notebooks/nbval.cfg", folder.parent / "nbval.cfg")
    assert icllib("run", "causal_lm/sample")[0] == 0
    notebook, own = folder / "sample.ipynb", results / "causal_lm/sample"
    kept = {name: (own / name).read_text("utf-8") for name in ("figure.csv", "evidence.json")}
    sound = {notebook: notebook.read_text("utf-8")} | {own / name: text for name, text in kept.items()}

    def executed(page, parameters):  # once for all
        for name, text in kept.items():
            Path(os.environ["CLAIMBOOK_OUTPUT"], name).write_text(text, "utf-8")
        return nbformat.reads(sound[notebook], 4)

    assert icllib("compare", "causal_lm/sample")[0] == 0
    monkeypatch.setattr(compare, "execute", executed)
    for name, (old, new, told) in FORGED.items():
        for path, text in sound.items():
            path.write_text(re.sub(old, new, text), "utf-8")
        changed = [path.name for path, text in sound.items() if path.read_text("utf-8") != text]
        assert bool(changed) is (name != "nothing"), name
        code, out, _ = icllib("compare", "causal_lm/sample")
        assert (told or "as committed") in out and code == bool(told), (name, out)
