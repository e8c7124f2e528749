"""The one error that is the user's to mend."""


class InputError(ValueError):
    """Bad input: one line that says what was expected and what came (exit code 2)."""
