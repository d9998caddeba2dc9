"""Exact privacy losses on one pair of neighbours, from formulas and quadrature: code that shares nothing with tacit's.

A proof may be loose on a pair, and then too little noise hides below the claimed ε. Measured against the exact loss of
the correct mechanism on that pair it cannot hide: more than that is a fault.
"""

import math
from collections.abc import Sequence
from itertools import combinations, permutations

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit
from scipy.stats import norm

from tacit.arithmetic import Floats


def gaussian_pair_loss(distance: float, sigma: float, delta: float) -> float:
    """The ε at which N(0, σ²) and N(distance, σ²) are (ε, δ)-close: root of Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ) = δ."""
    mu = distance / sigma

    def excess(epsilon: float) -> float:
        upper = math.exp(epsilon + float(norm.logcdf(-mu / 2 - epsilon / mu)))
        return float(norm.cdf(mu / 2 - epsilon / mu)) - upper - delta

    return 0.0 if excess(0.0) <= 0 else float(brentq(excess, 0.0, mu * mu / 2 + 40 * mu, xtol=1e-12))


def output_pair_loss(first: Sequence[tuple[float, float]], second: Sequence[tuple[float, float]], l2: float) -> float:
    """Loss at ε = 1 of output perturbation of logistic loss with one feature: |θ* − θ*'| / (Δ/(λn)).

    Δ = 2 max sin γ σ(k cos γ), how far the gradients of two rows in a ball can be apart for |θ| ≤ k = √(0.2785/λ),
    where every minimiser lies; for k ≤ 1.5.
    """
    reach, angle = math.sqrt(0.27846454276107380 / l2), np.linspace(0, math.pi, 200_001)
    apart = 2 * float(np.max(np.sin(angle) * expit(reach * np.cos(angle))))
    moved = abs(_logistic_minimiser(first, l2) - _logistic_minimiser(second, l2))
    return moved * l2 * len(first) / apart


def largest_log_ratio(first: Floats, second: Floats) -> float:
    """max |log p/q| over the outcomes of two discrete laws."""
    return float(np.max(np.abs(np.log(first) - np.log(second))))


def exponential_law(scores: Sequence[float], scale: float) -> Floats:
    """Probabilities ∝ exp(score/scale)."""
    weights = np.exp((np.asarray(scores) - max(scores)) / scale)
    return np.asarray(weights / weights.sum())


def permute_and_flip_law(scores: Sequence[float], scale: float) -> Floats:
    """McKenna and Sheldon (2020): visit in random order, take i with probability exp((score_i − max)/scale)."""
    accept = np.exp((np.asarray(scores) - max(scores)) / scale)
    law, orders = np.zeros(len(accept)), list(permutations(range(len(accept))))
    for order in orders:
        left = 1.0
        for index in order:
            law[index] += left * accept[index] / len(orders)
            left *= 1 - accept[index]
    return law


def noisy_maximum_law(scores: Sequence[float] | Floats, means: Sequence[float]) -> Floats:
    """Probability that score_i + Exp(mean_i) is the largest, for each i.

    With gap_j = score_i − score_j and L = max_j (−gap_j)⁺, the others stay below score_i + e, e ≥ L, with probability
    Π (1 − e^(−(e + gap_j)/mean_j)): a sum over subsets S of the others, which can be integrated over e.

        P(i) = Σ_S (−1)^|S| e^(−L/mean_i − Σ_S (L + gap_j)/mean_j) / (1 + Σ_S mean_i/mean_j)
    """
    q, m = np.asarray(scores, dtype=float), np.asarray(means, dtype=float)
    return np.array([_wins(index, q, m) for index in range(len(q))])


def _wins(index: int, scores: Floats, means: Floats) -> float:
    others = [place for place in range(len(scores)) if place != index]
    gaps = scores[index] - scores
    start = max(0.0, -float(gaps.min()))
    total = 0.0
    for size in range(len(others) + 1):
        for chosen in combinations(others, size):
            picked = list(chosen)
            exponent = start / means[index] + float(np.sum((start + gaps[picked]) / means[picked]))
            total += (-1) ** size * math.exp(-exponent) / (1 + float(np.sum(means[index] / means[picked])))
    return total


def above_threshold_law(queries: Sequence[float], threshold: float, threshold_scale: float, scale: float) -> Floats:
    """Probability that each query is the first with q + Lap(scale) ≥ threshold + Lap(threshold_scale); last: none is.

    Integrated over the noise of the threshold with the trapezoid rule.
    """
    shift = np.linspace(-60 * threshold_scale, 60 * threshold_scale, 400_001)
    below = np.exp(-np.abs(shift) / threshold_scale) / (2 * threshold_scale)
    stops = []
    for query in queries:
        under = _laplace_cdf((threshold + shift - query) / scale)
        stops.append(np.trapezoid(below * (1 - under), shift))
        below = below * under
    return np.array([*stops, np.trapezoid(below, shift)])


def _logistic_minimiser(rows: Sequence[tuple[float, float]], l2: float) -> float:
    def slope(theta: float) -> float:
        return l2 * theta - sum(y * x * float(expit(-y * x * theta)) for x, y in rows) / len(rows)

    edge = max(abs(x) for x, _ in rows) / l2 + 1
    return float(brentq(slope, -edge, edge, xtol=1e-14))


def _laplace_cdf(z: Floats) -> Floats:
    tail = np.exp(-np.abs(z)) / 2
    return np.where(z < 0, tail, 1 - tail)
