"""claimbook: a book of claims, each with a record, a gate, a control and a verdict."""

from claimbook.records.lazy import lazy_names

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
__getattr__, __dir__, names = lazy_names(__name__, MODULES)
__all__ = ["__version__", *names]
