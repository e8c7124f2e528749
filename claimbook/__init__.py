"""claimbook: a book of claims, each with a record, a gate, a control and a verdict."""

import importlib

__version__ = "0.3.0"

# Where each name is. A module is imported when a name of it is asked for.
MODULES = {
    "claims.alone": ("decide",),
    "pages.page": ("Page", "provenance_line", "settings_of", "settings_table", "shown_profile"),
    "records": ("Component", "Record", "find_record", "load_record"),
    "records.values": ("values",),
    "records.compute": ("every_profile",),
    "records.errors": ("InputError",),
    "records.limits": ("Limits",),
}
HOME = {name: module for module, names in MODULES.items() for name in names}
__all__ = ["__version__", *sorted(HOME)]


def __getattr__(name: str):
    if name not in HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"claimbook.{HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
