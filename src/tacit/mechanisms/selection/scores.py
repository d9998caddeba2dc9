"""How a candidate is scored on held-out rows: minus the mean of a bounded loss g(s, y) of the linear score s = ⟨x, θ⟩.

    0 ≤ g ≤ bound,   |g(s, y) − g(s', y)| ≤ lipschitz · |s − s'|

Both numbers enter the noise of the choice. By `score-constants`.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from tacit.arithmetic import UNIT_ROUNDOFF, Floats, enlarged
from tacit.errors import ParameterError
from tacit.losses import Loss


class Score(Protocol):
    """A bounded Lipschitz loss of a linear score; small is good."""

    @property
    def name(self) -> str:
        """What the certificate calls it."""

    @property
    def lipschitz(self) -> float:
        """How fast g changes with the linear score."""

    @property
    def rounding(self) -> float:
        """The computed g of a given double s is within this of the exact one."""

    def bound(self, longest: float) -> float:
        """How far two values of g can be apart over all scores |s| ≤ longest and all targets."""

    def __call__(self, score: Floats, y: Floats) -> Floats:
        """g for a block of rows."""


@dataclass(frozen=True)
class Ramp:
    """g = min(1, max(0, ½ − ys/(2w))), y = ±1: 0 for rows well on their side, 1 well on the wrong one.

    A wide ramp blurs, and needs less noise in proportion. On bank marketing 4 and 8 chose better than 1 and 2.
    """

    width: float = 4.0
    rounding: float = 2.0**-50

    def __post_init__(self) -> None:
        if not 0 < self.width < math.inf:
            raise ParameterError(f"the width of a ramp must be a positive number, got {self.width!r}")

    @property
    def name(self) -> str:
        return f"ramp loss of width {self.width:g}"

    @property
    def lipschitz(self) -> float:
        """1/(2w). By `score-constants`."""
        return enlarged(0.5 / self.width, 50)

    def bound(self, longest: float) -> float:
        """min(1, B/w): g is within B/(2w) of ½. By `score-constants`."""
        return min(1.0, enlarged(longest / self.width, 50))

    def __call__(self, score: Floats, y: Floats) -> Floats:
        return np.clip(0.5 - y * score / (2.0 * self.width), 0.0, 1.0)


@dataclass(frozen=True)
class CappedLoss:
    """g = min(φ, cap) for the loss φ of the model itself."""

    loss: Loss
    cap: float

    def __post_init__(self) -> None:
        if not 0 < self.cap < math.inf:
            raise ParameterError(f"the cap of a loss must be a positive number, got {self.cap!r}")
        if self.loss.target_bound < 1:
            raise ParameterError(
                f"encoded targets lie in [-1, 1], so a loss has target_bound >= 1, got {self.loss.target_bound!r}"
            )

    @property
    def name(self) -> str:
        return f"{type(self.loss).__name__.lower()} loss, at most {self.cap:g} a row"

    @property
    def lipschitz(self) -> float:
        """sup |φ'| where φ ≤ cap. By `score-constants`."""
        return self.loss.capped_slope(self.cap)

    @property
    def rounding(self) -> float:
        """φ ≥ cap is cut off; below, the error is that of φ at values up to the cap. By `loss-constants`."""
        return self.loss.capped_rounding(self.cap) * UNIT_ROUNDOFF

    def bound(self, longest: float) -> float:
        """min(cap, sup φ), since φ ≥ 0. By `score-constants`."""
        return min(self.cap, self.loss.constants(longest).value)

    def __call__(self, score: Floats, y: Floats) -> Floats:
        return np.minimum(self.loss.value(score, y), self.cap)


@dataclass(frozen=True)
class DeclaredScore:
    """A user's loss of (score, y): clipped to [0, limit]; what it claims of its slope is assumed, not checked.

    function: vectorised, a function of each row's score and encoded target alone (labels ±1, real targets in [−1, 1]).
    """

    function: Callable[[Floats, Floats], Floats]
    limit: float
    lipschitz: float
    name: str = "declared score"
    rounding: float = 2.0**-40

    def __post_init__(self) -> None:
        for name, value in (("limit", self.limit), ("lipschitz", self.lipschitz)):
            if not 0 < value < math.inf:
                raise ParameterError(f"{name} of a declared score must be a positive, finite number, got {value!r}")

    def bound(self, longest: float) -> float:
        """The declared limit, enforced by clipping. By `score-constants`."""
        return self.limit

    def __call__(self, score: Floats, y: Floats) -> Floats:
        values = np.asarray(self.function(score, y), dtype=np.float64)
        return np.clip(np.where(np.isnan(values), self.limit, values), 0.0, self.limit)


def default_score(loss: Loss) -> Score:
    """The ramp for labels, the capped loss itself for numbers (no sensible prediction is 2 units off)."""
    return Ramp() if loss.labels else CappedLoss(loss, loss.scoring_cap)
