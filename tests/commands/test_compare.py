"""Pages executed again: a number that moved is told with its page, its cell and both numbers."""

import json

import pytest

from icllib.commands.compare import moved

BODY = 'print("error 0.125 of 8")\n# %% tags=["nbval-ignore-output"]\nimport time\nprint(time.time())'


def test_a_page_that_gives_what_is_committed_is_as_committed(page, icllib):
    folder = page(BODY)
    assert icllib("run", "causal_lm/sample")[0] == 0
    before = (folder / "sample.ipynb").read_bytes()
    code, out, _ = icllib("compare", "all")
    assert code == 0 and out == ("causal_lm/sample: as committed\n1 of 1 pages are as committed\n")
    assert (folder / "sample.ipynb").read_bytes() == before


def test_a_number_that_moved_is_told_with_its_cell(page, icllib):
    folder = page(BODY)
    assert icllib("run", "causal_lm/sample")[0] == 0
    path = folder / "sample.ipynb"
    path.write_text(path.read_text("utf-8").replace('error 0.125 of 8\\n"', 'error 0.25 of 8\\n"'), "utf-8")
    assert json.loads(path.read_text("utf-8"))["cells"][2]["outputs"][0]["text"] == ["error 0.25 of 8\n"]
    code, out, _ = icllib("compare", "causal_lm/sample")
    assert code == 1
    assert "causal_lm/sample: cell 2: 0.25 before, 0.125 now, in 'error 0.125 of 8'" in out
    assert out.endswith("0 of 1 pages are as committed\n")


@pytest.mark.parametrize("body, told", [("1 / 0", "cell 2: ZeroDivisionError"),
                                        (None, "expected a committed notebook to compare with")])
def test_a_page_that_cannot_be_compared_is_told(page, icllib, body, told):
    folder = page("1")
    assert icllib("run", "causal_lm/sample")[0] == 0
    if body is None:
        (folder / "sample.ipynb").unlink()
    else:
        source = (folder / "sample.py").read_text("utf-8")
        (folder / "sample.py").write_text(source.replace("\n1\n", f"\n{body}\n"), "utf-8")
    code, out, _ = icllib("compare", "all")
    assert code == 1 and told in out


@pytest.mark.parametrize("before, now, told", [
    ("a 1 b", "a 1 b", []), ("a 1\nc 2", "a 1\nc 3", ["2 before, 3 now, in 'c 3'"]),
    ("a 1", "a 1 2", ["nothing before, 2 now, in 'a 1 2'"]),
    ("a", "a\nb", ["1 lines before, 2 now; the first that differs: '+b'"])])
def test_what_moved_is_named(before, now, told):
    assert moved(before, now) == told
