"""A line search that looks at gradients only: values are too coarse near a minimum."""

from collections.abc import Callable
from dataclasses import dataclass

from tacit.solvers.objective import FloatArray

MOST_TRIALS = 60
ENOUGH = 0.3


@dataclass(frozen=True, slots=True)
class Measured:
    """A point, the gradient there within `error`, and the norm of its optimality residual."""

    theta: FloatArray
    gradient: FloatArray
    error: float
    residual: float


def search(measure: Callable[[FloatArray], Measured], start: Measured, target: FloatArray) -> Measured | None:
    """The first measured point on the way from `start` to `target` that is safe to accept; None if there is none.

    Safe: the residual shrank; or the slope along the way is still ≤ 0 at the target, or small, so that a convex
    objective has fallen. Trials bisect by the secant of the slopes, which increase along the way.
    """
    direction = target - start.theta
    slope = float(start.gradient @ direction)
    if not slope < 0.0:
        return None
    low, low_slope = 0.0, slope
    high, high_slope = 1.0, 0.0
    step = 1.0
    for _ in range(MOST_TRIALS):
        trial = measure(target if step == 1.0 else start.theta + step * direction)
        ahead = float(trial.gradient @ direction)
        if trial.residual <= 0.7 * start.residual or abs(ahead) <= -ENOUGH * slope or (step == 1.0 and ahead <= 0.0):
            return trial
        if ahead > 0.0:
            high, high_slope = step, ahead
        else:
            low, low_slope = step, ahead
        step = low + (high - low) * min(0.9, max(0.1, low_slope / (low_slope - high_slope)))
    return None
