"""Names of a package whose modules are imported when a name of them is asked for."""

import importlib
import sys
from collections.abc import Callable
from typing import Any


def lazy_names(package: str, modules: dict[str, tuple[str, ...]]) -> tuple[
        Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """A package's __getattr__, __dir__ and sorted names; modules: of each module the names in it."""
    home = {name: module for module, names in modules.items() for name in names}

    def get(name: str):
        if name in modules and name not in home:
            return importlib.import_module(f"{package}.{name}")
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(importlib.import_module(f"{package}.{home[name]}"), name)

    return get, lambda: sorted({*vars(sys.modules[package]), *home}), sorted(home)
