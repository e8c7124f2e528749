"""The workflow on a real Slurm of two nodes on this machine, and what may happen there."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from claimbook.commands.plan import plan_trainings, train, trained_runs
from claimbook.pages.names import all_pages
from claimbook.records.files import PROJECT
from slurm_cluster import cluster, missing_programs

PAGES = ["context_scaling/fig02_one_noise_level", "context_scaling/fig05_one_layer"]
SLOW = f"{sys.executable} {PROJECT}/tests/workflow/slow_icllib.py"


@pytest.fixture
def running():
    """A cluster; the test is skipped where one cannot be had."""
    pytest.importorskip("snakemake_executor_plugin_slurm",
                        reason="no Snakemake here: pip install -r workflow/requirements.txt")
    if absent := missing_programs():
        pytest.skip(f"no {', '.join(absent)} here: on Debian, apt-get install slurm-wlm munge")
    if os.getuid():
        pytest.skip("the nodes of a cluster on one machine need root")
    with cluster() as found:
        yield found


def records(folder):
    return {path.relative_to(folder): json.loads(path.read_text("utf-8"))["metrics"]
            for path in folder.glob("results/*/*/*/*.json")}


def test_a_dead_node_a_time_limit_and_a_full_disk_lose_nothing(running, tmp_path, monkeypatch):
    """Every record is that of a single machine, of a fleet of the plan or of its rest."""
    shared = tmp_path / "shared"
    jobs, alone = trained_alone(PAGES, tmp_path / "alone", monkeypatch)
    long = Path(jobs[0].records[0]).stem  # is slow, and has a minute at first
    slow = {"DISK": str(running.folder / "disk"), "LONG": long, "LONG_PAUSE": "25", "PAUSE": "5"}
    workflow = start_workflow(running, PAGES, shared, SLOW, slow,
                              "--set-resources", f"fleet_{long}:runtime=19 * attempt - 18")
    try:
        running.wait(lambda: "node2" in running.queue("RUNNING"), 300)
        running.fill_disk("node2")  # whose jobs fail at once, until the node gets none any more
        running.wait(lambda: "node1" in running.queue("TIMEOUT"), 300)
        running.wait(lambda: "node1" in running.queue("RUNNING"), 120)
        running.power_off("node1")
        running.wait(lambda: running.states()["node1"].startswith("down"), 120)
        running.power_on("node1")
        assert workflow.wait(600) == 0, (shared / "log").read_text("utf-8")[-3000:]
    finally:
        workflow.kill()
    assert records(shared) == alone != {}
    # What lost its power between two records of a fleet has trained the rest of it alone.
    assert all(any(fleet <= own for own in fleets_of(jobs)) for fleet in fleets_trained(shared))
    assert "node2" in running.queue("FAILED") and running.states()["node2"] == "drained"
    assert "node1" in running.queue("TIMEOUT")


def test_two_nodes_share_a_whole_chapter(running, tmp_path, monkeypatch):
    pages = [page for page in all_pages() if page.startswith("causal_lm/") and trained_runs(page, "smoke")]
    jobs, alone = trained_alone(pages, tmp_path / "alone", monkeypatch)
    workflow = start_workflow(running, pages, tmp_path / "shared", f"{sys.executable} -m icllib", {})
    try:
        assert workflow.wait(3000) == 0, (tmp_path / "shared/log").read_text("utf-8")[-3000:]
    finally:
        workflow.kill()
    assert records(tmp_path / "shared") == alone != {}
    assert fleets_trained(tmp_path / "shared") == fleets_of(jobs)
    done = running.queue("COMPLETED")
    assert "node1" in done and "node2" in done


def trained_alone(pages, folder, monkeypatch):
    """The fleets of these pages, and their records as this process alone makes them."""
    monkeypatch.setenv("CLAIMBOOK_RESULTS", str(folder / "results"))
    monkeypatch.setenv("CLAIMBOOK_CHECKPOINTS", str(folder / "checkpoints"))
    jobs = plan_trainings(pages, "smoke")
    for job in jobs:
        train(job.records)
    return jobs, records(folder)


def fleets_trained(folder):
    """The fleets that the records say they were trained in: the names of their records."""
    made = [json.loads(path.read_text("utf-8"))["provenance"] for path in folder.glob("results/*/*/*/*.json")]
    return {frozenset(own["members"]) for own in made}


def fleets_of(jobs):
    """The fleets of a plan, named so."""
    return {frozenset(Path(record).stem for record in job.records) for job in jobs}


def start_workflow(running, pages, folder, command, environment, *options):
    """The workflow in a folder of its own, whose jobs run this command as icllib."""
    folder.mkdir()
    own = {"PYTHONPATH": str(PROJECT), "CLAIMBOOK_RESULTS": str(folder / "results"),
           "CLAIMBOOK_CHECKPOINTS": str(folder / "checkpoints"), "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(
        [sys.executable, "-m", "snakemake", "--snakefile", PROJECT / "workflow/Snakefile",
         "--workflow-profile", PROJECT / "workflow/profiles/slurm", "--directory", folder,
         "--slurm-status-command", "squeue", "--slurm-init-seconds-before-status-checks", "5",
         "--latency-wait", "5", "--slurm-keep-successful-logs", *options,
         "--config", "profile=smoke", f"pages={' '.join(pages)}", f"icllib={command}",
         "--", "records"],
        env=running.environment | own | environment, stdout=(folder / "log").open("w", encoding="utf-8"),
        stderr=subprocess.STDOUT)
