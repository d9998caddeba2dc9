"""Where random bits come from: the operating system, or, in tests, a stream that marks its results.

Two channels, so that what can be counted says nothing about a row. `words` serves the first pass: how
many words it is asked for depends on public sizes only. `more` serves refinement: one further word of
a bit string whose first word did not settle a rounding or a comparison (probability below 2^-30 a
coordinate, see docs/proofs/certified-rounding.md), or, in a ladder, words for a coordinate that jumps unusually
often, which tells nothing about data. A stream keeps the channels apart, hence a refinement never shifts
the words of the next first pass.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]


class Entropy(Protocol):
    """A source of independent uniform 64-bit words."""

    @property
    def private(self) -> bool:
        """True only if the words are secret and never repeat."""
        ...

    @property
    def source(self) -> str:
        """Where the words come from, as printed on a certificate."""
        ...

    def words(self, count: int) -> Words:
        """`count` fresh words; `count` is public."""
        ...

    def more(self) -> int:
        """One further word for a bit string that has to be refined."""
        ...


class SystemEntropy:
    """`os.urandom`, and no state of our own: safe under fork, threads and restored snapshots."""

    private = True
    source = "os.urandom"

    def words(self, count: int) -> Words:
        return np.frombuffer(os.urandom(8 * count), dtype=np.uint64)

    def more(self) -> int:
        return int.from_bytes(os.urandom(8), "little")


class SeededEntropy:
    """A reproducible stream for tests and demonstrations. Whoever knows the seed can subtract the noise."""

    private = False
    source = "seeded, NOT PRIVATE"

    def __init__(self, seed: int) -> None:
        first, refinement = np.random.SeedSequence(seed).spawn(2)
        self._first = np.random.Generator(np.random.PCG64(first))
        self._refinement = np.random.Generator(np.random.PCG64(refinement))

    def words(self, count: int) -> Words:
        return self._first.integers(0, 2**64, size=count, dtype=np.uint64)

    def more(self) -> int:
        return int(self._refinement.integers(0, 2**64, dtype=np.uint64))


class RecordedEntropy:
    """Passes another source through and remembers what it gave, to count words or to replay them."""

    private = False
    source = "recorded, NOT PRIVATE"

    def __init__(self, inner: Entropy) -> None:
        self._inner = inner
        self._taken: list[Words] = []
        self._refined: list[int] = []

    @property
    def count(self) -> int:
        """Words drawn by first passes so far."""
        return sum(batch.size for batch in self._taken)

    @property
    def refinements(self) -> int:
        """Words drawn for refinement so far."""
        return len(self._refined)

    def words(self, count: int) -> Words:
        batch = self._inner.words(count)
        self._taken.append(batch)
        return batch

    def more(self) -> int:
        word = self._inner.more()
        self._refined.append(word)
        return word

    def replay(self) -> ReplayedEntropy:
        """The same words once more, in the same order."""
        return ReplayedEntropy(np.concatenate([np.empty(0, np.uint64), *self._taken]), self._refined)


class ReplayedEntropy:
    """Hands out given words first, then continues from another source (the system's unless told)."""

    private = False
    source = "replayed, NOT PRIVATE"

    def __init__(self, words: Iterable[int] | Words, more: Iterable[int] = (), then: Entropy | None = None) -> None:
        self._words = np.array(words if isinstance(words, np.ndarray) else list(words), dtype=np.uint64)
        self._more = list(more)
        self._then: Entropy = SystemEntropy() if then is None else then

    def words(self, count: int) -> Words:
        given, self._words = self._words[:count], self._words[count:]
        if given.size == count:
            return given
        return np.concatenate([given, self._then.words(count - given.size)])

    def more(self) -> int:
        return self._more.pop(0) if self._more else self._then.more()
