"""Neighbouring tables on which a mechanism loses as much as it can, or which tempt it to misbehave."""

import math
from typing import Any

import numpy as np

from tacit.arithmetic import Floats
from tacit.domain import Domain, Geometry
from tacit.errors import ParameterError
from tacit.mechanisms import (
    TARGET_WEIGHT,
    CentredObjective,
    CovariancePerturbation,
    Frobenius,
    FunctionalMechanism,
    Nuclear,
    ObjectivePerturbation,
    OutputPerturbation,
    Shape,
)
from tacit.noise import Entropy
from tacit.rows import Rows, open_rows

Row = tuple[Floats, float]
Pair = tuple[Rows, Rows]

HOSTILE = (0.0, -0.0, 5e-324, 1e-200, 1.0, -1.0, 1e4, 1e200, math.inf, -math.inf, math.nan)
"""Cells that break sums, norms and comparisons in code that does not expect them."""


def worst_pair(mechanism: Any) -> Pair:
    """Two tables of the mechanism's own shape that differ in one row, chosen to move its answer the most.

    All other rows are zero, so that nothing dampens the change. For a mechanism over the ℓ2 unit ball.
    """
    shape = shape_of(mechanism)
    width = shape.width - (shape.constant is not None)
    first, second = _extreme_rows(mechanism, width)
    rest: list[Row] = [(np.zeros(width), 0.0)] * (shape.n - 1)
    return _open(shape, [first, *rest]), _open(shape, [second, *rest])


def hostile_pair(mechanism: Any, entropy: Entropy) -> Pair:
    """A random table and a neighbour, with rows outside the ball, infinities and numbers that are none."""
    shape = shape_of(mechanism)
    width = shape.width - (shape.constant is not None)
    uniform = entropy.words((shape.n + 1) * (width + 1)) * 2.0**-64
    cells = (4 * uniform - 2).reshape(shape.n + 1, width + 1)
    picks = entropy.words(2 * width + 2) % np.uint64(len(HOSTILE))
    cells[0], cells[-1] = np.array(HOSTILE)[picks.reshape(2, -1).astype(int)]
    targets = np.where(np.nan_to_num(cells[:, -1]) < 0, -1.0, 1.0)
    rows: list[Row] = [
        (np.asarray(cell[:-1], dtype=float), float(target)) for cell, target in zip(cells, targets, strict=True)
    ]
    return _open(shape, rows[:-1]), _open(shape, [rows[-1], *rows[1:-1]])


def shape_of(mechanism: Any) -> Shape:
    """The public facts a mechanism was calibrated from."""
    shape = getattr(mechanism, "shape", None) or getattr(getattr(mechanism, "problem", None), "shape", None)
    if not isinstance(shape, Shape):
        raise ParameterError(f"no known neighbours for {type(mechanism).__name__}: pass a pair of tables yourself")
    return shape


def _extreme_rows(mechanism: Any, width: int) -> tuple[Row, Row]:
    axis = np.eye(width)[0]
    match mechanism:
        case CovariancePerturbation(measure=Frobenius() | Nuclear()) if width > 1:
            # v = (x, ay) and w orthogonal and both as long as allowed: ‖vvᵀ − wwᵀ‖ is √2‖v‖², its nuclear norm 2‖v‖²
            inside = TARGET_WEIGHT**2
            other = -inside * axis + math.sqrt(1 - inside**2) * np.eye(width)[1]
            return (axis, 1.0), (other, 1.0)
        case CovariancePerturbation() | FunctionalMechanism() if width > 1:
            # the ℓ1 change is largest when half of the products change their signs
            corner = np.full(width, 1 / math.sqrt(width))
            return (corner, 1.0), (corner * (-1.0) ** np.arange(width), 1.0)
        case OutputPerturbation() | ObjectivePerturbation() | CentredObjective():
            return (axis, 1.0), (axis, -1.0)
        case CovariancePerturbation() | FunctionalMechanism():
            return (axis, 1.0), (axis, -1.0)
        case _:
            raise ParameterError(
                f"no worst pair is known for {type(mechanism).__name__}: pass a pair of tables yourself"
            )


def _open(shape: Shape, rows: list[Row]) -> Rows:
    constant = None if shape.constant is None else shape.constant / math.sqrt(1 - shape.constant**2)
    X, y = np.array([x for x, _ in rows]), np.array([target for _, target in rows])
    opened = open_rows(X, y, Domain(), Geometry(constant=constant))
    if Shape.of(opened).norms != shape.norms and shape.constant is None:
        raise ParameterError("worst pairs are known for rows of the ℓ2 unit ball: pass a pair of tables yourself")
    return opened
