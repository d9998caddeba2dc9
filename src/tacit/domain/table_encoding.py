"""Encoding of tables declared by a Schema: scaled numbers, one-hot blocks, constant."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from tacit.arithmetic import Floats, round_up
from tacit.domain.cells import Codes
from tacit.domain.clipping import l2_threshold, margin, shrink_l1, shrink_l2
from tacit.domain.decoding import Decoder, Levels, columns_without
from tacit.domain.features import Feature, encoded_names, split_features
from tacit.domain.geometry import Geometry
from tacit.domain.norms import Norms, sqrt_above
from tacit.domain.schema import Schema
from tacit.domain.table_columns import Blocks, NumberColumns
from tacit.domain.targets import Outcome
from tacit.errors import ParameterError

TYPICAL_CLIP = 1.0
"""Standard deviations above the mean square norm up to which a row counts as typical."""


@dataclass(frozen=True, eq=False)
class TableEncoding:
    """x̃ = (clip_r(z), c)/√(r² + c²) with numbers and flags first, then one-hot blocks, then the constant.

    ‖x̃‖₂ ≤ 1 for the stored floats of every row, by `encoding-norms`. `threshold` is None when no row can
    leave the ball (the encoding is then linear in the row). A released encoding may clip in ℓ1 too. With baselines, or
    released, the zero level of a category has no column: `levels` says which features the columns are.
    `typical_norm`: most rows of the public model are no longer than this; None where there is no such model.
    """

    target: Outcome
    number_columns: tuple[str, ...]
    category_columns: tuple[str, ...]
    feature_names: tuple[str, ...]
    norms: Norms
    numbers: NumberColumns | None
    blocks: Blocks | None
    weight: float
    threshold: float | None
    constant: float | None
    l1_threshold: float | None = None
    levels: Levels | None = None
    typical_norm: float | None = None

    @property
    def number_count(self) -> int:
        """Numbers and flags of a raw row."""
        return len(self.number_columns)

    @property
    def category_count(self) -> int:
        """Categories of a raw row."""
        return len(self.category_columns)

    @property
    def width(self) -> int:
        """Columns of an encoded row; the constant, if any, is the last."""
        columns = len(self.feature_names) if self.levels is None else self.levels.places.size
        return columns + (self.constant is not None)

    @property
    def max_nonzeros(self) -> int:
        """Most non-zero cells of an encoded row: numbers + blocks + constant."""
        return self.number_count + self.category_count + (self.constant is not None)

    def public_moments(self) -> tuple[Floats, Floats]:
        """(means, covariance) of the encoded columns: numbers and flags around their origins, every level as often."""
        means, covariance = np.zeros(self.width), np.zeros((self.width, self.width))
        if self.numbers is not None:
            places = np.arange(self.number_count)
            covariance[places, places] = self.numbers.usual_variances
        if self.blocks is not None:
            for start, size in zip(self.blocks.starts, self.blocks.sizes, strict=True):
                levels = slice(int(start), int(start + size + 1))
                shown = self.blocks.columns[levels][self.blocks.values[levels] != 0]
                share = 1 / int(size + 1 if self.blocks.values[start + size] else size)
                means[shown] = self.weight * share
                covariance[np.ix_(shown, shown)] = self.weight**2 * (share * np.eye(shown.size) - share**2)
        if self.constant is not None:
            means[-1] = self.constant
        return means, covariance

    def encode(self, numbers: Floats, codes: Codes | None, out: Floats) -> None:
        """Write the encoded rows of numbers (k × p) and codes (k × q) into `out` (k × width, C order)."""
        if not out.flags.c_contiguous:
            raise ParameterError("out: found a strided array; expected C order. Pass a contiguous buffer.")
        count = numbers.shape[0]
        cells, values = np.empty((count, 0)), np.empty((count, 0))
        with np.errstate(all="ignore"):
            if self.numbers is not None:
                cells = self.numbers.stored(numbers)
            if self.blocks is not None and codes is not None:
                places = self.blocks.places(codes)
                values = self.blocks.values[places]
            if self.threshold is not None:
                factors = self._factors(cells, values, self.threshold)[:, None]
                cells *= factors
                values *= factors
        if self.blocks is not None and codes is not None:
            out.fill(0.0)
            columns = self.blocks.columns[places]
            columns += (np.arange(count) * self.width)[:, None]
            out.reshape(-1)[columns] = values
        out[:, : self.number_count] = cells
        if self.constant is not None:
            out[:, -1] = self.constant

    def _factors(self, cells: Floats, values: Floats, threshold: float) -> Floats:
        """What brings each row, its numbers and its blocks, back into the ball."""
        squares = np.einsum("ij,ij->i", cells, cells) + np.einsum("ij,ij->i", values, values)
        factors = shrink_l2(squares, threshold)
        if self.l1_threshold is None:
            return factors
        magnitudes = np.einsum("ij->i", np.abs(cells)) + np.einsum("ij->i", values)
        return np.minimum(factors, shrink_l1(magnitudes, self.l1_threshold))

    def decode(self, theta: Floats) -> tuple[Floats, Floats]:
        """(coef, intercept) in the user's units: one coefficient per number and per category level."""
        return self._decoder().decode(theta)

    def linear_map(self) -> tuple[Floats, Floats]:
        """(A, b) with (coef, intercept) = A θ + b."""
        return self._decoder().linear_map()

    def _decoder(self) -> Decoder:
        levels = self.width - (self.constant is not None) - self.number_count
        slopes, origins = np.full(levels, self.weight), np.zeros(levels)
        if self.numbers is not None:
            slopes = np.concatenate([self.numbers.slope, slopes])
            origins = np.concatenate([self.numbers.origin, origins])
        return Decoder(slopes, origins, self.constant, self.target.scale, self.target.offset, self.levels)


def table_encoding(schema: Schema, geometry: Geometry) -> TableEncoding:
    """The encoding of a table's rows under a geometry."""
    numeric, categories = split_features(schema.features)
    features: list[Feature] = [*numeric.values(), *categories.values()]
    terms = len(features)
    radius = geometry.feature_radius(features)
    c = geometry.constant_for(radius)
    scale = (1 - margin(terms)) / math.hypot(radius, c or 0.0)
    weight = geometry.category * scale
    constant = None if c is None else c * scale
    numbers = NumberColumns.of(list(numeric.values()), geometry, scale) if numeric else None
    zeros = [feature.zero_level if geometry.baselines else None for feature in categories.values()]
    blocks = Blocks.of(list(categories.values()), len(numeric), weight, zeros) if categories else None
    typical = replace(geometry, clip=TYPICAL_CLIP).feature_radius(features)
    largest = [*(numbers.largest() if numbers else []), *[Fraction(weight)] * len(categories)]
    unclipped = radius >= geometry.largest_norm(features)
    return TableEncoding(
        target=schema.outcome,
        number_columns=tuple(numeric),
        category_columns=tuple(categories),
        feature_names=encoded_names(schema.features),
        norms=table_norms(largest, None if unclipped else radius * scale, constant or 0.0),
        numbers=numbers,
        blocks=blocks,
        weight=weight,
        threshold=None if unclipped else l2_threshold(radius * scale, terms),
        constant=constant,
        levels=columns_without(zeros, list(categories.values()), len(numeric)) if geometry.baselines else None,
        typical_norm=min(1.0, math.hypot(typical, c or 0.0) * scale),
    )


def table_norms(
    largest: list[Fraction], radius: float | None, constant: float, l1_radius: float | None = None
) -> Norms:
    """Bounds of (features, constant) with |feature_j| ≤ largest_j and, if clipped, ‖·‖₂ ≤ radius and ‖·‖₁ ≤ l1_radius.

    ‖features‖₁ ≤ min(Σ largest, √(number of non-zeros)·radius); all sums exact, rounded outward.
    """
    c = Fraction(constant)
    square, spread = sum(cell**2 for cell in largest), sum(largest)
    if radius is not None:
        ball = Fraction(radius) ** 2
        square = min(square, ball)
        spread = min(spread, Fraction(sqrt_above(len(largest) * ball)))
    if l1_radius is not None:
        spread = min(spread, Fraction(l1_radius))
    return Norms(
        l1=round_up(Fraction(spread + c)),
        l2=sqrt_above(Fraction(square + c**2)),
        linf=round_up(max([*largest, c])),
    )
