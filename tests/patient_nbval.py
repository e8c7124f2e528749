"""nbval, which gives up after 5 or 10 seconds where nothing sets how many, on a loaded machine.

A plugin of pytest: -p patient_nbval.
"""

from nbval.kernel import RunningKernel

PATIENCE = 300  # seconds
get_message = RunningKernel.get_message


def patiently(kernel, stream, timeout=None):
    """A message of a kernel. At its start those of iopub may be lost, which nbval asks for again."""
    return get_message(kernel, stream, timeout if stream == "iopub" else max(PATIENCE, timeout or 0))


def pytest_configure(config):
    RunningKernel.get_message = patiently
    config.option.nbval_kernel_startup_timeout = PATIENCE


def pytest_collection_modifyitems(items):
    for cell in items:
        cell.output_timeout = PATIENCE
