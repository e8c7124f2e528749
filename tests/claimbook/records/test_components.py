"""Components: what their fields become, and their versions."""

from dataclasses import dataclass

from claimbook.records import Component, versions


@dataclass(frozen=True)
class Sample(Component):
    sizes: tuple[int, ...] = (1,)


@dataclass(frozen=True)
class Later(Sample):
    version = 2


def test_a_list_becomes_a_tuple_and_the_version_is_one_unless_said():
    assert Sample(sizes=[1, 2]) == Sample(sizes=(1, 2)) == Sample(sizes=range(1, 3))
    assert list(versions([Sample(), Later()]).values()) == [2, 1]  # sorted by name
