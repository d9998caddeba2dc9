"""What a loss φ(s, y) of a score s = ⟨x, θ⟩ and a target y tells the algorithms that use it."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tacit.arithmetic import UNIT_ROUNDOFF, Floats, enlarged, exact, upper
from tacit.errors import ParameterError


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


LOGISTIC_TIE = CurvatureTie(0.0, 1.0, 1.0)
"""φ'' ≤ p(1 − p), p = |φ'|."""


@dataclass(frozen=True, slots=True)
class Expansion:
    """φ as a polynomial of second order: Σφ ≈ quadratic·ωᵀ(Σxxᵀ)ω − linear·(Σyx)ᵀω + const, by `functional-mechanism`.

    quadratic, linear: powers of two. l1_change: (a, b, c) of the published bound ad² + bd + c on how far one replaced
    row moves all coefficients together.
    """

    quadratic: float
    linear: float
    l1_change: tuple[float, float, float]

    def change(self, width: int) -> float:
        """The published Δ for rows of this width."""
        a, b, c = self.l1_change
        return a * width * width + b * width + c


class Loss(ABC):
    """A convex loss φ ≥ 0; every method is vectorised and defined for each finite score.

    A new loss gives value, slope, slope_and_curvature and constants; what else it states has a default that is true of
    every convex loss, or claims nothing.

    name: what certificates and summaries call it, before the word loss.
    smooth: φ is differentiable with a Lipschitz slope.
    labels: y is ±1; otherwise it is a number with |y| ≤ target_bound.
    quadratic: Σφ = ½θᵀ(Σxxᵀ)θ − (Σyx)ᵀθ + ½Σy², so the rows need to be read only once.
    one_sided_slope: y·φ'(s, y) ≤ 0 for every score: a row only ever pulls the score towards its label.
    likelihood: e^−φ is the probability of y, so that squared slopes and curvatures have the same mean.
    self_concordant: |φ'''| ≤ φ'' ≤ ¼, and φ'' is computed within 2⁻⁴⁶. By `excess-risk-bound`.
    change_theorems: what proves a `gradient_change` below twice the longest gradient.
    expansion: the polynomial that the functional mechanism perturbs; None where none is published.
    scoring_cap: held-out rows are scored by min(φ, scoring_cap); labels by a ramp instead.
    """

    name: ClassVar[str]
    smooth: ClassVar[bool] = True
    labels: ClassVar[bool] = False
    quadratic: ClassVar[bool] = False
    one_sided_slope: ClassVar[bool] = False
    likelihood: ClassVar[bool] = False
    self_concordant: ClassVar[bool] = False
    change_theorems: ClassVar[tuple[str, ...]] = ()
    expansion: ClassVar[Expansion | None] = None

    @abstractmethod
    def value(self, score: Floats, y: Floats) -> Floats:
        """φ(s, y)."""

    @abstractmethod
    def slope(self, score: Floats, y: Floats) -> Floats:
        """φ'(s, y), the derivative in s."""

    @abstractmethod
    def slope_and_curvature(self, score: Floats, y: Floats) -> tuple[Floats, Floats]:
        """φ' and φ''."""

    @abstractmethod
    def constants(self, score_bound: float | None = None) -> LossConstants:
        """Bounds over |s| ≤ score_bound; None: over all scores."""

    def curvature(self, score: Floats, y: Floats) -> Floats:
        """φ''(s, y)."""
        return self.slope_and_curvature(score, y)[1]

    @property
    def target_bound(self) -> float:
        """The largest |y|."""
        return 1.0

    @property
    def curvature_tie(self) -> CurvatureTie:
        """How much curvature a slope leaves, by `loss-constants`; the default says nothing of the slope."""
        return CurvatureTie(self.constants(None).curvature)

    @property
    def scoring_cap(self) -> float:
        return 2.0

    def gradient_change(self, row_norm: float, radius: float) -> float:
        """sup ‖∇φ(x, y) − ∇φ(x', y')‖₂ over ‖x‖₂, ‖x'‖₂ ≤ row_norm and ‖θ‖₂ ≤ radius: at most twice a gradient."""
        return enlarged(2 * self.constants(enlarged(row_norm * radius, 50)).slope * row_norm, 50)

    @property
    def largest_pull(self) -> float:
        """κ = sup −s φ'(s, y), by `stationary-norm`; infinite where none was found."""
        return math.inf

    def swing(self, end: float, reach: float) -> float:
        """sup {φ(s', y) − φ(s, y) : |s|, |s'| ≤ end, |s − s'| ≤ reach}, by `truncated-excess-risk`."""
        if self.one_sided_slope:  # from the wrong end of the range inwards, as φ is convex and decreases with ys
            edges = [self.value(np.array([-y * end, y * (reach - end)]), np.full(2, y)) for y in (-1.0, 1.0)]
            rounding = 2 * self.constants(end).value_rounding * UNIT_ROUNDOFF
            return enlarged(max(float(edge[0] - edge[1]) for edge in edges) + rounding)
        slope = self.constants(end).slope
        return upper(lambda: exact(slope) * exact(reach))

    def capped_slope(self, cap: float) -> float:
        """sup |φ'| where φ ≤ cap. By `score-constants`."""
        return self.constants(None).slope

    def capped_rounding(self, cap: float) -> float:
        """The computed φ is within this many units of 2⁻⁵³ wherever φ ≤ cap. By `loss-constants`."""
        return 64.0 * (cap + 1)


def checked_score_bound(score_bound: float | None) -> float:
    """The bound B on |s| as a number; None means no bound."""
    if score_bound is None:
        return math.inf
    if not score_bound >= 0.0:
        raise ParameterError(f"score_bound is {score_bound!r}; expected a number >= 0, or None for no bound")
    return float(score_bound)
