"""The papers, a folder for each: what its pages run, and its claims."""

import icllib  # noqa: F401  (records name its components without it, as in "tasks.LinearRegression")
