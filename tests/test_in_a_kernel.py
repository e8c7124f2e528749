"""A page in Jupyter's kernel: progress shows, it can be interrupted, and run again it goes on."""

import time

import pytest
from small_fleet import RECIPE

from claimbook.pages.execution import sockets

jupyter_client = pytest.importorskip("jupyter_client")

CELL = """
import icllib, time
from small_fleet import runs
from icllib.training import Fleet

taken, take_step = [], Fleet.take_step
def counted(fleet):
    taken.append(int(fleet.step))
    time.sleep(PAUSE * (taken[-1] >= 100))  # from where on progress is told
    take_step(fleet)
Fleet.take_step = counted
try:
    records = icllib.records(lambda profile: runs(seeds=(0,)), "gpu", "test/page",
                             limits=icllib.Limits(on_cpu=True))
    print(len(records), "record,", len(taken), "steps from", min(taken))
finally:
    Fleet.take_step = take_step
"""


@pytest.fixture
def kernel(folders, tmp_path, monkeypatch):
    """A kernel of this Python, with folders of its own, and its client."""
    monkeypatch.syspath_prepend("tests")
    monkeypatch.setenv("PYTHONPATH", "tests", prepend=":")
    manager = jupyter_client.KernelManager(**sockets(str(tmp_path)))
    manager.start_kernel()
    client = manager.client()
    client.start_channels()
    client.wait_for_ready(timeout=300)
    yield manager, client
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def outputs(client, identity, until=lambda text: False) -> tuple[str, str | None]:
    """What a cell writes, up to where `until` is true of it or to its end, and its error."""
    text, error, end = "", None, time.monotonic() + 300
    while time.monotonic() < end:
        message = client.get_iopub_msg(timeout=300)
        content = message["content"]
        if message["parent_header"].get("msg_id") != identity:
            continue
        text += content.get("text", "")
        if message["msg_type"] == "error":
            error = f"{content['ename']}: {content['evalue']}"
        if until(text) or content.get("execution_state") == "idle":
            return text, error
    raise AssertionError(f"no end of the cell: {text[-500:]}")


def test_a_cell_that_is_interrupted_and_run_again_goes_on(kernel):
    manager, client = kernel
    first = client.execute(CELL.replace("PAUSE", "1"))
    text, error = outputs(client, first, lambda text: "steps," in text)
    assert f"/{RECIPE.steps} steps, " in text and "s left" in text and error is None, (text, error)
    manager.interrupt_kernel()
    text, error = outputs(client, first)
    assert error.startswith("OutOfTime: stopped at step ")
    stopped = int(error.split("step ")[1].split()[0])
    text, error = outputs(client, client.execute(CELL.replace("PAUSE", "0")))
    assert error is None and f"1 record, {RECIPE.steps - stopped} steps from {stopped}" in text
