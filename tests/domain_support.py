"""Checks in exact rational arithmetic and strategies for rows, shared by the tests of the domain."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tacit.domain import (
    Binary,
    Category,
    Domain,
    Flag,
    Geometry,
    Norms,
    Number,
    RadiusShare,
    Real,
    Schema,
    TableEncoding,
    array_encoding,
    table_encoding,
)

any_float = st.floats(allow_nan=True, allow_infinity=True, allow_subnormal=True)
cells = st.one_of(any_float, st.floats(-3, 3), st.sampled_from([5e-324, -5e-324, 1.7e308, -1.7e308, 1e200, 0.0]))
geometries = st.builds(
    Geometry,
    constant=st.one_of(st.none(), st.floats(0.01, 10), st.floats(0.1, 2).map(RadiusShare)),
    category=st.floats(0.1, 2),
    binary=st.floats(0.1, 2),
    clip=st.one_of(st.none(), st.floats(0, 3)),
)


def raw_rows(columns: int, most: int = 6) -> st.SearchStrategy[np.ndarray]:
    """Between 1 and `most` rows of any floats."""
    return st.integers(1, most).flatmap(lambda k: hnp.arrays(np.float64, (k, columns), elements=cells))


@st.composite
def number_features(draw: st.DrawFn) -> Number:
    low = draw(st.floats(-1e150, 1e150))
    high = draw(st.floats(-1e150, 1e150))
    low, high = min(low, high), max(low, high)
    if high - low < 1e-140:
        low, high = low / 2 - 1, low / 2 + abs(low) * 1e-3 + 1
    inside = st.one_of(st.none(), st.floats(0, 1).map(lambda t: min(max(low + t * (high - low), low), high)))
    return Number(low, high, missing=draw(inside), reference=draw(inside))


features = st.one_of(
    number_features(),
    st.builds(Flag, missing=st.sampled_from([None, 0, 1])),
    st.builds(Category, st.integers(1, 5).map(lambda k: tuple("abcde"[:k])), st.booleans()),
)
schemas = st.lists(features, min_size=1, max_size=7).map(
    lambda fs: Schema({f"f{j}": f for j, f in enumerate(fs)}, Real(0, 1))
)


def assert_inside(rows: np.ndarray, norms: Norms) -> None:
    """Every stored row satisfies all three bounds, as exact rationals."""
    for row in rows:
        stored = [Fraction(float(cell)) for cell in row]
        assert sum(map(abs, stored)) <= Fraction(norms.l1), "l1"
        assert sum(cell**2 for cell in stored) <= Fraction(norms.l2) ** 2, "l2"
        assert max(map(abs, stored)) <= Fraction(norms.linf), "linf"


def exact_norm_squared(row: np.ndarray) -> Fraction:
    return sum((Fraction(float(cell)) ** 2 for cell in row), Fraction(0))


def encode(encoding, numbers, codes=None) -> np.ndarray:
    """Encoded rows of one block."""
    out = np.full((len(numbers), encoding.width), np.nan)
    encoding.encode(np.asarray(numbers, dtype=np.float64), codes, out)
    return out


def ball(columns: int, norm: str = "l2", radius: float = 1.0, geometry: Geometry | None = None):
    """Encoding of arrays in a ball."""
    return array_encoding(Domain(norm, radius), geometry or Geometry(), columns)


def person_schema() -> Schema:
    """A small table with every kind of column."""
    return Schema(
        name="people",
        features={
            "age": Number(17, 90),
            "education": Category(("Bachelors", "HS-grad", "Masters"), other=True),
            "hours": Number(1, 99, missing=40),
            "gain": Number(0, 1e5, reference=0),
            "member": Flag("yes", "no"),
            "region": Category(("north", "south")),
        },
        target=Binary(">50K", "<=50K", name="income"),
        rows=100,
        unit="one person, one row",
    )


def person_encoding(geometry: Geometry | None = None) -> TableEncoding:
    return table_encoding(person_schema(), geometry or Geometry())


def random_codes(encoding, count: int, rng: np.random.Generator) -> np.ndarray:
    """Codes from far below to far above the declared ones."""
    return rng.integers(-3, 9, size=(count, encoding.category_count)).astype(np.int32)
