"""Counter-based random numbers: every number is a pure function of its purpose.

A number depends on (seed, purpose, name, id, index) and on nothing else: not on the size of the
fleet, the order of the calls, the device or the step at which a run resumed. So a pre-training
task can be drawn again whenever it is needed, and T tasks cost no memory.

The generator is Philox-4x32 with ten rounds (Salmon et al., 2011), written in 64-bit integer
tensor operations, so that it runs and compiles wherever PyTorch does.
"""

import hashlib
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial

import torch
from torch import Tensor

from claimbook.records.checks import WORD, integer, text, tuple_of
from icllib import checks
from icllib.checks import indices, precise

MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
KEY_STEPS = (0x9E3779B9, 0xBB67AE85)
MAX_CYCLE_WALK = 8


def philox(counter: tuple[Tensor, Tensor, Tensor, Tensor], key: tuple[Tensor, Tensor]):
    """Four random 32-bit words per counter (Philox-4x32-10, Salmon et al. 2011, Section 3).

    counter and key: tensors of int64 that hold 32-bit words and broadcast together.
    Returns four int64 tensors with values in [0, 2^32).
    """
    c0, c1, c2, c3 = counter
    c0 = c0 & WORD  # compiled for a GPU, a range times a constant would be computed in 32 bits
    k0, k1 = key
    for _ in range(10):
        # A product wraps around, but its 64 bits are right. Only c0 and c2, which are multiplied,
        # must be single words: what the others carry above theirs is masked away with them.
        first, second = c0 * MULTIPLIERS[0], c2 * MULTIPLIERS[1]
        c0, c1, c2, c3 = ((second >> 32 ^ c1 ^ k0) & WORD, second, (first >> 32 ^ c3 ^ k1) & WORD, first)
        k0, k1 = k0 + KEY_STEPS[0], k1 + KEY_STEPS[1]
    return c0, c1 & WORD, c2, c3 & WORD


_CONSTANTS: dict = {}


def constant(values: tuple, device) -> Tensor:
    """Integers as a tensor on a device; made once, because a captured CUDA graph cannot copy them.
    values: integers, or equally long tuples of them. A function must run once before it is
    compiled: then the tensor is there, and the compiled function reads it."""
    place = (values, str(device))
    if place not in _CONSTANTS:
        with torch.inference_mode(False):  # it may be needed in training later
            _CONSTANTS[place] = torch.tensor(values, dtype=torch.int64, device=device)
    return _CONSTANTS[place]


def word_of(name: str) -> int:
    """A 32-bit word that stands for a name."""
    return int.from_bytes(hashlib.blake2s(name.encode(), digest_size=4).digest(), "little")


@dataclass(frozen=True, eq=False)
class Stream:
    """Random numbers of a fleet: one seed per member, one purpose ("training", "evaluation", ...).

    seeds: (M,) integers in [0, 2^32). Streams of different purposes never share a number.
    generator: Philox as it is, or compiled to one kernel, with the same bits.
    """

    seeds: Tensor  # (M,) int64
    purpose: str
    generator: Callable = philox

    @classmethod
    def of(cls, seeds, purpose: str, device="cpu") -> "Stream":
        """A stream from a list of seeds; raises InputError for a seed outside [0, 2^32), a purpose
        that is no text and a device that is not there."""
        seeds = tuple_of(partial(integer, 0, WORD), "seeds", seeds)
        text(purpose=purpose)
        checks.device(device)
        return cls(torch.tensor(seeds, dtype=torch.int64, device=device), purpose)

    def words(self, ids: Tensor, name: str, count: int) -> Tensor:
        """Random 32-bit words as int64, ids (M, B) -> (M, B, count); raises InputError for ids that
        are no integers and a name that is no text."""
        indices(ids=ids)
        text(name=name)
        integer(0, count=count)
        if ids.is_meta:  # where tensors have shapes alone
            return ids.new_empty(*ids.shape, count)
        blocks = torch.arange(-(-count // 4), device=ids.device)
        ids = ids[..., None]
        counter = (blocks, torch.full_like(blocks, word_of(name)), ids & WORD, ids >> 32 & WORD)
        key = (self.seeds[:, None, None], torch.full_like(blocks, word_of(self.purpose)))
        return torch.stack(self.generator(counter, key), dim=-1).flatten(-2)[..., :count]

    def uniform(self, ids: Tensor, name: str, shape=(), dtype=torch.float32) -> Tensor:
        """Uniform numbers in the open interval (0, 1), ids (M, B) -> ``(M, B, *shape)``.

        Raises InputError for another type than float32 and float64.
        """
        precise(dtype)
        count = math.prod(shape)
        if dtype == torch.float64:
            words = self.words(ids, name, 2 * count).unflatten(-1, (count, 2))
            integers = ((words[..., 0] >> 6) << 26) + (words[..., 1] >> 6)  # 52 random bits
            numbers = (integers.to(dtype) + 0.5) * 2.0**-52
        else:
            numbers = ((self.words(ids, name, count) >> 9).to(dtype) + 0.5) * 2.0**-23
        return numbers.reshape(*ids.shape, *shape)

    def normal(self, ids: Tensor, name: str, shape=(), dtype=torch.float32) -> Tensor:
        """Standard normal numbers by the Box-Muller formula, ids (M, B) -> ``(M, B, *shape)``."""
        count = math.prod(shape)
        pairs = self.uniform(ids, name, (-(-count // 2), 2), dtype)
        radius = torch.sqrt(-2 * torch.log(pairs[..., 0]))
        angle = 2 * math.pi * pairs[..., 1]
        numbers = torch.stack((radius * torch.cos(angle), radius * torch.sin(angle)), dim=-1)
        return numbers.flatten(-2)[..., :count].reshape(*ids.shape, *shape)

    def integers(self, ids: Tensor, name: str, high: int, shape=()) -> Tensor:
        """Integers in [0, high), ids (M, B) -> ``(M, B, *shape)``.

        Raises InputError for a `high` that is no integer from 1 to 2^31.
        """
        integer(1, 2**31, high=high)
        words = self.words(ids, name, math.prod(shape))
        return (words * high >> 32).reshape(*ids.shape, *shape)

    def permute(self, positions: Tensor, epoch: Tensor, name: str, sizes: list[int]) -> Tensor:
        """Where a random permutation of range(size) sends each position; a new one every epoch.

        A Feistel network on a grid of rows x columns >= size cells, walked until it falls inside
        range(size) (Black and Rogaway, 2002), so that no permutation is ever stored.
        positions, epoch: (M, B) int64, positions < sizes[m]; sizes: M integers below 2^31.
        """
        rows, columns = zip(*(_grid(size) for size in sizes))
        walk = max(row * column - size for row, column, size in zip(rows, columns, sizes))
        rows, columns, sizes = (constant(tuple(values), positions.device)[:, None]
                                for values in (rows, columns, sizes))
        cell = self._feistel(positions, epoch, name, rows, columns)
        for _ in range(min(walk, MAX_CYCLE_WALK)):
            again = self._feistel(cell, epoch, name, rows, columns)
            cell = torch.where(cell < sizes, cell, again)
        return cell % sizes

    def _feistel(self, cell, epoch, name, rows, columns):
        key = (self.seeds[:, None], torch.full_like(cell, word_of(self.purpose)))
        row, column = cell // columns, cell % columns
        for turn in range(4):  # fewer mix small grids too little
            label = torch.full_like(cell, word_of(f"{name}/{turn}"))
            shift = self.generator((column, label, epoch & WORD, epoch >> 32 & WORD), key)
            row = (row + shift[0]) % rows
            shift = self.generator((row, label ^ 1, epoch & WORD, epoch >> 32 & WORD), key)
            column = (column + shift[1]) % columns
        return row * columns + column


@lru_cache(maxsize=None)
def _grid(size: int) -> tuple[int, int]:
    """Rows and columns with rows x columns >= size, near a square.
    A divisor near the root makes the grid exact and walking on it unnecessary."""
    root = math.isqrt(size - 1) + 1 if size > 1 else 1
    fewest = max(root // 4, min(root // 2, 7), 2)  # few long rows mix too little
    rows = next((row for row in range(root, fewest, -1) if size % row == 0), root)
    return rows, -(-size // rows)
