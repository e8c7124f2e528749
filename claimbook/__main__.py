"""What `claimbook` and `python -m claimbook` call."""

import atexit
import gc
import os
import sys
import threading
import time


def tell_that_it_works() -> None:
    """Say on standard error what is at work, and, where that is no terminal, every 30 s for how long."""
    words, start = " ".join(["claimbook", *sys.argv[1:]]), time.monotonic()
    time.sleep(0.8)
    print(f"{words}: at work", file=sys.stderr, flush=True)
    while not sys.stderr.isatty():
        time.sleep(30)
        print(f"{words}: at work for {time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)


def main() -> None:
    """Run the command line, and say that it is at work."""
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # closed
    if "--json" not in sys.argv:  # what a machine reads stays as it is
        threading.Thread(target=tell_that_it_works, daemon=True).start()  # before imports, which are slow
    from claimbook.records.errors import InputError

    try:
        from claimbook.commands import command_line
    except InputError as error:  # the working folder is gone
        print(f"claimbook: {error}", file=sys.stderr)
        sys.exit(2)
    atexit.register(gc.freeze)  # all goes with the process: to search it for cycles first took half a second
    command_line.main()


if __name__ == "__main__":
    main()
