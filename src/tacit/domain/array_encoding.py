"""Encoding of plain arrays declared by a Domain."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from scipy import sparse

from tacit.arithmetic import Floats, round_up
from tacit.domain.ball import Domain
from tacit.domain.cells import Codes
from tacit.domain.checks import refuse
from tacit.domain.clipping import (
    MOST_COLUMNS,
    L1Projection,
    L2Projection,
    LinfProjection,
    Projection,
    SparseBlock,
    margin,
    project_dense,
    project_sparse,
)
from tacit.domain.decoding import Decoder
from tacit.domain.geometry import Geometry
from tacit.domain.norms import Norms, sqrt_above
from tacit.domain.numbered_names import NumberedNames
from tacit.domain.targets import Outcome
from tacit.errors import SchemaError

SparseRows: TypeAlias = "sparse.csr_array[np.float64, tuple[int, int]]"


@dataclass(frozen=True, eq=False)
class ArrayEncoding:
    """x̃ = (clip₁(x / R), c) scaled so that the declared norm of the whole row, constant included, is ≤ 1.

    The scale is 1/√(1 + c²) for l2, 1/(1 + c) for l1 and 1/max(1, c) for linf, by `encoding-norms`.
    A cell that is not a finite number counts as 0.
    """

    target: Outcome
    feature_names: Sequence[str]
    norms: Norms
    projection: Projection
    slope: float
    constant: float | None

    @property
    def number_count(self) -> int:
        """Columns of a raw row."""
        return len(self.feature_names)

    @property
    def category_count(self) -> int:
        """Arrays have no category columns."""
        return 0

    @property
    def width(self) -> int:
        """Columns of an encoded row; the constant, if any, is the last."""
        return len(self.feature_names) + (self.constant is not None)

    @property
    def max_nonzeros(self) -> int:
        """Most non-zero cells of an encoded row."""
        return self.width

    @property
    def typical_norm(self) -> None:
        """A ball has no model of its rows."""

    def public_moments(self) -> tuple[Floats, Floats]:
        """(means, covariance) of the encoded columns: rows even in the ball that holds them."""
        means, variances = np.zeros(self.width), np.zeros(self.width)
        features = max(self.norms.l2**2 - (self.constant or 0.0) ** 2, 0.0)
        variances[: self.number_count] = features / (self.number_count + 2)
        if self.constant is not None:
            means[-1] = self.constant
        return means, np.diag(variances)

    def encode(self, numbers: Floats, codes: Codes | None, out: Floats) -> None:
        """Write the encoded rows of `numbers` (k × columns) into `out` (k × width); `codes` is not used."""
        with np.errstate(all="ignore"):
            project_dense(self.projection, numbers, out[:, : self.number_count])
        if self.constant is not None:
            out[:, -1] = self.constant

    def encode_sparse(self, block: SparseRows) -> SparseRows:
        """Encoded copy of sparse rows; entries stored twice are added first, as their meaning is the sum."""
        # A new matrix around the indices of the block, whose mark "canonical" may be wrong.
        rows = sparse.csr_array((block.data.astype(np.float64), block.indices, block.indptr), shape=block.shape)
        with np.errstate(all="ignore"):
            if not rows.has_canonical_format:
                rows = rows.copy()
                rows.sum_duplicates()
            rows.data[~np.isfinite(rows.data)] = 0.0
            project_sparse(self.projection, SparseBlock(rows.data, rows.indptr))
        return rows if self.constant is None else self._with_constant(rows, self.constant)

    def _with_constant(self, rows: SparseRows, constant: float) -> SparseRows:
        """Append the constant column: each row's stored cells move on by the number of earlier rows."""
        count, columns = rows.shape
        places = np.arange(rows.nnz) + np.repeat(np.arange(count), np.diff(rows.indptr))
        starts = rows.indptr + np.arange(count + 1, dtype=rows.indptr.dtype)
        values = np.full(places.size + count, constant)
        values[places] = rows.data
        indices = np.full(values.size, columns, dtype=rows.indices.dtype)
        indices[places] = rows.indices
        return sparse.csr_array((values, indices, starts), shape=(count, columns + 1))

    def decode(self, theta: Floats) -> tuple[Floats, Floats]:
        """(coef, intercept) in the user's units of features and outcome."""
        return self._decoder().decode(theta)

    def linear_map(self) -> tuple[Floats, Floats]:
        """(A, b) with (coef, intercept) = A θ + b."""
        return self._decoder().linear_map()

    def _decoder(self) -> Decoder:
        slopes = np.full(self.number_count, self.slope)
        origins = np.zeros(self.number_count)
        return Decoder(slopes, origins, self.constant, self.target.scale, self.target.offset)


def array_encoding(
    domain: Domain, geometry: Geometry, columns: int, names: Sequence[str] | None = None
) -> ArrayEncoding:
    """The encoding of arrays with `columns` columns (named x0, x1, ... unless names are given).

    Only the geometry's `constant` matters in a ball.
    """
    if not 1 <= columns <= MOST_COLUMNS:
        refuse(SchemaError, "columns", columns, "between 1 and 2**30 columns", "Pass rows with columns.")
    named = NumberedNames(columns) if names is None else tuple(names)
    if len(named) != columns:
        refuse(SchemaError, "names", len(named), f"{columns} names", "Name every column once.")
    c = geometry.constant_for(1.0)
    share = {
        "l2": (1 - margin(columns)) / math.hypot(1.0, c or 0.0),
        "l1": (1 - margin(columns)) / (1 + (c or 0.0)),
        "linf": 1 / max(1.0, c or 0.0),
    }[domain.norm]
    slope = share / domain.radius
    constant = None if c is None else min(c * share, 1.0)
    projection: Projection
    if domain.norm == "l2":
        projection = L2Projection(slope, share, columns)
    elif domain.norm == "l1":
        projection = L1Projection(slope, share, columns)
    else:
        projection = LinfProjection(slope, share)
    norms = ball_norms(domain.norm, columns, share, constant or 0.0)
    return ArrayEncoding(domain.outcome, named, norms, projection, slope, constant)


def ball_norms(norm: str, columns: int, radius: float, constant: float) -> Norms:
    """Bounds of (features, constant) with ‖features‖ ≤ radius in the named norm, rounded outward.

    ‖x‖∞ ≤ ‖x‖₂ ≤ ‖x‖₁, ‖x‖₁ ≤ √d‖x‖₂ and ‖x‖₂ ≤ √d‖x‖∞, ‖x‖₁ ≤ d‖x‖∞.
    """
    r, c = Fraction(radius), Fraction(constant)
    square = r**2 * (columns if norm == "linf" else 1)
    spread = {"l1": r, "l2": Fraction(sqrt_above(columns * r**2)), "linf": columns * r}[norm]
    return Norms(l1=round_up(spread + c), l2=sqrt_above(square + c**2), linf=round_up(max(r, c)))
