"""A ball that holds the minimiser of every table, from stationarity: smaller than the ball from J(θ*) ≤ J(0).

    λ‖θ*‖² = −⟨∇(mean loss)(θ*), θ*⟩ = mean of −s φ'(s, y) ≤ sup −s φ'(s, y) =: κ,      ‖θ*‖ ≤ √(κ/λ)

    squared:     κ = b²/4           ½ b/√λ        (from J(0): b/√λ)
    logistic:    κ = W(1/e) = 0.278  0.528/√λ     (from J(0): 1.177/√λ), W the Lambert function
    capped:      the same: the largest pull is at a score on the right side
    Huber hinge: κ = (1+h)²/(8h) for h ≥ 1/3, else 1 − h

By `stationary-norm`.
"""

from tacit.arithmetic import exact, upper
from tacit.mechanisms.problem import Problem


def stationary_radius(problem: Problem) -> float:
    """The smallest proved ball that holds the problem's minimiser, its own radius included. By `stationary-norm`."""
    largest = problem.loss.largest_pull
    free = upper(lambda: (exact(largest) / exact(problem.l2)).sqrt())
    return min(free, problem.minimiser_radius)
