"""What the user's shell has set is forgotten, where it changes what is tested or what is printed."""

import os
import re

SET = re.compile(
    "CLAIMBOOK_.*|"
    "COLUMNS|LINES|TERMINAL_WIDTH|(NO|FORCE|PY|CLICOLOR)_?(COLORS?|FORCE)|CLICOLOR|GITHUB_ACTIONS|"  # widths, colors
    "PYTEST_(ADDOPTS|PLUGINS)|PYTHONWARNINGS|MPLBACKEND|MATPLOTLIBRC|PIP_.*|"
    r"(?!OMP_)\w+_NUM_THREADS|"
    "MAKE(FLAGS|LEVEL|OVERRIDES)|MFLAGS|TORCH|"  # of the make that runs the tests
    "GIT_(DIR|WORK_TREE|INDEX_FILE|PREFIX|COMMON_DIR|OBJECT_DIRECTORY)")  # of a hook that does

for name in filter(SET.fullmatch, list(os.environ)):
    del os.environ[name]
