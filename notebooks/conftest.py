"""Notebooks are compared in kernels that start quickly."""

import pytest
from forked_kernels import fork_kernels

fork_kernels(pytest.MonkeyPatch())
