"""Records: one run's measured numbers with its provenance, as text under results/.

A record's key is a hash of the settings of its run and of the versions of the components in it
(claimbook/records/components.py). Its file is named by the settings alone, so that a record made by an
older version is found and called stale, not missing.
"""

from claimbook.records.lazy import lazy_names

# Where each name is. A module, and NumPy with it, is imported when a name of it is asked for.
MODULES = {
    "components": ("ADDED", "Component", "digest", "from_settings", "key", "recorded_fields", "settings",
                   "source_on_disk", "sources", "type_name", "versions"),
    "files": ("PROJECT",),
    "records": ("DIGITS", "PROFILES", "Record", "check_page", "check_profile", "check_records", "find_record",
                "find_records", "is_fresh", "load_record", "results_folder", "rounded"),
}
__getattr__, __dir__, __all__ = lazy_names(__name__, MODULES)
