"""Records: one run's measured numbers with its provenance, as text under results/.

A record's key is a hash of the settings of its run and of the versions of the components in it
(claimbook/records/components.py). Its file is named by the settings alone, so that a record made by an
older version is found and called stale, not missing.
"""

import importlib

# Where each name is. A module, and NumPy with it, is imported when a name of it is asked for.
MODULES = {
    "components": ("ADDED", "Component", "digest", "from_settings", "key", "recorded_fields", "settings",
                   "source_on_disk", "sources", "type_name", "versions"),
    "files": ("PROJECT",),
    "records": ("DIGITS", "PROFILES", "Record", "check_page", "check_profile", "check_records", "find_record",
                "find_records", "is_fresh", "load_record", "results_folder", "rounded"),
}
HOME = {name: module for module, names in MODULES.items() for name in names}
__all__ = sorted(HOME)


def __getattr__(name: str):
    if name not in HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{HOME[name]}"), name)
