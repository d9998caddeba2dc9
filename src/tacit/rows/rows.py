"""Rows can be summed, not seen: the one verb on private data is `total`."""

from collections import deque
from collections.abc import Callable
from typing import Any, NoReturn, TypeAlias

import numpy as np

from tacit.arithmetic import Floats
from tacit.domain import Encoding, Norms
from tacit.errors import ParameterError
from tacit.rows import workers
from tacit.rows.parts import Positions, picked, re_encoded
from tacit.rows.schedule import Lane, lanes
from tacit.rows.sources import Reader, Source
from tacit.rows.summation import CompensatedSum, Sums, summation_error

# Floats (k, d) or csr_array (k, d): what a kernel gets. Each kernel knows which of the two it can handle.
Block: TypeAlias = Any
Kernel: TypeAlias = Callable[[Block, Floats], Sums]


class Rows:
    """n encoded rows x̃ᵢ inside the public norms, with encoded targets yᵢ, readable only through sums.

    Blocks are encoded and clipped inside `total`, into scratch memory; there is no encoded copy of the table.
    The table itself may be the caller's array: it must not be changed while a fit is running.
    """

    __slots__ = ("_readers", "_source", "_targets", "n")

    def __init__(self, source: Source, targets: Floats) -> None:
        self._source = source
        self._targets = targets.view()
        self._targets.flags.writeable = False
        self._readers: deque[Reader] = deque()
        self.n = len(targets)

    @property
    def encoding(self) -> Encoding:
        """The public map from declared rows to points of the unit ball."""
        return self._source.encoding

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
        """Most rows a kernel sees at once: a function of the width and of the storage, both public."""
        return self._source.block_rows

    @property
    def sparse(self) -> bool:
        """Whether kernels receive csr_array blocks instead of ndarray blocks."""
        return self._source.sparse

    def total(self, kernel: Kernel[Sums]) -> Sums:
        """Σ over blocks of kernel(X, y), within `summation_error` of the sum over real-number rows.

        kernel(X, y) returns the sum over the block's rows: an array, a float or a tuple of those. X holds k ≤
        block_rows encoded rows, which a kernel must neither change nor keep. y is
        read-only. Kernels run in several threads at once, in no particular order, with floating-point
        warnings off; the answer does not depend on the number of threads.
        """

        def add_lane(lane: Lane) -> CompensatedSum[Sums]:
            reader = self._borrow_reader()
            lane_total = CompensatedSum[Sums]()
            with np.errstate(all="ignore"):
                for start, stop in lane:
                    lane_total.add(kernel(reader(start, stop), self._targets[start:stop]))
            self._readers.append(reader)
            return lane_total

        total = CompensatedSum[Sums]()
        for lane_total in workers.in_order(add_lane, lanes(self.n, self.block_rows)):
            total.absorb(lane_total)
        return total.result()

    def summation_error(self, magnitude: float, evaluation: float = 0.0) -> float:
        """Bound on ‖total(kernel) − Σᵢ cᵢ‖ if ‖cᵢ‖ ≤ magnitude and each row is evaluated within `evaluation`.

        By `blocked-sum`; see `tacit.rows.summation_error` for what is asked of the two bounds.
        """
        return summation_error(self.n, self.block_rows, magnitude, evaluation)

    def head(self, m: int) -> "Rows":
        """The first m rows (m is public). The split is by position, never by value."""
        if not 1 <= m <= self.n:
            raise ParameterError(f"head takes between 1 and n = {self.n} rows, got {m!r}.")
        return Rows(self._source, self._targets[:m])

    def part(self, positions: Positions) -> "Rows":
        """The rows at these public, increasing positions: a rule on positions, never on values."""
        return Rows(picked(self._source, positions), self._targets[positions])

    def one_vs_rest(self, code: int) -> "Rows":
        """The same rows with target +1 where the class code is `code` and −1 elsewhere."""
        classes = self.encoding.target.classes
        if classes is None:
            raise ParameterError("one_vs_rest needs declared classes; this outcome is a real number.")
        if isinstance(code, bool) or not 0 <= code < len(classes):
            raise ParameterError(f"one_vs_rest takes a class code from 0 to {len(classes) - 1}, got {code!r}.")
        return self.recoded(lambda codes: np.where(codes == code, 1.0, -1.0))

    def recoded(self, recode: Callable[[Floats], Floats]) -> "Rows":
        """The same rows with each target y replaced by recode(y): an entrywise function of public constants."""
        return Rows(self._source, recode(self._targets))

    def re_encoded(self, encoding: Encoding) -> "Rows":
        """The same raw rows under another encoding of the same columns, itself public: declared, or released before.

        An encoded row stays a function of its own raw row, by `released-encoding`.
        """
        return Rows(re_encoded(self._source, encoding), self._targets)

    def _borrow_reader(self) -> Reader:
        try:
            return self._readers.pop()
        except IndexError:
            return self._source.reader()

    def __repr__(self) -> str:
        return f"<Rows n={self.n} width={self.width} {'sparse' if self.sparse else 'dense'}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("Rows hold private data and cannot be pickled or copied; save the fitted model instead.")
