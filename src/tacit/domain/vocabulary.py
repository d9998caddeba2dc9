"""A declared list of labels, and the code of any cell in it.

The code of a cell depends on the cell alone. Readers of files infer a column's dtype from all its cells
(one odd cell turns the integer 1 into the text "1", one gap turns it into 1.0), so a rule that looked at
the dtype would let one row change the encoding of the others: 1, 1.0, "1", "01", true and "True" are therefore one
label.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from tacit.domain.cells import TRUTHS, Codes, as_cells, is_scalar, plain_cell
from tacit.domain.checks import DeclarationError, refuse

Label = str | int | float | bool

UNKNOWN = -1
"""The code of a cell that is no declared label."""

MISSING = -2
"""The code of an empty cell (None, NaN, NA, empty text, the text of a gap), before a missing rule is applied."""

GAPS = frozenset(
    {
        *("na", "n/a", "#n/a", "#na", "#n/a n/a", "<na>", "nan", "-nan", "nat", "null", "none"),
        *("1.#ind", "-1.#ind", "1.#qnan", "-1.#qnan"),
    }
)
"""Texts that readers take for gaps in a column of numbers, and deliver as they stand when an odd cell makes it text."""


def label_text(cell: object) -> str | None:
    """The one text that stands for all spellings of a cell's label; None for a cell that holds no label."""
    cell = plain_cell(cell)
    if type(cell) is bytes:
        cell = cell.decode("utf-8", errors="replace")
    if type(cell) is bool:
        return "1" if cell else "0"
    if type(cell) is float or type(cell) is int:
        return _number_text(cell)
    if type(cell) is not str:
        return None
    text = cell.strip()
    if text.casefold() in TRUTHS:
        return str(TRUTHS[text.casefold()])
    try:
        return _number_text(float(text)) or text
    except ValueError:
        return text or None


def _number_text(number: float) -> str | None:
    """Shortest decimal of the nearest float: a column with a gap is read as floats even if it held integers."""
    try:
        number = float(number)
    except OverflowError:
        number = math.inf if number > 0 else -math.inf
    if math.isnan(number):
        return None
    return str(int(number)) if math.isfinite(number) and number == int(number) else repr(number)


def plain_label(error: DeclarationError, where: str, value: object) -> Label:
    """A label as a plain Python value; refused when it is empty or not a text, number or bool."""
    value = plain_cell(value)
    if isinstance(value, (str, int, float)) and label_text(value) is not None:
        return value
    refuse(error, where, value, "a non-empty text or a number", "Remove it, or quote it if it is a text.")


@dataclass(frozen=True)
class Vocabulary:
    """Distinct labels in declared order; `codes` maps any column of cells to positions in it."""

    labels: tuple[Label, ...]
    _table: dict[str, int] = field(init=False, repr=False, compare=False)
    _verbatim: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        codes = dict(enumerate(self.labels))
        table = {str(label_text(label)): code for code, label in codes.items()}
        # Most cells are written exactly as declared: looked up as they stand, they need no second spelling.
        verbatim = {label: code for code, label in codes.items() if type(label) is str}
        object.__setattr__(self, "_table", table)
        object.__setattr__(self, "_verbatim", verbatim)

    @property
    def texts(self) -> tuple[str, ...]:
        """The labels as written, all different."""
        return tuple(str(label_text(label)) if type(label) is float else str(label).strip() for label in self.labels)

    @classmethod
    def declared(cls, error: DeclarationError, where: str, values: object, least: int, what: str) -> Vocabulary:
        """Check a declared list: at least `least` labels, all different as texts."""
        remedy = f"List the {what} that are known without looking at the rows."
        if isinstance(values, np.ndarray):
            values = values.tolist()
        if isinstance(values, (str, bytes)) or not isinstance(values, Sequence):
            refuse(error, where, values, f"a list of at least {least} {what}", remedy)
        labels = tuple(plain_label(error, where, value) for value in values)
        if len(labels) < least:
            refuse(error, where, list(labels), f"a list of at least {least} {what}", remedy)
        seen: set[str] = set()
        for label in labels:
            key = str(label_text(label))
            if key in seen:
                refuse(error, where, label, "each label once (1, 1.0, '1', '01' and true are one)", "Remove one.")
            seen.add(key)
        return cls(labels)

    def code(self, cell: object) -> int:
        """Position of the cell's label; UNKNOWN or MISSING when it has none."""
        text = label_text(cell)
        if text is None:
            return MISSING if _is_empty(cell) else UNKNOWN
        return self._table.get(text, MISSING if text.casefold() in GAPS else UNKNOWN)

    def codes(self, column: object) -> Codes:
        """Code of every cell of a column; UNKNOWN (-1) and MISSING (-2) for the others."""
        cells = as_cells(column)
        if cells.dtype.kind != "O":
            values, inverse = np.unique(cells, return_inverse=True)
            return self._each(values.tolist())[inverse]
        return self._each(cells.tolist())

    def _each(self, cells: list[object]) -> Codes:
        verbatim, code = self._verbatim, self.code
        found = (verbatim[cell] if type(cell) is str and cell in verbatim else code(cell) for cell in cells)
        return np.fromiter(found, np.int32, len(cells))


def _is_empty(cell: object) -> bool:
    """None, NaN, NA, NaT and blank texts; any other foreign object is an unknown label, not a gap."""
    kind = type(cell)
    gap = cell is None or cell is pd.NA or cell is pd.NaT
    return gap or kind is str or kind is bytes or kind is float or is_scalar(cell)
