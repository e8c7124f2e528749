"""The workflow on a real Slurm of two nodes on this machine, and what may happen there."""

import json
import os
import subprocess
import sys

import pytest

from icllib.files import PROJECT
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


def icllib(environment, *words):
    done = subprocess.run([sys.executable, "-m", "icllib", *words], env=environment,
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def records(folder):
    return {path.relative_to(folder): json.loads(path.read_text())["metrics"]
            for path in folder.glob("results/*/*/*/*.json")}


def test_a_dead_node_a_time_limit_and_a_full_disk_lose_nothing(running, tmp_path):
    """Every record is there at the end, made once, and equal to that of a single machine."""
    alone, shared = tmp_path / "alone", tmp_path / "shared"
    environment = lambda folder: running.environment | {
        "PYTHONPATH": str(PROJECT), "ICLLIB_RESULTS": str(folder / "results"),
        "ICLLIB_CHECKPOINTS": str(folder / "checkpoints"), "PAUSE": "5", "LONG_PAUSE": "25",
        "DISK": str(running.folder / "disk"), "OMP_NUM_THREADS": "1"}
    pages = [word for page in PAGES.split() for word in ("--page", page)]
    jobs = json.loads(icllib(environment(alone), "plan", "--profile", "smoke", *pages, "--json"))
    for job in jobs:
        icllib(environment(alone), "train", *job["records"])
    shared.mkdir()
    long = os.path.basename(jobs[0]["records"][0]).removesuffix(".json")
    log = (shared / "log").open("w")
    workflow = subprocess.Popen(
        [sys.executable, "-m", "snakemake", "--snakefile", PROJECT / "workflow/Snakefile",
         "--workflow-profile", PROJECT / "workflow/profiles/slurm", "--directory", shared,
         "--slurm-status-command", "squeue", "--slurm-init-seconds-before-status-checks", "5",
         "--latency-wait", "5", "--set-resources", f"fleet_{long}:runtime=1", "--config",
         "profile=smoke", f"pages={PAGES}", "icllib=" + " ".join(
             [sys.executable, str(PROJECT / "tests/workflow/slow_icllib.py")]), "--", "records"],
        env=environment(shared) | {"LONG": long}, stdout=log, stderr=subprocess.STDOUT)
    try:
        running.fill_disk("node2")  # whose jobs fail at once, until the node gets none any more
        running.wait(lambda: list(shared.glob("checkpoints/*/step-*.json")), 300)
        running.power_off("node1")
        running.wait(lambda: running.states()["node1"].startswith("down"), 120)
        running.power_on("node1")
        assert workflow.wait(500) == 0, (shared / "log").read_text()[-3000:]
    finally:
        workflow.kill()
    assert records(shared) == records(alone) != {}
    told = [path.read_text() for path in shared.glob(".snakemake/slurm_logs/*/*.log")]
    history = running.command("squeue", "--states=all", "--noheader", "--format=%T").stdout.split()
    assert "TIMEOUT" in history and "FAILED" in history and running.states()["node2"] == "drained"
    assert sum(text.count("records made") for text in told) <= len(jobs)
