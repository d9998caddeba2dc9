"""Encoded blocks that are read again and again: solvers pass over rows many times, and encoding them once is enough.

Whether blocks are kept depends on the size of the table alone, which is public. A block is kept from its second
reading on, so a single pass over the rows costs no memory.
"""

import numpy as np

from tacit.arithmetic import Floats

MOST_KEPT_FLOATS = 2**23
"""64 MiB, whatever the table: larger encoded tables are encoded anew in every pass."""


class KeptBlocks:
    """Read-only encoded blocks, by their first row. Threads may use it at once: equal blocks replace each other."""

    def __init__(self, rows: int, width: int) -> None:
        self._fits = rows * width <= MOST_KEPT_FLOATS
        self._read_once: set[int] = set()
        self._blocks: dict[int, Floats] = {}

    def find(self, start: int, stop: int) -> Floats | None:
        """The encoded rows start..stop-1 if they were kept."""
        block = self._blocks.get(start)
        return None if block is None or len(block) < stop - start else block[: stop - start]

    def offer(self, start: int, encoded: Floats) -> Floats:
        """The encoded rows, read-only: at their first reading themselves, later a copy that stays."""
        seen = start in self._read_once  # asked once: another thread may add it meanwhile
        block = encoded.view()
        if seen:
            block = aligned(*encoded.shape)
            block[:] = encoded
        block.flags.writeable = False
        if seen:
            self._blocks[start] = block
        elif self._fits:
            self._read_once.add(start)
        return block


def aligned(rows: int, width: int) -> Floats:
    """Memory that begins on a cache line: vectorised sums then start at the same place in every block and thread."""
    raw = np.empty(rows * width + 8)
    skip = -(raw.ctypes.data // raw.itemsize) % 8
    return raw[skip : skip + rows * width].reshape(rows, width)
