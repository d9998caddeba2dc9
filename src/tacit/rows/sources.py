"""Where blocks come from. A new storage (a Parquet scan, a Dask frame) is one more `Source`."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Protocol

import numpy as np
from scipy.sparse import csr_array

from tacit.arithmetic import Floats
from tacit.domain import ArrayEncoding, Cells, Codes, Encoding
from tacit.rows.kept import KeptBlocks, aligned
from tacit.rows.schedule import dense_block_rows, sparse_block_rows


def most_block_rows(width: int, sparse: bool) -> int:
    """Rows of a block, from public facts."""
    return sparse_block_rows(width) if sparse else dense_block_rows(width)


class Reader(Protocol):
    """Encoded rows start..stop-1. Owns its scratch memory (or file handle), so each thread uses its own reader."""

    def __call__(self, start: int, stop: int, /) -> Any:
        """A block of at most `block_rows` rows, valid until the next call."""


class Source(Protocol):
    """A table that can be read in blocks of encoded, clipped rows. Ranges inside a lane are asked in order."""

    @property
    def encoding(self) -> Encoding:
        """The public map from raw to encoded rows."""

    @property
    def block_rows(self) -> int:
        """Most rows of a block, from public facts only."""

    @property
    def sparse(self) -> bool:
        """Whether blocks are csr_array."""

    def reader(self) -> Reader:
        """A new reader for one thread."""


@dataclass(frozen=True, eq=False)
class DenseSource:
    """Numbers (n, p) of any real dtype and category codes (n, q), encoded block by block.

    Tables of moderate size are encoded once when they are read more often than that.
    """

    encoding: Encoding
    numbers: Cells = field(repr=False)
    codes: Codes | None = field(repr=False)
    sparse: ClassVar[bool] = False

    @property
    def block_rows(self) -> int:
        """Rows of a block of about 2 MiB."""
        return most_block_rows(self.encoding.width, self.sparse)

    def reader(self) -> Reader:
        """Reads into its own scratch block; numbers of other dtypes and orders are converted block by block."""
        scratch, kept = aligned(self.block_rows, self.encoding.width), self._kept

        def read(start: int, stop: int) -> Floats:
            known = kept.find(start, stop)
            if known is not None:
                return known
            out = scratch[: stop - start]
            numbers = np.ascontiguousarray(self.numbers[start:stop], dtype=np.float64)
            self.encoding.encode(numbers, None if self.codes is None else self.codes[start:stop], out)
            return kept.offer(start, out)

        return read

    @cached_property
    def _kept(self) -> KeptBlocks:
        return KeptBlocks(len(self.numbers), self.encoding.width)


@dataclass(frozen=True, eq=False)
class SparseSource:
    """A canonical CSR table of real numbers, encoded block by block."""

    encoding: ArrayEncoding
    table: "csr_array[np.float64, tuple[int, int]]" = field(repr=False)
    sparse: ClassVar[bool] = True

    @property
    def block_rows(self) -> int:
        """Rows of a block, about as many as a gradient has entries."""
        return most_block_rows(self.encoding.width, self.sparse)

    def reader(self) -> Reader:
        """Blocks are new matrices around the indices of the table: sparse encoding needs no scratch."""
        starts = self.table.indptr

        def read(start: int, stop: int) -> "csr_array[np.float64, tuple[int, int]]":
            cells = slice(starts[start], starts[stop])
            here = self.table.data[cells], self.table.indices[cells], starts[start : stop + 1] - starts[start]
            return self.encoding.encode_sparse(csr_array(here, shape=(stop - start, self.table.shape[1])))

        return read
