"""Kernels for the comparison of notebooks: forks of one process that has imported what they need.

Importing torch took most of the time of many notebooks. pandas and matplotlib ask where they are
when they are imported, so each notebook imports them itself, as it does everything else: pages run as
they stand, each in a process of its own.
"""

import multiprocessing
import os
import tempfile
import time

from ipykernel.kernelapp import IPKernelApp
from jupyter_client.provisioning import local_provisioner

from icllib.files import matplotlib_folder

OF_THIS_CALL = tempfile.TemporaryDirectory()
if folder := matplotlib_folder(OF_THIS_CALL.name):
    os.environ["MPLCONFIGDIR"] = folder

SERVER = multiprocessing.get_context("forkserver")
SERVER.set_forkserver_preload(["torch", "scipy.special", "ipykernel.kernelapp"])


def serve(words, env, cwd):
    """What a kernel's process does: `python -m ipykernel_launcher` with these words."""
    os.setsid()  # its signals go to its group
    os.environ.clear()
    os.environ.update(env)
    os.chdir(cwd)
    IPKernelApp.launch_instance(words)


class Kernel:
    """As much of subprocess.Popen as jupyter_client asks for."""

    stdin = stdout = stderr = None

    def __init__(self, command, env, cwd, **_):
        words = command[command.index("ipykernel_launcher") + 1 :]
        self.process = SERVER.Process(target=serve, args=(words, env, cwd))
        self.process.start()
        self.pid = self.process.pid
        while self.poll() is None and os.getpgid(self.pid) != self.pid:
            time.sleep(0.001)  # or a signal to its group would be one to ours

    def poll(self):
        return self.process.exitcode

    def wait(self, timeout=None):
        self.process.join(timeout)
        return self.poll()

    def send_signal(self, number):
        os.kill(self.pid, number)


local_provisioner.launch_kernel = Kernel
