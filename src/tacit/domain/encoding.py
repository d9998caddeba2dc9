"""Encoding: the one way a declared row becomes a stored point of the unit ball, for fitting and predicting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from tacit.arithmetic import Floats
from tacit.domain.cells import Codes
from tacit.domain.norms import Norms
from tacit.domain.targets import Outcome


class Encoding(Protocol):
    """What rows, mechanisms and estimators may ask of an encoding.

    An encoded row is a function of its own raw row only, so neighbours stay neighbours, by `row-local-encoding`.
    """

    @property
    def target(self) -> Outcome:
        """How outcomes become numbers: `target.encode(column)`."""

    @property
    def feature_names(self) -> Sequence[str]:
        """Names of the encoded features, without the constant: one for each coefficient."""

    @property
    def norms(self) -> Norms:
        """Public bounds of every stored encoded row."""

    @property
    def number_count(self) -> int:
        """Columns of `numbers` in `encode`."""

    @property
    def category_count(self) -> int:
        """Columns of `codes` in `encode`."""

    @property
    def width(self) -> int:
        """Columns of an encoded row; the constant, if any, is the last."""

    @property
    def max_nonzeros(self) -> int:
        """Most non-zero cells of an encoded row."""

    @property
    def constant(self) -> float | None:
        """Stored value of the constant column; None without one."""

    @property
    def typical_norm(self) -> float | None:
        """Most rows of the public model are no longer than this; None where there is no such model."""

    def public_moments(self) -> tuple[Floats, Floats]:
        """(means, covariance) of the encoded columns of rows as they usually are within such bounds: a public guess."""

    def encode(self, numbers: Floats, codes: Codes | None, out: Floats) -> None:
        """Write the encoded rows of one block into `out`."""

    def decode(self, theta: Floats) -> tuple[Floats, Floats]:
        """(coef, intercept) in the user's units."""

    def linear_map(self) -> tuple[Floats, Floats]:
        """(A, b) with (coef, intercept) = A θ + b."""
