"""A column whose name, length and kind are known and whose cells are still closed."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NoReturn

import numpy as np

from tacit.domain import Cells
from tacit.errors import SchemaError


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """`cells` opens it: numbers of a numeric dtype, or one Python object per cell, None for an empty one."""

    name: str
    n: int
    cells: Callable[[], Cells] = field(repr=False)


def refuse_kind(name: str, kind: object) -> NoReturn:
    """A column of this type holds neither numbers nor labels; its type is public."""
    raise SchemaError(
        f"column {name!r}: found type {kind}; expected numbers or text. "
        "Convert it to numbers (for dates: to days) before fitting."
    )


def looked_up(entries: Cells, positions: Cells) -> Cells:
    """Entries of a dictionary, one for each cell; a position outside it holds nothing, as an empty cell does."""
    table = np.full(len(entries) + 1, None, dtype=object)
    table[:-1] = entries
    inside = (positions >= 0) & (positions < len(entries))
    found: Cells = table[np.where(inside, positions, -1)]
    return found


def texts(cells: Iterable[bytes | None], n: int) -> Cells:
    """Texts of UTF-8 bytes, each by itself: a byte that is none becomes U+FFFD."""
    decoded = (None if cell is None else cell.decode("utf-8", errors="replace") for cell in cells)
    return np.fromiter(decoded, dtype=object, count=n)
