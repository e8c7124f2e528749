"""Names of a package whose modules are imported when a name of them is asked for."""

import importlib
import sys


def lazy_names(package: str, modules: dict[str, tuple[str, ...]]):
    """A package's __getattr__, __dir__ and sorted names; modules: of each module the names in it."""
    home = {name: module for module, names in modules.items() for name in names}

    def get(name: str):
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(importlib.import_module(f"{package}.{home[name]}"), name)

    return get, lambda: sorted({*vars(sys.modules[package]), *home}), sorted(home)
