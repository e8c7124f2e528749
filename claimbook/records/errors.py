"""What stops work without being a bug."""


class InputError(ValueError):
    """Bad input: one line that says what was expected and what came (exit code 2)."""

    def __str__(self):
        return " ".join(map(str.strip, super().__str__().splitlines()))


class NoRoom(InputError):
    """Memory ran out: fewer models may fit."""


class OutOfTime(Exception):
    """The time limit was reached or a signal asked to stop before training was over (exit code 3)."""


DAMAGE = (OSError, ValueError, KeyError, RecursionError)  # of reading a damaged file
