"""A line search that looks at gradients only: values are too coarse near a minimum."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tacit.arithmetic import Floats

MOST_TRIALS = 60
SHRUNK = 0.7
LEVEL = 0.3


@dataclass(frozen=True, slots=True)
class Measured:
    """A point, the gradient there within `error`, and the norm of its optimality residual."""

    theta: Floats
    gradient: Floats
    error: float
    residual: float


def search(measure: Callable[[Floats], Measured], start: Measured, target: Floats, best: float) -> Measured | None:
    """The first measured point on the way from `start` to `target` that is safe to accept; None if there is none.

    Safe: the residual is clearly below `best`, the smallest so far, which can happen only so often; or a convex J
    cannot have risen. The slope along the way increases: with slope −a at l, J fell by at least a·l on the way there,
    and with slope b > 0 at h it rose by at most b(h − l) since. This rule also accepts a point just behind a kink,
    where the curvature that the model lacked becomes visible.
    """
    direction = target - start.theta
    slope = float(start.gradient @ direction)
    low, low_slope, high = 0.0, slope, 1.0
    step = 1.0
    for trial_number in range(MOST_TRIALS):
        trial = measure(target if step == 1.0 else start.theta + step * direction)
        ahead = float(trial.gradient @ direction)
        if trial.residual <= SHRUNK * best or LEVEL * slope <= ahead <= 0.0 > slope:
            return trial
        if not slope < 0.0:
            return None
        if ahead <= 0.0:
            if step == 1.0:
                return trial
            low, low_slope = step, ahead
        else:
            if ahead * (step - low) <= -0.5 * low_slope * low:
                return trial
            high = step
        share = low_slope / (low_slope - ahead) if trial_number < 2 and ahead > 0.0 else 0.5
        step = low + (high - low) * min(0.9, max(0.1, share))
    return None


def shortened(start: Floats, target: Floats, longest: float) -> Floats:
    """The target, or the point on the way to it at distance `longest`: no minimiser lies further away.

    Where no row has curvature the model sees only the regulariser and points far beyond the domain.
    """
    length = float(np.linalg.norm(target - start))
    return target if length <= longest else start + (target - start) * (longest / length)
