"""Closed forms, and the reduced models that they are checked on."""
