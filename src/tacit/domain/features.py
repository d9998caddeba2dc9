"""What a column of a table may hold: a bounded number, a two-valued flag, or one of declared categories."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from tacit.domain.cells import Codes, Floats, to_numbers
from tacit.domain.checks import inside, interval, refuse
from tacit.domain.vocabulary import MISSING, Label, Vocabulary, plain_label
from tacit.errors import SchemaError


@dataclass(frozen=True)
class Number:
    """A number with public bounds; cells outside are moved to the nearest bound.

    `reference` is the value that usual rows have (0 for counts, amounts and rates that are mostly 0): it is
    encoded as 0. Leave it out for a column that is spread over its bounds: the midpoint is then encoded as 0.
    `missing` is the value an empty, unreadable or infinite cell takes; it defaults to what is encoded as 0.
    """

    min: float
    max: float
    missing: float | None = None
    reference: float | None = None

    def __post_init__(self) -> None:
        low, high = interval(SchemaError, "number", self.min, self.max)
        object.__setattr__(self, "min", low)
        object.__setattr__(self, "max", high)
        for name in ("missing", "reference"):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, inside(SchemaError, f"number.{name}", value, low, high))

    @property
    def origin(self) -> float:
        """The value encoded as 0."""
        return self.min / 2 + self.max / 2 if self.reference is None else self.reference

    @property
    def fill(self) -> float:
        """The value of a cell that holds no finite number."""
        return self.origin if self.missing is None else self.missing

    def numbers(self, column: object, where: str = "column") -> Floats:
        """float64 cells; NaN where a cell cannot be read as a number."""
        return to_numbers(column, where)


@dataclass(frozen=True)
class Flag:
    """One of two values, read as the number 1 (`positive`) or 0 (`negative`).

    Encoded as ±(the geometry's `binary` half-width). A cell that is neither, or empty, takes the declared
    `missing` label, or 1/2 (encoded as 0) when none is declared.
    """

    positive: Label = 1
    negative: Label = 0
    missing: Label | None = None
    _vocabulary: Vocabulary = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        pair = (self.negative, self.positive)
        vocabulary = Vocabulary.declared(SchemaError, "flag", pair, 2, "values")
        object.__setattr__(self, "_vocabulary", vocabulary)
        if self.missing is not None and vocabulary.code(self.missing) < 0:
            refuse(SchemaError, "flag.missing", self.missing, f"one of {list(pair)}", "Or leave it out: halfway.")

    @property
    def fill(self) -> float:
        """The value of a cell that holds neither label."""
        return 0.5 if self.missing is None else float(self._vocabulary.code(self.missing))

    def numbers(self, column: object, where: str = "column") -> Floats:
        """1.0, 0.0, or NaN where the cell is neither label."""
        codes = self._vocabulary.codes(column, where)
        return np.array([np.nan, np.nan, 0.0, 1.0])[codes + 2]


@dataclass(frozen=True)
class Category:
    """One of a declared list of values; encoded as one column per value (plus one for `other`).

    A cell that is none of `values` goes to the column `other` if it is declared, else to no column at all.
    `missing` names the value an empty cell takes; without it an empty cell is treated as unknown.
    """

    values: tuple[Label, ...]
    other: bool = False
    missing: Label | None = None
    _vocabulary: Vocabulary = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        vocabulary = Vocabulary.declared(SchemaError, "category.values", self.values, 1, "values")
        object.__setattr__(self, "values", vocabulary.labels)
        object.__setattr__(self, "_vocabulary", vocabulary)
        if not isinstance(self.other, bool):
            refuse(SchemaError, "category.other", self.other, "true or false", "Correct it.")
        if self.missing is not None:
            label = plain_label(SchemaError, "category.missing", self.missing)
            object.__setattr__(self, "missing", label)
            if vocabulary.code(label) < 0:
                expected = "one of the declared values"
                refuse(SchemaError, "category.missing", label, expected, "Add it to values or leave it out.")

    @property
    def levels(self) -> tuple[str, ...]:
        """Names of the encoded columns of this block."""
        names = self._vocabulary.texts
        return (*names, "(other)") if self.other else names

    def codes(self, column: object, where: str = "column") -> Codes:
        """int32 position in `values`; -1 for a cell that is none of them."""
        codes = self._vocabulary.codes(column, where)
        fill = -1 if self.missing is None else self._vocabulary.code(self.missing)
        codes[codes == MISSING] = fill
        return codes


Feature = Number | Flag | Category


def encoded_names(features: Mapping[str, Feature]) -> tuple[str, ...]:
    """Names of the encoded columns: numbers and flags first, then `column=level` for each category level."""
    numeric = [name for name, feature in features.items() if not isinstance(feature, Category)]
    levels = [
        f"{name}={level}"
        for name, feature in features.items()
        if isinstance(feature, Category)
        for level in feature.levels
    ]
    return (*numeric, *levels)
