"""A Slurm of two nodes on this machine, for as long as a test or a command takes.

    python tests/workflow/slurm_cluster.py sinfo

Each node is a slurmd among processes and mounts of its own (`unshare`), so that it can lose its
power or fill its disk alone. Needs root, and Debian's packages slurm-wlm and munge.
"""

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "unshare")
NODES = {"node1": 17101, "node2": 17102}  # and their ports
CONFIGURATION = """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort=17100
SlurmUser=root
AuthType=auth/munge
CryptoType=crypto/munge
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=2,batch_sched_delay=0,defer
ReturnToService=2
SlurmdTimeout=10
KillWait=30
HealthCheckProgram={folder}/health
HealthCheckInterval=30
MinJobAge=3600
{nodes}
PartitionName=all Nodes=ALL Default=YES State=UP
"""
NODE = "NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=2 RealMemory=8000"
# A node's own disk, of two megabytes; and the configuration, for whoever drops $SLURM_CONF.
START_NODE = ("mount -t tmpfs -o size=2m tmpfs {folder}/disk && echo {name} > {folder}/disk/name && "
              "mount --bind {folder} /etc/slurm && exec slurmd -D -N {name}")
# What every cluster has: a node whose disk is full gets no more jobs.
HEALTH = """#!/bin/sh
[ $(df --output=avail {folder}/disk | tail -1) -gt 1024 ] ||
  scontrol update node=$(cat {folder}/disk/name) state=drain reason=disk
"""


def missing_programs() -> list[str]:
    """What must be installed for a cluster, and is not."""
    return [name for name in PROGRAMS if shutil.which(name) is None]


class Cluster:
    """A running cluster: its folder and the process of each of its nodes."""

    def __init__(self, folder: Path, daemons: contextlib.ExitStack):
        self.folder, self.daemons, self.nodes = folder, daemons, {}
        host = socket.gethostname()
        nodes = "\n".join(NODE.format(name=name, host=host, port=port) for name, port in NODES.items())
        (folder / "slurm.conf").write_text(CONFIGURATION.format(host=host, folder=folder,
                                                                nodes=nodes), "utf-8")
        (folder / "health").write_text(HEALTH.format(folder=folder), "utf-8")
        (folder / "health").chmod(0o755)
        for name in ("disk", "state", *(f"spool-{name}" for name in NODES)):
            (folder / name).mkdir()
        self.environment = os.environ | {"SLURM_CONF": str(folder / "slurm.conf")}
        (folder / "munge.key").write_bytes(os.urandom(128))
        (folder / "munge.key").chmod(0o600)
        self.start("munged", "--foreground", "--force", *(
            f"--{name}={folder}/munge.{end}" for name, end in (
                ("key-file", "key"), ("socket", "socket"), ("pid-file", "pid"),
                ("log-file", "log"), ("seed-file", "seed"))))
        self.wait(lambda: (folder / "munge.socket").exists())
        self.start("slurmctld", "-D")
        for name in NODES:
            self.power_on(name)
        self.wait(lambda: set(self.states().values()) == {"idle"})

    def start(self, *command: str) -> subprocess.Popen:
        """Start a daemon that ends with the cluster."""
        process = subprocess.Popen(command, env=self.environment, stdout=subprocess.DEVNULL,
                                   stderr=(self.folder / "daemons.log").open("a", encoding="utf-8"))
        self.daemons.callback(lambda: (process.kill(), process.wait()))
        return process

    def power_on(self, name: str) -> None:
        """Start a node."""
        self.nodes[name] = self.start(
            "unshare", "--pid", "--fork", "--kill-child", "--mount", "--mount-proc", "sh", "-c",
            START_NODE.format(folder=self.folder, name=name))

    def power_off(self, name: str) -> None:
        """End a node and all that runs on it at once."""
        self.nodes[name].kill()
        self.nodes[name].wait()

    def fill_disk(self, name: str) -> None:
        """Leave no room on a node's own disk."""
        outside = self.nodes[name].pid
        inside = Path(f"/proc/{outside}/task/{outside}/children").read_text("utf-8").split()[0]
        with contextlib.suppress(OSError):  # as there is less room
            Path(f"/proc/{inside}/root{self.folder}/disk/full").write_bytes(bytes(2**22))

    def states(self) -> dict[str, str]:
        """The state of each node."""
        found = self.command("sinfo", "--noheader", "--Node", "--format=%N %T")
        return dict(line.split() for line in found.stdout.splitlines())

    def queue(self, state: str) -> set[str]:
        """The nodes of the jobs that are in this state, or have ended so."""
        return set(self.command("squeue", f"--states={state}", "--noheader", "--format=%N").stdout.split())

    def command(self, *words: str, **options) -> subprocess.CompletedProcess:
        """Run a command that finds this cluster."""
        return subprocess.run(words, env=self.environment, capture_output=True, encoding="utf-8", **options)

    def wait(self, condition, seconds: float = 30) -> None:
        """Wait until a condition holds; raises TimeoutError where it does not."""
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                raise TimeoutError((self.folder / "daemons.log").read_text("utf-8")[-2000:])
            time.sleep(0.2)


@contextlib.contextmanager
def cluster():
    """A cluster in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="slurm-") as folder, contextlib.ExitStack() as daemons:
        os.chmod(folder, 0o755)
        yield Cluster(Path(folder), daemons)


if __name__ == "__main__":
    with cluster() as running:
        sys.exit(subprocess.run(sys.argv[1:], env=running.environment).returncode)
