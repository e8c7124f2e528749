"""Notebooks are compared in kernels that start quickly, on machines that may be slow."""

import own_shell  # noqa: F401  before anything reads what it forgets
import pytest
from forked_kernels import fork_kernels
from patient_nbval import pytest_collection_modifyitems, pytest_configure  # noqa: F401

from claimbook.pages.names import all_pages

fork_kernels(pytest.MonkeyPatch(), ["seaborn", "tests.drawn_once", *(
    f"papers.{page.replace('/', '.')}" for page in all_pages())])
