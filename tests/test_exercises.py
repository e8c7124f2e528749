"""Each exercise of the book says right of its answer, and wrong of what it starts from."""

import pytest

from claimbook.records.files import PROJECT

FOLDER = PROJECT / "book/start_here/exercises"
EXERCISES = sorted(path.name for path in FOLDER.glob("*.py"))


def run(text: str) -> None:
    """The exercise as a script."""
    exec(compile(text, "exercise", "exec"), {"__name__": "__main__"})


def cells(name: str) -> tuple[str, str, str]:
    """An exercise before its answer, the cell of the answer, and what follows."""
    before, rest = (FOLDER / name).read_text("utf-8").split('# %% tags=["answer"]\n')
    answer, after = rest.split("\n# %%", 1)
    return before, answer, "# %%" + after


@pytest.mark.parametrize("name", EXERCISES)
def test_the_answer_is_right_and_what_it_starts_from_is_not(name):
    before, _, after = cells(name)
    run(before + (FOLDER / "answers" / name).read_text("utf-8") + after)
    with pytest.raises((NotImplementedError, AssertionError)):
        run((FOLDER / name).read_text("utf-8"))


def test_a_wrong_answer_is_wrong():
    """A mask that lets a pair see itself, and a verdict that looks at no gate."""
    for name, right, wrong in (("3_mask.py", "return ~torch.eye(n, dtype=torch.bool)", "return prefix(n)"),
                               ("6_referee.py", "> 1.25", "> 125")):
        before, _, after = cells(name)
        answer = (FOLDER / "answers" / name).read_text("utf-8")
        assert right in answer
        with pytest.raises(AssertionError):
            run(before + answer.replace(right, wrong) + after)
