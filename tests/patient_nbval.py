"""nbval on a loaded machine: it gives up after 5 or 10 seconds where nothing sets how many, and another
program may take a port that it gives a kernel.

A plugin of pytest: -p patient_nbval.
"""

import tempfile
from functools import partial

import nbval.kernel
from nbval.kernel import KernelManager, RunningKernel

from claimbook.pages.execution import sockets

OF_THIS_CALL = tempfile.TemporaryDirectory()
PATIENCE = 300  # seconds
get_message = RunningKernel.get_message


def patiently(kernel, stream, timeout=None):
    """A message of a kernel. At its start those of iopub may be lost, which nbval asks for again."""
    return get_message(kernel, stream, timeout if stream == "iopub" else max(PATIENCE, timeout or 0))


def pytest_configure(config):
    RunningKernel.get_message = patiently
    nbval.kernel.KernelManager = partial(KernelManager, **sockets(OF_THIS_CALL.name))
    config.option.nbval_kernel_startup_timeout = PATIENCE


def pytest_collection_modifyitems(items):
    for cell in items:
        cell.output_timeout = PATIENCE
