"""Encoding of a table's rows under a released geometry: certified norms, whatever numbers were released."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from tacit.domain.clipping import l1_threshold, l2_threshold, margin
from tacit.domain.decoding import columns_without
from tacit.domain.features import Scaled, encoded_names, split_features
from tacit.domain.geometry import Geometry
from tacit.domain.released_geometry import ReleasedGeometry
from tacit.domain.schema import Schema
from tacit.domain.table_columns import Blocks, NumberColumns
from tacit.domain.table_encoding import TableEncoding, table_norms
from tacit.domain.targets import Outcome, Real


def declared_units(schema: Schema) -> TableEncoding:
    """Rows in declared units, unscaled and without a constant: numbers in [−1, 1], flags ±½, levels 0 or 1.

    Bounds of the stored cells are `norms.linf` and the columns' own; by `centre-release`.
    """
    scaled, categories = split_features(schema.features)
    plain = Geometry(constant=None, category=1.0, clip=None)
    numbers = NumberColumns.of(list(scaled.values()), plain, 1.0) if scaled else None
    largest = [*(numbers.largest() if numbers else []), *[Fraction(1)] * len(categories)]
    return TableEncoding(
        target=schema.outcome,
        number_columns=tuple(scaled),
        category_columns=tuple(categories),
        feature_names=encoded_names(schema.features),
        norms=table_norms(largest, None, 0.0),
        numbers=numbers,
        blocks=Blocks.of(list(categories.values()), len(scaled), 1.0) if categories else None,
        weight=1.0,
        threshold=None,
        constant=None,
    )


def encode_released(schema: Schema, geometry: ReleasedGeometry) -> TableEncoding:
    """The encoding of a table's rows under released numbers. By `released-encoding`."""
    scaled, categories = split_features(schema.features)
    unscaled = _numbers(list(scaled.values()), geometry, 1.0)
    terms = len(scaled) + len(categories)
    longest = _longest(unscaled, geometry.category, len(categories))
    radius = longest if geometry.radius is None else min(geometry.radius, longest)
    scale = (1 - margin(terms)) / (radius * math.hypot(1.0, geometry.constant))
    numbers = _numbers(list(scaled.values()), geometry, scale)
    levels = list(categories.values())
    weight, constant = geometry.category * scale, geometry.constant * radius * scale
    largest = [*(numbers.largest() if numbers else []), *[Fraction(weight)] * len(categories)]
    clipped = geometry.radius is not None and radius < longest
    l1_radius = None if geometry.l1_radius is None or not clipped else geometry.l1_radius * scale
    return TableEncoding(
        target=_target(schema.outcome, geometry),
        number_columns=tuple(scaled),
        category_columns=tuple(categories),
        feature_names=encoded_names(schema.features),
        norms=table_norms(largest, radius * scale if clipped else None, constant, l1_radius),
        numbers=numbers,
        blocks=Blocks.of(levels, len(scaled), weight, geometry.zero_levels) if categories else None,
        weight=weight,
        threshold=l2_threshold(radius * scale, terms) if clipped else None,
        constant=constant,
        l1_threshold=None if l1_radius is None else l1_threshold(l1_radius, terms),
        levels=columns_without(geometry.zero_levels, levels, len(scaled)),
    )


def _numbers(features: list[Scaled], geometry: ReleasedGeometry, scale: float) -> NumberColumns | None:
    """z − centre in units of 1/scale: another origin, another slope, and bounds where `edge` is reached."""
    if not features:
        return None
    declared = NumberColumns.of(features, Geometry(binary=geometry.binary), 1.0)
    slope = declared.slope * np.array(geometry.scales)
    origin = np.clip(declared.origin + np.array(geometry.centres) / declared.slope, declared.low, declared.high)
    low, high = declared.low, declared.high
    if geometry.edge is not None:
        reach = geometry.edge / slope
        low, high = np.maximum(low, origin - reach), np.minimum(high, origin + reach)
    usual = np.minimum(declared.usual_variances * np.array(geometry.scales) ** 2, 0.25)  # scales aim at a spread of ½
    return NumberColumns(low, high, origin, declared.fill, slope * scale, usual * scale**2)


def _longest(numbers: NumberColumns | None, category: float, blocks: int) -> float:
    """The largest possible ‖D‖₂."""
    cells = [float(cell) for cell in numbers.largest()] if numbers else []
    return math.sqrt(math.fsum(cell**2 for cell in cells) + blocks * category**2)


def _target(declared: Outcome, geometry: ReleasedGeometry) -> Outcome:
    """A real outcome between centre ± 1/scale; labels stay."""
    if geometry.target is None or not isinstance(declared, Real):
        return declared
    centre, scale = geometry.target
    middle, half = declared.offset + declared.scale * centre, declared.scale / scale
    return Real(middle - half, middle + half, declared.name)
