"""Training on one core of a CPU: one thread, and no page of memory fetched twice.

A step allocates the same tensors as the one before. By default the GNU C library hands large ones
back to the kernel as soon as they are freed, and gets them again zeroed page by page: that took a
quarter of a step of four 12/8/256 decoders, and nearly half of one of a wide perceptron.
"""

import contextlib
import ctypes

import torch

# mallopt(3), "M_TRIM_THRESHOLD" and "M_MMAP_MAX". The library adjusts them to large tensors until
# one is set; DEFAULT has the values at which its adjustment ends.
TRIM_THRESHOLD, MMAP_THRESHOLD, MMAP_MAX = -1, -3, -4
KEEP_FREED = {MMAP_MAX: 0, TRIM_THRESHOLD: 2**31 - 1}
DEFAULT = {MMAP_MAX: 2**16, TRIM_THRESHOLD: 2**26, MMAP_THRESHOLD: 2**25}


@contextlib.contextmanager
def one_core():
    """Within it, this process has one thread and keeps the memory that it frees.
    Without the GNU C library, as on macOS, only the number of threads changes."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    allocate_as(KEEP_FREED)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
        allocate_as(DEFAULT)


def allocate_as(options: dict[int, int]) -> None:
    """Set options of the GNU C library's allocator, and give back what is free before."""
    with contextlib.suppress(AttributeError):  # another C library
        library = ctypes.CDLL(None)
        library.malloc_trim(0)
        for option, value in options.items():
            library.mallopt(option, value)
