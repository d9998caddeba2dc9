"""Which rows are added together, and in which order: fixed by n and the width, both public.

Blocks are what a kernel sees. Lanes are contiguous runs of blocks, added one after the other; threads pick lanes,
so the answer does not depend on how many threads there are.
"""

from itertools import pairwise
from typing import TypeAlias

MOST_LANES = 32

# Encoded floats per block: 2 MiB. Smaller blocks stay in a faster cache but make threads wait for the interpreter.
BLOCK_FLOATS = 2**18
# Wide rows get square blocks, so that adding up d × d matrices costs less than computing them, up to 16 MiB.
LARGEST_BLOCK_FLOATS = 2**21
FEWEST_ROWS = 16

FEWEST_SPARSE_ROWS = 4096
MOST_SPARSE_ROWS = 6144  # encoding a block takes four times its memory, in every thread

Lane: TypeAlias = list[tuple[int, int]]


def dense_block_rows(width: int) -> int:
    """Rows per block for encoded rows of this many floats."""
    square = min(width, LARGEST_BLOCK_FLOATS // width)
    return max(BLOCK_FLOATS // width, square, FEWEST_ROWS)


def sparse_block_rows(width: int) -> int:
    """Rows per block for sparse rows: about as many as a gradient has entries, so that adding gradients is cheap."""
    return min(max(width, FEWEST_SPARSE_ROWS), MOST_SPARSE_ROWS)


def lanes(rows: int, block: int) -> list[Lane]:
    """Split rows 0..rows-1 into blocks of `block` rows and the blocks into at most MOST_LANES contiguous lanes."""
    blocks = [(start, min(start + block, rows)) for start in range(0, rows, block)]
    count = min(len(blocks), MOST_LANES)
    cuts = [lane * len(blocks) // count for lane in range(count + 1)]
    return [blocks[first:last] for first, last in pairwise(cuts)]
