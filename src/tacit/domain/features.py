"""What a column of a table may hold: a bounded number, a two-valued flag, or one of declared categories.

A feature knows how its cells are read, how much of a row it takes, and how it is written in a schema file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from tacit.arithmetic import Floats
from tacit.domain.cells import Codes, to_numbers
from tacit.domain.checks import inside, interval, refuse
from tacit.domain.vocabulary import MISSING, Label, Vocabulary, plain_label
from tacit.errors import SchemaError

if TYPE_CHECKING:
    from tacit.domain.geometry import Geometry

AWAY_FROM_REFERENCE = 0.25
"""Modelled share of rows that are not at a declared reference."""


@dataclass(frozen=True)
class Moments:
    """Mean and variance of a feature's share of ‖z‖² in the public model, and its largest value."""

    mean: float
    variance: float
    largest: float


@dataclass(frozen=True)
class Number:
    """A number with public bounds; cells outside are moved to the nearest bound.

    `reference` is the value that usual rows have (0 for counts, amounts and rates that are mostly 0): it is
    encoded as 0. Leave it out for a column that is spread over its bounds: the midpoint is then encoded as 0.
    `missing` is the value an empty, unreadable or infinite cell takes; it defaults to what is encoded as 0.
    """

    kind: ClassVar[str] = "number"
    reads_numbers_as_they_are: ClassVar[bool] = True

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

    def numbers(self, column: object) -> Floats:
        """float64 cells; NaN where a cell cannot be read as a number."""
        return to_numbers(column)

    def half_width(self, geometry: Geometry) -> float:
        """Largest |z|: the farther bound is encoded as ±1."""
        return 1.0

    def moments(self, geometry: Geometry) -> Moments:
        """Moments of u², u = (x − origin)/h uniform on [−a, 1] (or [−1, a]) with a = near side / far side.

        E u² = (1 + a³) / (3 (1 + a)), E u⁴ = (1 + a⁵) / (5 (1 + a)): 1/3 and variance 4/45 for the midpoint,
        and 1/12 on average for a reference at a bound, where u is 0 in three rows of four.
        """
        sides = (self.max - self.origin, self.origin - self.min)
        a = min(sides) / max(sides)
        share = 1.0 if self.reference is None else AWAY_FROM_REFERENCE
        mean = share * (1 + a**3) / (3 * (1 + a))
        fourth = share * (1 + a**5) / (5 * (1 + a))
        return Moments(mean, fourth - mean**2, 1.0)

    def usual_variance(self, geometry: Geometry) -> float:
        """Of z, if its standard deviation is a quarter of its largest value; half of that beside a usual reference."""
        return 1 / 16 if self.reference is None else 1 / 64

    def to_dict(self) -> dict[str, object]:
        """As in a schema file; what was not declared is left out."""
        return {"type": self.kind, "min": self.min, "max": self.max} | _declared(
            missing=self.missing, reference=self.reference
        )


@dataclass(frozen=True)
class Flag:
    """One of two values, read as the number 1 (`positive`) or 0 (`negative`).

    Encoded as ±(the geometry's `binary` half-width). A cell that is neither, or empty, takes the declared
    `missing` label, or 1/2 (encoded as 0) when none is declared.
    """

    kind: ClassVar[str] = "flag"
    reads_numbers_as_they_are: ClassVar[bool] = False
    min: ClassVar[float] = 0.0
    max: ClassVar[float] = 1.0
    origin: ClassVar[float] = 0.5

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

    def numbers(self, column: object) -> Floats:
        """1.0, 0.0, or NaN where the cell is neither label."""
        codes = self._vocabulary.codes(column)
        return np.array([np.nan, np.nan, 0.0, 1.0])[codes + 2]

    def half_width(self, geometry: Geometry) -> float:
        """|z| of a known cell."""
        return geometry.binary

    def moments(self, geometry: Geometry) -> Moments:
        """Always ± the half-width."""
        return Moments(geometry.binary**2, 0.0, geometry.binary**2)

    def usual_variance(self, geometry: Geometry) -> float:
        """Of z, if one label is twice as frequent as the other."""
        return 8 / 9 * geometry.binary**2

    def to_dict(self) -> dict[str, object]:
        """As in a schema file; what was not declared is left out."""
        return {"type": self.kind, "positive": self.positive, "negative": self.negative} | _declared(
            missing=self.missing
        )


@dataclass(frozen=True)
class Category:
    """One of a declared list of values; encoded as one column per value (plus one for `other`).

    A cell that is none of `values` goes to the column `other` if it is declared, else to no column at all.
    `missing` names the value an empty cell takes; without it an empty cell is treated as unknown.
    `baseline` names the value that others are compared with where a fit has intervals; by default the first.
    """

    kind: ClassVar[str] = "category"
    reads_numbers_as_they_are: ClassVar[bool] = False

    values: tuple[Label, ...]
    other: bool = False
    missing: Label | None = None
    baseline: Label | None = None
    _vocabulary: Vocabulary = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        vocabulary = Vocabulary.declared(SchemaError, "category.values", self.values, 1, "values")
        object.__setattr__(self, "values", vocabulary.labels)
        object.__setattr__(self, "_vocabulary", vocabulary)
        if not isinstance(self.other, bool):
            refuse(SchemaError, "category.other", self.other, "true or false", "Correct it.")
        for name, declared in (("missing", self.missing), ("baseline", self.baseline)):
            if declared is not None:
                label = plain_label(SchemaError, f"category.{name}", declared)
                object.__setattr__(self, name, label)
                if vocabulary.code(label) < 0:
                    expected = "one of the declared values"
                    refuse(SchemaError, f"category.{name}", label, expected, "Add it to values or leave it out.")

    @property
    def zero_level(self) -> int | None:
        """The level that has no column in an encoding with baselines; None for a single level, which keeps its own."""
        if len(self.levels) == 1:
            return None
        return 0 if self.baseline is None else self._vocabulary.code(self.baseline)

    @property
    def levels(self) -> tuple[str, ...]:
        """Names of the encoded columns of this block."""
        names = self._vocabulary.texts
        return (*names, "(other)") if self.other else names

    def codes(self, column: object) -> Codes:
        """int32 position in `values`; -1 for a cell that is none of them."""
        codes = self._vocabulary.codes(column)
        fill = -1 if self.missing is None else self._vocabulary.code(self.missing)
        codes[codes == MISSING] = fill
        return codes

    def moments(self, geometry: Geometry) -> Moments:
        """One cell of the block is written, with the weight of a block."""
        return Moments(geometry.category**2, 0.0, geometry.category**2)

    def to_dict(self) -> dict[str, object]:
        """As in a schema file; what was not declared is left out."""
        return {"type": self.kind, "values": list(self.values)} | _declared(
            other=self.other or None, missing=self.missing, baseline=self.baseline
        )


Scaled = Number | Flag
"""Features that take one encoded column."""

Feature = Scaled | Category


def split_features(features: Mapping[str, Feature]) -> tuple[dict[str, Scaled], dict[str, Category]]:
    """In the order of encoded rows: features of one column, then those of a block of columns."""
    scaled = {name: feature for name, feature in features.items() if not isinstance(feature, Category)}
    return scaled, {name: feature for name, feature in features.items() if isinstance(feature, Category)}


def encoded_names(features: Mapping[str, Feature]) -> tuple[str, ...]:
    """Names of the encoded columns: numbers and flags first, then `column=level` for each category level."""
    scaled, categories = split_features(features)
    return (*scaled, *(f"{name}={level}" for name, feature in categories.items() for level in feature.levels))


def _declared(**optional: object) -> dict[str, object]:
    return {key: value for key, value in optional.items() if value is not None}
