"""Records: one run's measured numbers with its provenance, as text under results/.

A record's key is a hash of the settings of its run and of the versions of the components in it
(claimbook/records/components.py). Its file is named by the settings alone, so that a record made by an
older version is found and called stale, not missing.
"""

from claimbook.records.components import (
    ADDED, Component, digest, from_settings, key, recorded_fields, settings, source_on_disk, sources,
    type_name, versions)
from claimbook.records.files import PROJECT
from claimbook.records.records import (
    DIGITS, PROFILES, Record, check_page, check_profile, check_records, dealt, find_record,
    find_records, is_fresh, load_record, results_folder, rounded, samples, select, stacked)

__all__ = ["ADDED", "Component", "DIGITS", "PROFILES", "PROJECT", "Record", "check_page", "check_profile",
           "check_records", "dealt", "digest", "find_record", "find_records", "from_settings",
           "is_fresh", "key", "load_record", "recorded_fields", "results_folder", "rounded", "samples",
           "select", "settings", "source_on_disk", "sources", "stacked", "type_name", "versions"]
