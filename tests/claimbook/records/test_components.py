"""Components and the records of their kinds: fields, versions, and which records are chosen."""

from dataclasses import dataclass
from typing import Literal


from claimbook.records import Component, versions
from claimbook.records.checks import positive


@dataclass(frozen=True)
class Sample(Component):
    sizes: tuple[int, ...] = (1,)
    mask: Literal["prefix", "causal"] = "prefix"
    merged: bool = False
    rate: float = 1.0
    seed: int = 0

    def check(self):
        positive(rate=self.rate)


@dataclass(frozen=True)
class Later(Sample):
    version = 2


def test_a_list_becomes_a_tuple_and_the_version_is_one_unless_said():
    assert Sample(sizes=[1, 2]) == Sample(sizes=(1, 2)) == Sample(sizes=range(1, 3))
    assert list(versions([Sample(), Later()]).values()) == [2, 1]  # sorted by name
