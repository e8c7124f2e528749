"""What `python -m icllib` calls."""

from icllib.cli import main

main()
