"""What runs elsewhere has the least rights that it needs, and tells what moved."""

import re
import runpy

import pytest
import yaml

from claimbook.records import PROJECT

FILES = sorted((PROJECT / ".github/workflows").glob("*.yml"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_jobs_have_the_least_rights_and_no_text_of_others_is_a_command(path):
    """Only publishing writes; actions are named by their commit; code of a pull request gets no root and no
    credentials."""
    workflow, pushed = yaml.safe_load(path.read_text("utf-8")), "github.event_name == 'push'"
    assert workflow["permissions"] == {"contents": "read"}
    for name, job in workflow["jobs"].items():
        assert "permissions" not in job or name == "publish" and job["if"] == pushed
        for step in job["steps"]:
            command, action = step.get("run", ""), step.get("uses", "")
            assert not action or re.fullmatch(r"[\w.-]+/[\w./-]+@[0-9a-f]{40}", action)
            assert not re.search(r"\$\{\{\s*(inputs|github\.event)", command)
            assert "sudo" not in command or job["if"] == pushed
            assert "checkout" not in action or step["with"]["persist-credentials"] is False


def test_a_page_that_was_trained_again_is_told_where_its_claims_are_decided_otherwise_or_not_tested():
    differing = runpy.run_path(str(PROJECT / ".ci/again"))["differing"]
    before = {("a", "0"): "yes", ("a", "1"): "no", ("a", "2"): "yes", ("a", "3"): "undecided"}
    same = before | {("a", "2"): "undecided", ("a", "3"): "no", ("a", "4"): "yes"}
    assert differing(before, before) == differing(before, same) == []
    assert differing(before, same | {("a", "1"): "yes"}) == ["a 1: no before, yes now"]
    del same["a", "0"]
    assert differing(before, same) == ["a 0: yes before, not tested now"]
