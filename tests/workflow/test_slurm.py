"""The workflow on a real Slurm of two nodes on this machine, and what may happen there."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from icllib.files import PROJECT
from icllib.fleet import train
from icllib.plan import plan
from slurm_cluster import cluster, missing_programs

PAGES = "context_scaling/fig02_one_noise_level context_scaling/fig05_one_layer"


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
    return {path.relative_to(folder): json.loads(path.read_text())["metrics"]
            for path in folder.glob("results/*/*/*/*.json")}


def test_a_dead_node_a_time_limit_and_a_full_disk_lose_nothing(running, tmp_path, monkeypatch):
    """Every record is there at the end, made once, and equal to that of a single machine."""
    alone, shared = tmp_path / "alone", tmp_path / "shared"
    monkeypatch.setenv("ICLLIB_RESULTS", str(alone / "results"))
    monkeypatch.setenv("ICLLIB_CHECKPOINTS", str(alone / "checkpoints"))
    jobs = plan(PAGES.split(), "smoke")
    for job in jobs:
        train(job.records)
    long = Path(jobs[0].records[0]).stem
    workflow = start_workflow(running, shared, long)
    try:
        running.wait(lambda: "node2" in running.queue("RUNNING"), 300)
        running.fill_disk("node2")  # whose jobs fail at once, until the node gets none any more
        running.wait(lambda: list(shared.glob("checkpoints/*/step-*.json")), 300)
        running.power_off("node1")
        running.wait(lambda: running.states()["node1"].startswith("down"), 120)
        running.power_on("node1")
        assert workflow.wait(600) == 0, (shared / "log").read_text()[-3000:]
    finally:
        workflow.kill()
    assert records(shared) == records(alone) != {}
    told = [path.read_text() for path in shared.glob(".snakemake/slurm_logs/*/*.log")]
    assert sum(text.count("records made") for text in told) == len(jobs)
    assert "node2" in running.queue("FAILED") and running.states()["node2"] == "drained"
    assert "node1" in running.queue("TIMEOUT")


def start_workflow(running, folder, long):
    """The workflow in a folder of its own; the fleet of this name is slow, and has a minute at first."""
    folder.mkdir()
    command = f"{sys.executable} {PROJECT}/tests/workflow/slow_icllib.py"
    own = {"PYTHONPATH": str(PROJECT), "ICLLIB_RESULTS": str(folder / "results"),
           "ICLLIB_CHECKPOINTS": str(folder / "checkpoints"), "DISK": str(running.folder / "disk"),
           "LONG": long, "LONG_PAUSE": "25", "PAUSE": "5", "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(
        [sys.executable, "-m", "snakemake", "--snakefile", PROJECT / "workflow/Snakefile",
         "--workflow-profile", PROJECT / "workflow/profiles/slurm", "--directory", folder,
         "--slurm-status-command", "squeue", "--slurm-init-seconds-before-status-checks", "5",
         "--latency-wait", "5", "--slurm-keep-successful-logs",
         "--set-resources", f"fleet_{long}:runtime=19 * attempt - 18",
         "--config", "profile=smoke", f"pages={PAGES}", f"icllib={command}", "--", "records"],
        env=running.environment | own, stdout=(folder / "log").open("w"), stderr=subprocess.STDOUT)
