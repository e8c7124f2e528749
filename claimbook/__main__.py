"""What `python -m claimbook` calls."""

import atexit
import gc

from claimbook.commands.command_line import main

atexit.register(gc.freeze)  # all goes with the process: to search it for cycles first took half a second
main()
