"""Geometry: how a declared row is placed in the unit ball, from public facts only.

With z the scaled features (numbers in [−1, 1], flags ±binary, one-hot blocks × category) the encoded row is

    x̃ = (clip_r(z), c) / √(r² + c²),      r² = E‖z‖² + clip · sd(‖z‖²),

so the constant feature c shares the ball with the features: ‖x̃‖₂ ≤ 1 by `encoding-norms`. The moments are
those of rows whose numbers are spread uniformly over their bounds; a number with a declared `reference` is
modelled as sitting at it three times in four and uniform otherwise.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass

from tacit.domain.checks import real_number, refuse
from tacit.domain.features import Feature
from tacit.errors import ParameterError


def weight(where: str, value: object, remedy: str) -> float:
    """A weight in [0.001, 1000]: no part of a row may drown the others in rounding."""
    number = real_number(ParameterError, where, value, remedy)
    if not 1e-3 <= number <= 1e3:
        refuse(ParameterError, where, value, "a number from 0.001 to 1000", remedy)
    return number


@dataclass(frozen=True)
class RadiusShare:
    """A constant feature that is `share` times the feature radius: c = share · r."""

    share: float

    def __post_init__(self) -> None:
        remedy = "Use 0.5 for linear regression."
        object.__setattr__(self, "share", weight("RadiusShare.share", self.share, remedy))


@dataclass(frozen=True)
class Geometry:
    """Weights of the parts of a row, and how far out rows are kept.

    constant: the intercept feature (a number, or a share of the feature radius); None for no intercept.
    category: weight of a one-hot block. binary: half-width of a flag.
    clip: number of standard deviations above the mean square norm at which feature parts are clipped;
    None: never (the radius is the largest possible norm and the encoding is linear in the row).
    baselines: one level of every category has no column, so that the others are told apart from the constant.
    """

    constant: float | RadiusShare | None = 1.0
    category: float = 0.7
    binary: float = 0.5
    clip: float | None = 0.0
    baselines: bool = False

    def __post_init__(self) -> None:
        for name in ("category", "binary"):
            value = weight(f"Geometry.{name}", getattr(self, name), "Try 0.5 to 1.")
            object.__setattr__(self, name, value)
        if self.constant is not None and not isinstance(self.constant, RadiusShare):
            remedy = "Use 1, or None for a model without intercept."
            object.__setattr__(self, "constant", weight("Geometry.constant", self.constant, remedy))
        if self.clip is not None:
            remedy = "Use 0 or more, or None for no clipping."
            clip = real_number(ParameterError, "Geometry.clip", self.clip, remedy)
            if clip < 0:
                refuse(ParameterError, "Geometry.clip", clip, "0 or more standard deviations, or None", remedy)
            object.__setattr__(self, "clip", clip)

    def to_dict(self) -> dict[str, object]:
        """Plain values for certificates."""
        return asdict(self)

    def constant_for(self, radius: float) -> float | None:
        """The constant feature c beside features of norm at most `radius`."""
        return self.constant.share * radius if isinstance(self.constant, RadiusShare) else self.constant

    def feature_radius(self, features: list[Feature]) -> float:
        """r of the formula above, never more than the largest possible ‖z‖."""
        largest = self.largest_norm(features)
        if self.clip is None:
            return largest
        moments = [feature.moments(self) for feature in features]
        mean = math.fsum(moment.mean for moment in moments)
        deviation = math.sqrt(math.fsum(moment.variance for moment in moments))
        return min(largest, math.sqrt(mean + self.clip * deviation))

    def largest_norm(self, features: list[Feature]) -> float:
        """The largest possible ‖z‖."""
        return math.sqrt(math.fsum(feature.moments(self).largest for feature in features))


CLASSIFICATION = Geometry()
"""Rows clipped at the mean square norm, constant 1: the measured default of classifiers."""

REGRESSION = Geometry(constant=RadiusShare(0.5), clip=1.0)
"""Rows clipped one standard deviation further out, constant half the radius: the default of regressions."""

UNCLIPPED = Geometry(clip=None)
"""No row is clipped: scores are linear in the raw row, as coefficients and intervals need."""
