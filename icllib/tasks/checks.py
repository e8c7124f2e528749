"""What every task refuses; a comparison with NaN is false, so NaN is refused too."""

from icllib.errors import InputError


def at_least_one(**sizes) -> None:
    """Raises InputError, by name, for a size below 1."""
    at_least(1, **sizes)


def positive(**values) -> None:
    """Raises InputError, by name, for a value that is not above 0."""
    for name, value in values.items():
        if not value > 0:
            raise InputError(f"{name}: expected a positive number, got {value}")


def not_negative(**values) -> None:
    """Raises InputError, by name, for a value below 0."""
    at_least(0, **values)


def at_least(least: float, **values) -> None:
    """Raises InputError, by name, for a value below the least."""
    for name, value in values.items():
        if not value >= least:
            raise InputError(f"{name}: expected at least {least}, got {value}")


def one_of(allowed: tuple, **values) -> None:
    """Raises InputError, by name, for a value that is not among those allowed."""
    for name, value in values.items():
        if value not in allowed:
            raise InputError(f"{name}: expected one of {allowed}, got {value!r}")
