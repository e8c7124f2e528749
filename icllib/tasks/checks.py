"""What every task refuses; a comparison with NaN is false, so NaN is refused too."""

from icllib.errors import InputError


def at_least_one(**sizes) -> None:
    """Raises InputError, by name, for a size below 1."""
    for name, size in sizes.items():
        if not size >= 1:
            raise InputError(f"{name}: expected at least 1, got {size}")


def positive(**values) -> None:
    """Raises InputError, by name, for a value that is not above 0."""
    for name, value in values.items():
        if not value > 0:
            raise InputError(f"{name}: expected a positive number, got {value}")


def not_negative(**values) -> None:
    """Raises InputError, by name, for a value below 0."""
    for name, value in values.items():
        if not value >= 0:
            raise InputError(f"{name}: expected at least 0, got {value}")


def one_of(allowed: tuple, **values) -> None:
    """Raises InputError, by name, for a value that is not among those allowed."""
    for name, value in values.items():
        if value not in allowed:
            raise InputError(f"{name}: expected one of {allowed}, got {value!r}")
