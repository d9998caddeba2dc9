"""zCDP in (ε, δ): numbers only.

A ρ-zCDP mechanism is (ε, δ)-private for every order α > 1 with

    ε = αρ − log(αδ)/(α−1) + log(1 − 1/α)          (Canonne, Kamath and Steinke 2020, Proposition 12)

Each α is valid, so α is searched in floats and only the chosen bound is evaluated in balls: a poor search costs
tightness, never truth. By `zcdp-to-approx`.
"""

import math
from collections.abc import Callable

from flint import arb
from scipy.optimize import minimize_scalar

from tacit.privacy.rounding import exact, upper


def epsilon_of_rho(rho: float, delta: float) -> float:
    """The smallest ε found for ρ-zCDP at this δ, rounded up; at least 0. By `zcdp-to-approx`."""
    order = _best_order(rho, delta)

    def bound() -> arb:
        a, r, d = exact(order), exact(rho), exact(delta)
        return a * r - (a * d).log() / (a - 1) + (1 - 1 / a).log()

    return max(0.0, upper(bound))


def solve_increasing(f: Callable[[float], float], target: float, largest: float) -> float:
    """x with f(x) = target for an increasing f on (0, largest], by bisection on log x."""
    low, high = math.log(1e-300), math.log(largest)
    for _ in range(100):
        middle = (low + high) / 2
        if f(math.exp(middle)) <= target:
            low = middle
        else:
            high = middle
    return math.exp(low)


def _best_order(rho: float, delta: float) -> float:
    def epsilon(log_excess: float) -> float:
        excess = math.exp(log_excess)  # α − 1
        a = 1 + excess
        return a * rho - (math.log(a) + math.log(delta)) / excess + math.log(excess / a)

    centre = 0.5 * math.log(math.log(1 / delta) / rho)
    best = minimize_scalar(epsilon, bounds=(centre - 12, centre + 12), method="bounded", options={"xatol": 1e-9})
    return 1 + math.exp(float(best.x))
