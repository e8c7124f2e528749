"""icllib: four papers on in-context learning, re-run figure by figure."""

import importlib

# Where each name is. A module is imported when a name of it is asked for: the command line answers
# without PyTorch where it can.
MODULES = {
    "pages": ("Page", "provenance_line", "settings_of", "settings_table", "shown_profile"),
    "results": ("samples", "stacked"),
    "training": ("Limits", "every_profile", "load", "records"),
}
HOME = {name: module for module, names in MODULES.items() for name in names}
__all__ = sorted(HOME)


def __getattr__(name: str):
    if name not in HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"icllib.{HOME[name]}"), name)
