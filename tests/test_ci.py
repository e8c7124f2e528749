"""What runs elsewhere has the least rights that it needs, and tells what moved."""

import re
import runpy

import pytest
import yaml

from claimbook.records import PROJECT

FILES = sorted((PROJECT / ".github/workflows").glob("*.yml"))


@pytest.fixture(params=FILES, ids=lambda path: path.name)
def workflow(request):
    return yaml.safe_load(request.param.read_text("utf-8"))


def test_jobs_may_read_the_project_and_only_publishing_writes(workflow):
    assert workflow["permissions"] == {"contents": "read"}
    writing = {name for name, job in workflow["jobs"].items() if "permissions" in job}
    assert writing <= {"publish"}
    for name in writing:
        assert workflow["jobs"][name]["if"] == "github.event_name == 'push'"


def test_actions_are_named_by_their_commit(workflow):
    for job in workflow["jobs"].values():
        for action in (step["uses"] for step in job["steps"] if "uses" in step):
            assert re.fullmatch(r"[\w.-]+/[\w./-]+@[0-9a-f]{40}", action)


def test_what_somebody_types_is_no_command(workflow):
    for job in workflow["jobs"].values():
        for step in job["steps"]:
            assert not re.search(r"\$\{\{\s*(inputs|github\.event)", step.get("run", ""))


def test_code_of_a_pull_request_gets_no_root_and_no_credentials(workflow):
    for job in workflow["jobs"].values():
        for step in job["steps"]:
            if "sudo" in step.get("run", ""):
                assert job["if"] == "github.event_name == 'push'"
            if "checkout" in step.get("uses", ""):
                assert step["with"]["persist-credentials"] is False


def test_a_page_that_was_trained_again_is_told_where_its_claims_are_decided_otherwise_or_not_tested():
    differing = runpy.run_path(str(PROJECT / ".ci/again"))["differing"]
    before = {("a", "0"): "yes", ("a", "1"): "no", ("a", "2"): "yes", ("a", "3"): "undecided"}
    same = before | {("a", "2"): "undecided", ("a", "3"): "no", ("a", "4"): "yes"}
    assert differing(before, before) == differing(before, same) == []
    assert differing(before, same | {("a", "1"): "yes"}) == ["a 1: no before, yes now"]
    del same["a", "0"]
    assert differing(before, same) == ["a 0: yes before, not tested now"]
