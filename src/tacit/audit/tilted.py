"""Exact law of objective perturbation with one feature, by a change of variables: code that shares nothing with it.

θ = argmin Σ log(1 + e^(−y x θ)) + (w/2)θ² + bθ  solves  b = −(wθ − Σ yx σ(−yxθ)), which is one to one in θ, so

    log p(θ) = −|b(θ)|/s − log 2s + log(w + Σ x² σ(xθ)σ(−xθ))    for b ~ Laplace(s).

With a cap c, slopes are min(c, σ(−yxθ)), and where that is c there is no curvature.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from tacit.arithmetic import Floats
from tacit.audit.scores import Score

GRID = 200_000


@dataclass(frozen=True)
class TiltedLogistic:
    """Rows (x, ±1), the weight w of θ²/2 beside the sum of losses, the scale s of the tilt b, the cap of slopes."""

    rows: tuple[tuple[float, float], ...]
    weight: float
    scale: float
    cap: float = 1.0

    def log_density(self, theta: Floats) -> Floats:
        """Logarithm of the density of the released θ."""
        slope, curvature = self.weight * theta, np.full_like(theta, self.weight)
        for x, y in self.rows:
            miss = np.minimum(expit(-y * x * theta), self.cap)
            slope = slope - y * x * miss
            curvature = curvature + x * x * miss * (1 - miss) * (miss < self.cap)
        return -np.abs(slope) / self.scale - math.log(2 * self.scale) + np.log(curvature)

    @property
    def reach(self) -> float:
        """Beyond this |θ| every logistic term has settled and the loss has its limit."""
        rows = max((abs(x) for x, _ in self.rows), default=0.0)
        return 40 * self.scale / self.weight + (40 / rows if rows else 0.0) + len(self.rows) * rows / self.weight


def tilted_score(first: TiltedLogistic, second: TiltedLogistic) -> Score:
    """The exact log likelihood ratio: the best score there is."""
    return lambda outputs: np.asarray(second.log_density(outputs[:, 0]) - first.log_density(outputs[:, 0]))


def tilted_pair_loss(first: TiltedLogistic, second: TiltedLogistic) -> float:
    """Largest privacy loss of the pair over all outputs θ, on a grid that is dense where the loss bends."""
    half = np.geomspace(1e-9, max(first.reach, second.reach), GRID)
    theta = np.concatenate([-half[::-1], half])
    return float(np.max(np.abs(second.log_density(theta) - first.log_density(theta))))
