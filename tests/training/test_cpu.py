"""Training on one core: threads, and memory, whose page faults the kernel counts."""

import ctypes
import json
import os
import resource
import subprocess
import sys

import pytest
import torch

from claimbook.records import PROJECT
from icllib.training.cpu import one_core

SIZE = 2**27  # bytes, more than the C library keeps by its own adjustment


def page_faults() -> int:
    """How often the kernel had to fetch memory while a large tensor was made and freed."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    torch.ones(SIZE, dtype=torch.uint8)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before


def resident_bytes() -> int:
    with open("/proc/self/statm", encoding="utf-8") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def report() -> None:
    """Print page faults before, within and after, and the bytes kept within and given back."""
    before = page_faults()
    with one_core():
        within = min(page_faults() for _ in range(10))  # two may pass until a gap fits
        kept = resident_bytes()
    given_back = kept - resident_bytes()
    print(json.dumps([before, within, page_faults(), given_back]))


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "mallopt"), reason="another C library")
def test_memory_is_fetched_once_within_and_every_time_outside():
    # In a process of its own: only the main thread's memory is kept.
    found = subprocess.run([sys.executable, __file__], capture_output=True, check=True,
                           env=os.environ | {"PYTHONPATH": str(PROJECT)})
    before, within, after, given_back = json.loads(found.stdout)
    if not before:
        pytest.skip("a kernel that counts no page faults, such as gVisor's")
    assert within < before / 10
    assert after > before / 2
    assert given_back > SIZE / 2


def test_one_thread_within_and_as_many_as_before_after_an_error():
    torch.set_num_threads(2)
    try:
        with pytest.raises(ZeroDivisionError), one_core():
            assert torch.get_num_threads() == 1
            1 / 0
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(1)


if __name__ == "__main__":
    report()
