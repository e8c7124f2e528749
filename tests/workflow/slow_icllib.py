"""The command icllib with a checkpoint after every step and a pause behind it: $PAUSE seconds, or
$LONG_PAUSE for the fleet whose first record is $LONG. On a node its checkpoints are where the other
node finds them, but for one whose own disk is full."""

import os
import sys
import time

from claimbook.commands import command_line
from icllib.training import engine, jobs

if sys.argv[1] == "train":
    long = os.environ["LONG"] in sys.argv[2]
    pause = float(os.environ["LONG_PAUSE" if long else "PAUSE"])
    engine.SAVE_EVERY, save = 0.0, jobs.save_checkpoint
    jobs.save_checkpoint = lambda *words: (save(*words), time.sleep(pause))
    if os.path.exists(os.environ["DISK"] + "/full"):
        os.environ["CLAIMBOOK_CHECKPOINTS"] = os.environ["DISK"]
command_line.main()
