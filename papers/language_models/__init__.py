"""Scripts for pre-trained language models, which the book describes and has no records of."""

import sys

from claimbook.records.errors import InputError


def command(function) -> None:
    """Run a function as a command with its parameters; bad input ends it with one line and exit code 1."""
    import typer  # takes a moment
    try:
        typer.run(function)
    except InputError as error:
        sys.exit(str(error))
