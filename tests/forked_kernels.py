"""Kernels that are forks of one process which has imported what pages need.

Importing takes most of the time of many pages. Pages run as they stand, each in a process of its own;
pandas and matplotlib, which ask where they are when they are imported, are told that it is a kernel.
"""

import contextlib
import multiprocessing
import os
import tempfile
import time

import matplotlib
import pandas
from ipykernel.kernelapp import IPKernelApp
from matplotlib import pyplot
from matplotlib.layout_engine import ConstrainedLayoutEngine

from claimbook.records.files import matplotlib_folder

OF_THIS_CALL = tempfile.TemporaryDirectory()
SERVER = multiprocessing.get_context("forkserver")
PRELOADED = ["ipykernel.kernelapp", "ipykernel.debugger", "claimbook.pages.page", "claimbook.pages.plotting",
             "icllib.training"]
SERVER.set_forkserver_preload(PRELOADED)


def serve(words, env, cwd):
    """What a kernel's process does: `python -m ipykernel_launcher` with these words."""
    os.setsid()  # its signals go to its group
    os.environ.clear()
    os.environ.update(env)
    os.chdir(cwd)
    matplotlib.rcParams["backend"] = "module://matplotlib_inline.backend_inline"
    pyplot.install_repl_displayhook = lambda: None  # which draws each figure once more, for nobody
    ConstrainedLayoutEngine.execute = lambda *given: None  # takes half of drawing; no place is compared
    pandas.set_option("display.max_columns", 20)
    IPKernelApp.launch_instance(words)


class Kernel:
    """As much of subprocess.Popen as jupyter_client asks for."""

    stdin = stdout = stderr = None

    def __init__(self, command, env, cwd=None, **_):
        words = command[command.index("ipykernel_launcher") + 1 :]
        self.process = SERVER.Process(target=serve, args=(words, env, cwd or os.getcwd()))
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
        if self.poll() is None:
            with contextlib.suppress(ProcessLookupError):  # ended meanwhile
                os.kill(self.pid, number)


def fork_kernels(patch, imported=()) -> None:
    """Makes the kernels that this process starts forks of one that has imported these modules too, before
    the first. patch: a pytest.MonkeyPatch."""
    if imported:
        SERVER.set_forkserver_preload(PRELOADED + imported)
    patch.setattr("jupyter_client.provisioning.local_provisioner.launch_kernel", Kernel)
    if folder := matplotlib_folder(OF_THIS_CALL.name):
        patch.setenv("MPLCONFIGDIR", folder)
