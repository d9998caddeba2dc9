"""What a loss φ(s, y) of a score s = ⟨x, θ⟩ and a target y must offer."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ParameterError

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class LossConstants:
    """Bounds of a loss over all scores |s| ≤ B and all admissible targets, by `loss-constants`.

    value, slope, curvature: sup |φ|, sup |φ'|, sup φ'' (infinite where there is no bound).
    value_rounding, slope_rounding: the computed value and slope of a given double s differ from the
    exact ones by at most this many units of 2⁻⁵³ (absolute).
    """

    value: float
    slope: float
    curvature: float
    value_rounding: float
    slope_rounding: float


@dataclass(frozen=True, slots=True)
class CurvatureTie:
    """φ'' ≤ constant + linear·|φ'| − quadratic·|φ'|², quadratic ≥ 0, at every score where φ'' exists.

    A row that pulls hard may have to be flat; a calibration that knows it does not pay for both at once.
    """

    constant: float
    linear: float = 0.0
    quadratic: float = 0.0


class Loss(Protocol):
    """A convex loss; every method is vectorised and defined for each finite score.

    smooth: φ is differentiable with a Lipschitz slope.
    one_sided_slope: y·φ'(s, y) ≤ 0 for every score: a row only ever pulls the score towards its label.
    curvature_tie: how much curvature a slope leaves, by `loss-constants`.
    """

    @property
    def smooth(self) -> bool: ...

    @property
    def one_sided_slope(self) -> bool: ...

    @property
    def curvature_tie(self) -> CurvatureTie: ...

    def value(self, score: FloatArray, y: FloatArray) -> FloatArray: ...

    def slope(self, score: FloatArray, y: FloatArray) -> FloatArray: ...

    def curvature(self, score: FloatArray, y: FloatArray) -> FloatArray: ...

    def slope_and_curvature(self, score: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]: ...

    def constants(self, score_bound: float | None = None) -> LossConstants: ...


def checked_score_bound(score_bound: float | None) -> float:
    """The bound B on |s| as a number; None means no bound."""
    if score_bound is None:
        return float("inf")
    if not score_bound >= 0.0:
        raise ParameterError(f"score_bound is {score_bound!r}; expected a number >= 0, or None for no bound")
    return float(score_bound)
