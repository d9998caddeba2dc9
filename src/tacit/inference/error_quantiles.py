"""Quantiles of |N(0, v) + ⟨c, Z⟩|, Z privacy noise: never below the true ones.

    Gaussian noise:   closed form, the error is N(0, v + σ²‖c‖²)
    spherical noise:  the error is N(0, v + 2V s²‖c‖²), V ~ Γ((d + 1)/2): found by quadrature, then raised until a
                      proven bound of its tail is at most 1 − level
    Laplace noise:    an order statistic of simulated errors, above the quantile with the confidence of `ranks`

By `certified-quantiles`. All of it is post-processing.
"""

from functools import cache

import numpy as np
from scipy.special import gammainccinv, gammaln, ndtr, ndtri, roots_genlaguerre

from tacit.arithmetic import Floats
from tacit.inference.ranks import draws_needed, safe_rank
from tacit.inference.stream import Stream
from tacit.mechanisms import AddedLaw, Gaussian, Laplace, SphericalLaplace

QUADRATURE_NODES = 24
EQUAL_CELLS, HALVED_CELLS = 2048, 30
BISECTIONS = 26
RAISE = 1 + 2.0**-11
DRAWS = 2**14
SMALLEST_DEVIATION = 1e-150


def two_sided_quantiles(
    sampling: Floats, law: AddedLaw, loads: Floats, level: float, released: tuple[Floats, ...]
) -> Floats:
    """q with P(|error| > q) ≤ 1 − level, for each entry of `sampling` (v) and row of `loads` (c).

    What was released seeds the simulation, where there is one. By `certified-quantiles`.
    """
    match law:
        case Gaussian(scale):
            return np.asarray(-ndtri((1 - level) / 2) * np.sqrt(sampling + scale**2 * _squares(loads)))
        case SphericalLaplace(scale):
            return _mixture_quantiles(sampling, 2 * scale**2 * _squares(loads), loads.shape[1], level)
        case Laplace(scale):
            return _simulated_quantiles(sampling, scale * loads, level, Stream(*released))
    raise TypeError(f"no quantiles for {law.name}")


def two_sided_tails(
    sampling: Floats, law: AddedLaw, loads: Floats, distances: Floats, released: tuple[Floats, ...]
) -> Floats:
    """P(|error| > distance) for the same errors, exact or bounded from above; simulated shares count one draw more.

    By `certified-quantiles`.
    """
    match law:
        case Gaussian(scale):
            deviations = np.sqrt(sampling + scale**2 * _squares(loads))
            return np.asarray(2 * ndtr(-distances / np.maximum(deviations, SMALLEST_DEVIATION)))
        case SphericalLaplace(scale):
            return np.minimum(1.0, tail_bound(distances, sampling, 2 * scale**2 * _squares(loads), loads.shape[1]))
        case Laplace(scale):
            errors = _simulated_errors(sampling, scale * loads, DRAWS, Stream(*released))
            return np.asarray((np.sum(np.abs(errors) >= distances, axis=0) + 1) / (DRAWS + 1))
    raise TypeError(f"no tails for {law.name}")


def tail_bound(quantiles: Floats, sampling: Floats, spread: Floats, width: int) -> Floats:
    """An upper bound of P(|N(0, v + V u)| > q), V ~ Γ((d + 1)/2), for v in `sampling`, u in `spread`.

    The tail grows with V: in every cell of a partition of its law V is replaced by the upper end of the cell, and above
    the last end by infinity. By `certified-quantiles`.
    """
    ends, weights, rest = _cells(width)
    deviations = np.sqrt(sampling[:, None] + np.outer(spread, ends))
    return np.asarray(_normal_tails(quantiles, deviations) @ weights + rest)


def _mixture_quantiles(sampling: Floats, spread: Floats, width: int, level: float) -> Floats:
    quantiles = RAISE * _quadrature_quantiles(sampling, spread, width, level)
    while np.any(exceeded := tail_bound(quantiles, sampling, spread, width) > 1 - level):
        quantiles = np.where(exceeded, RAISE * quantiles, quantiles)
    return quantiles


def _quadrature_quantiles(sampling: Floats, spread: Floats, width: int, level: float) -> Floats:
    """A first guess, by Gauss-Laguerre quadrature and bisection."""
    nodes, weights = _laguerre(width)
    deviations = np.sqrt(sampling[:, None] + np.outer(spread, nodes))
    low = np.zeros(len(deviations))
    high = np.maximum(deviations.max(axis=1), SMALLEST_DEVIATION)
    while np.any(short := _normal_tails(high, deviations) @ weights > 1 - level):
        low, high = np.where(short, high, low), np.where(short, 2 * high, high)
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        short = _normal_tails(middle, deviations) @ weights > 1 - level
        low, high = np.where(short, middle, low), np.where(short, high, middle)
    return np.asarray(high)


def _simulated_quantiles(sampling: Floats, loads: Floats, level: float, stream: Stream) -> Floats:
    count = max(DRAWS, draws_needed(level))
    errors = _simulated_errors(sampling, loads, count, stream)
    return np.asarray(np.sort(np.abs(errors), axis=0)[safe_rank(count, level)])


def _simulated_errors(sampling: Floats, loads: Floats, count: int, stream: Stream) -> Floats:
    return np.asarray(stream.laplaces(count, loads.shape[1]) @ loads.T + stream.normals(count, 1) * np.sqrt(sampling))


def _squares(loads: Floats) -> Floats:
    return np.asarray(np.einsum("ij,ij->i", loads, loads))


def _normal_tails(quantiles: Floats, deviations: Floats) -> Floats:
    return np.asarray(2 * ndtr(-quantiles[:, None] / np.maximum(deviations, SMALLEST_DEVIATION)))


@cache
def _laguerre(width: int) -> tuple[Floats, Floats]:
    order = (width - 1) / 2
    nodes, weights = roots_genlaguerre(QUADRATURE_NODES, order)
    return nodes, weights / np.exp(gammaln(order + 1))


@cache
def _cells(width: int) -> tuple[Floats, Floats, float]:
    """(upper ends, probabilities, what is left above): equal cells, the last one halved again and again."""
    equal = 1 - np.arange(EQUAL_CELLS) / EQUAL_CELLS
    above = np.concatenate([equal, equal[-1] * 0.5 ** np.arange(1, HALVED_CELLS + 1)])
    ends: Floats = np.asarray(gammainccinv((width + 1) / 2, above[1:]), dtype=np.float64)
    return ends, -np.diff(above), float(above[-1])
