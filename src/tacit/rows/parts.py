"""Part of a table, or the same table under another encoding. Raw cells are copied, encoded ones never."""

from dataclasses import dataclass, field
from functools import singledispatch
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.domain import Encoding
from tacit.errors import ParameterError
from tacit.rows.sources import DenseSource, Reader, Source, SparseSource

Positions = NDArray[np.intp]


@singledispatch
def picked(source: Source, positions: Positions) -> Source:
    """The source whose row j is row positions[j] of this one; positions increase."""
    return PickedRows(source, positions)


@picked.register
def _(source: DenseSource, positions: Positions) -> Source:
    codes = None if source.codes is None else source.codes[positions]
    return DenseSource(source.encoding, source.numbers[positions], codes)


@picked.register
def _(source: SparseSource, positions: Positions) -> Source:
    return SparseSource(source.encoding, source.table[positions])


@dataclass(frozen=True, eq=False)
class PickedRows:
    """Any storage that can be read in order: reads the ranges that hold the positions and keeps their rows."""

    whole: Source = field(repr=False)
    positions: Positions = field(repr=False)

    @property
    def encoding(self) -> Encoding:
        """The public map from raw to encoded rows."""
        return self.whole.encoding

    @property
    def block_rows(self) -> int:
        """Most rows of a block."""
        return self.whole.block_rows

    @property
    def sparse(self) -> bool:
        """Whether blocks are csr_array."""
        return self.whole.sparse

    def reader(self) -> Reader:
        """Reads every range between the first and the last position asked for."""
        read = self.whole.reader()

        def read_picked(start: int, stop: int) -> Any:
            asked = self.positions[start:stop]
            pieces = []
            for begin in range(int(asked[0]), int(asked[-1]) + 1, self.block_rows):
                end = min(begin + self.block_rows, int(asked[-1]) + 1)
                here = asked[np.searchsorted(asked, begin) : np.searchsorted(asked, end)] - begin
                if here.size:
                    pieces.append(read(begin, end)[here])
            return _stacked(pieces, self.sparse)

        return read_picked


@singledispatch
def re_encoded(source: Source, encoding: Encoding) -> Source:
    """The source with the same raw rows under another encoding of their columns."""
    raise ParameterError("sparse rows and rows that are only streamed keep the encoding they were opened with")


@re_encoded.register
def _(source: DenseSource, encoding: Encoding) -> Source:
    return DenseSource(encoding, source.numbers, source.codes)


@re_encoded.register
def _(source: PickedRows, encoding: Encoding) -> Source:
    return PickedRows(re_encoded(source.whole, encoding), source.positions)


def _stacked(pieces: list[Any], sparse: bool) -> Any:
    if len(pieces) == 1:
        return pieces[0]
    if not sparse:
        return np.concatenate(pieces)
    import scipy.sparse

    return scipy.sparse.vstack(pieces, format="csr")
