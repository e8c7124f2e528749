"""icllib: four papers on in-context learning, re-run figure by figure."""

from icllib.pages import Page, provenance_line, settings_of, settings_table, shown_profile
from icllib.results import samples, stacked
from icllib.training import every_profile, load, records

__all__ = ["Page", "every_profile", "load", "provenance_line", "records", "samples", "settings_of",
           "settings_table", "shown_profile", "stacked"]
