"""zCDP in (ε, δ): numbers only.

A ρ-zCDP mechanism is (ε, δ)-private for every order α > 1 with

    ε(α) = αρ − log(αδ)/(α−1) + log(1 − 1/α)          (Canonne, Kamath and Steinke 2020, Proposition 12)

With x = α − 1 the derivative is ρ − (log(1/δ) − log(1+x))/x², so the best order is the only root of
ρx² + log(1+x) = log(1/δ). Each α is valid: the root is found in floats and only the chosen bound is evaluated in
balls, so that a poor root costs tightness, never truth. By `zcdp-to-approx`.
"""

import math

from flint import arb

from tacit.arithmetic import exact, largest_float, upper


def epsilon_of_rho(rho: float, delta: float) -> float:
    """The smallest ε of ρ-zCDP at this δ over all orders, rounded up; at least 0. By `zcdp-to-approx`."""
    return epsilon_at_order(best_excess(rho, delta), rho, delta)


def epsilon_at_order(excess: float, rho: float, delta: float) -> float:
    """ε(α) at the order α = 1 + excess, rounded up; at least 0. By `zcdp-to-approx`."""

    def bound() -> arb:
        x, r, d = exact(excess), exact(rho), exact(delta)
        return (1 + x) * r - (d.log() + (1 + x).log()) / x + (x / (1 + x)).log()

    return max(0.0, upper(bound))


def best_excess(rho: float, delta: float) -> float:
    """α − 1 for the best order α."""
    log_inverse = -math.log(delta)
    return largest_float(lambda x: rho * x * x + math.log1p(x) <= log_inverse, largest=2.0**1000)
