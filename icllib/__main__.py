"""What `python -m icllib` calls."""

from icllib.commands.command_line import main

main()
