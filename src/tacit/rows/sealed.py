"""Rows behind a closed door: what is public about them is known, and no cell of them was looked at."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NoReturn

from tacit.arithmetic import Floats
from tacit.domain import Encoding, Norms
from tacit.rows.rows import Rows
from tacit.rows.sources import Source, most_block_rows


@dataclass(frozen=True, slots=True, eq=False)
class SealedRows:
    """n rows that `open` will read. The public facts are those of the `Rows` it gives."""

    encoding: Encoding = field(repr=False)
    sparse: bool
    n: int
    _source: Callable[[], Source] = field(repr=False)
    _targets: Callable[[], Floats] = field(repr=False)

    @property
    def width(self) -> int:
        """Columns of an encoded row, the constant included."""
        return self.encoding.width

    @property
    def norms(self) -> Norms:
        """Public bounds on the ℓ1, ℓ2 and ℓ∞ norms of every encoded row."""
        return self.encoding.norms

    @property
    def block_rows(self) -> int:
        """Most rows a kernel will see at once."""
        return most_block_rows(self.width, self.sparse)

    def open(self) -> Rows:
        """Read the cells. None of them is refused: after the charge, whatever a row holds is clipped or missing."""
        return Rows(self._source(), self._targets())

    def __reduce__(self) -> NoReturn:
        raise TypeError("SealedRows hold private data and cannot be pickled or copied; save the fitted model instead.")
