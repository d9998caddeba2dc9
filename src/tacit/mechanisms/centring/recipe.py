"""From a noisy summary to a geometry: public constants and post-processing only.

    centre     mean m times (1 − blur²/m²)₊; of a category the noisy mode becomes level zero
    spread     v = (mean square − centre²)₊ + blur, at most ¼; a number becomes (z − centre)·min(spread/√v, 8)
    radius     rms² = spread²·numbers + Σ(¼ − centre²) over flags + category²·Σ(1 − share of the mode)
               R = max(reach·rms, least radius); under pure ε also ℓ1: R₁ = (R/rms)·Σ deviations
    constant   a share of R

Released numbers are worth their price only where they are sharp: the summary is bought if the standard deviation of a
released mean, `blur`, is at most `largest_blur`, which n, the declaration and the budget decide.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tacit.domain import Number, ReleasedGeometry, Schema, split_features
from tacit.errors import ParameterError
from tacit.mechanisms.centring.column_summary import ColumnSummary, NoisySummary
from tacit.mechanisms.laws import Vector
from tacit.privacy import Budget, gaussian_strength

LARGEST_VARIANCE = 0.25
LARGEST_SCALE = 8.0
LEAST_FLAG_VARIANCE = 0.0025
LEAST_SHARE_AWAY = 0.02
TARGET_DEVIATIONS = 2.5  # where a real target is clipped


@dataclass(frozen=True)
class Shares:
    """What the look may cost, what is left for the fit, what both keep together, and why they add up to that."""

    look: Budget
    rest: Budget
    whole: Budget
    composed_by: str


@dataclass(frozen=True)
class Centring:
    """How a paid look at the columns is bought and used.

    pure_share, gaussian_share: of ε, and of ρ or μ². largest_blur: no look if means would come out less sharp.
    edge: where numbers are clipped, in units in which their deviation is `spread`. reach, least_radius: where rows are
    clipped, in root mean square lengths and at least. constant: the intercept feature, in clipping radii.
    target_weight: how many numbers a real target counts for in the summary; 0 leaves targets alone.
    """

    pure_share: float = 0.10
    gaussian_share: float = 0.05
    largest_blur: float = 0.15
    spread: float = 0.5
    edge: float = 1.0
    reach: float = 0.8
    least_radius: float = 1.2
    constant: float = 0.45
    category: float = 0.7
    target_weight: int = 0

    def __post_init__(self) -> None:
        shares = (self.pure_share, self.gaussian_share)
        sizes = (self.largest_blur, self.spread, self.edge, self.reach, self.constant, self.category)
        if not (all(0 < share < 1 for share in shares) and all(size > 0 for size in sizes) and self.least_radius >= 0):
            raise ParameterError(
                f"a Centring has shares between 0 and 1 and positive sizes, got {self}; try Centring(edge=1.5)"
            )

    def shares(self, budget: Budget, *, gaussian: bool = False) -> Shares:
        """What look and fit may cost. gaussian: whether the fit, too, is Gaussian noise on a sum.

        Then an (ε, δ) budget is shared as the strength of one Gaussian release, by `gaussian-composition`; otherwise
        as the budget that adds up and implies it, by `composition`.
        """
        share = Fraction(repr(self.gaussian_share if budget.allows_gaussian else self.pure_share))
        exact_strength = gaussian and budget.own_delta > 0
        if exact_strength:
            strength = gaussian_strength(budget)
            return Shares(strength.share(share), strength.share(1 - share), budget, "gaussian-composition")
        whole = budget.additive()
        return Shares(whole.share(share), whole.share(1 - share), budget, "composition")

    def look(self, schema: Schema, n: int, shares: Shares) -> ColumnSummary | None:
        """The look that its share buys; None where it would not be sharp enough. Decided by public facts."""
        look = ColumnSummary(schema, n, shares.look, self.target_weight, shares.composed_by)
        return look if look.blur <= self.largest_blur else None

    def geometry(self, release: ColumnSummary, noisy: NoisySummary) -> ReleasedGeometry:
        """Where rows are placed after the look."""
        numeric = list(split_features(release.schema.features)[0].values())
        is_number = np.array([isinstance(feature, Number) for feature in numeric], dtype=bool)
        half = np.where(is_number, 1.0, 0.5)
        mean, blur = np.clip(noisy.means, -half, half), release.blur
        centres = _shrunk(mean, blur)
        scales, deviations = np.ones(len(numeric)), np.empty(len(numeric))
        scales[is_number] = self._scale(centres[is_number], noisy.squares, blur)
        deviations[is_number] = self.spread
        deviations[~is_number] = np.sqrt(np.maximum(0.25 - centres[~is_number] ** 2, LEAST_FLAG_VARIANCE))
        modes = [None if share.size == 1 else int(np.argmax(share)) for share in noisy.shares]
        away = np.array([1.0 - float(np.max(share)) for share in noisy.shares if share.size > 1])
        away = np.concatenate([np.clip(away, LEAST_SHARE_AWAY, 1.0), np.ones(modes.count(None))])
        square = math.fsum(deviations**2) + self.category**2 * math.fsum(away)
        length = math.fsum(deviations) + self.category * math.fsum(away)
        reach = max(self.reach, self.least_radius / math.sqrt(square))
        radius = reach * math.sqrt(square)
        return ReleasedGeometry(
            centres=tuple(centres.tolist()),
            scales=tuple(scales.tolist()),
            zero_levels=tuple(modes),
            radius=radius,
            l1_radius=None if release.charge.allows_gaussian else reach * length,
            constant=self.constant,
            edge=self.edge,
            category=self.category,
            binary=0.5,
            target=self._target(noisy.target, release.target_blur),
        )

    def _scale(self, centre: Vector, square: Vector, blur: float) -> Vector:
        variance = np.minimum(np.maximum(square - centre**2, 0.0) + blur, LARGEST_VARIANCE)
        return np.asarray(np.minimum(self.spread / np.sqrt(variance), LARGEST_SCALE))

    def _target(self, target: tuple[float, float] | None, blur: float) -> tuple[float, float] | None:
        if target is None:
            return None
        mean, square = target
        centre = float(_shrunk(np.clip(np.array([mean]), -1.0, 1.0), blur)[0])
        variance = min(max(square - centre**2, 0.0) + blur, LARGEST_VARIANCE)
        return centre, min(1 / (TARGET_DEVIATIONS * math.sqrt(variance)), LARGEST_SCALE)


def _shrunk(mean: Vector, blur: float) -> Vector:
    """m(1 − blur²/m²)₊: a mean that is lost in its noise becomes the declared origin."""
    return np.asarray(mean * np.maximum(0.0, 1 - blur**2 / np.maximum(mean**2, 1e-300)))


CLASSIFICATION_CENTRING = Centring()
REGRESSION_CENTRING = Centring(
    pure_share=0.12, gaussian_share=0.06, edge=1.25, reach=1.0, least_radius=0.0, constant=0.4, target_weight=3
)
