"""The floating-point attack: from the bits of a release, tell which of two tables cannot have produced it.

Mironov (2012): fl(θ + z) with z from a textbook sampler reaches only some of the floats near θ, and which ones depends
on θ. Two tests, each a proof when it fires:

    precision:  no float z at all gives fl(θ + z) = y
    sampler:    no uniform that numpy's Laplace sampler could have drawn gives y

An event of probability 0 on one table and p on the other costs any ε; `reachability` measures p on both sides.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tacit.arithmetic import Floats
from tacit.audit.interval import at_least, at_most

NEIGHBOURS = 6


def reachability(
    release: Callable[[Any], ArrayLike],
    pair: tuple[ArrayLike, ArrayLike],
    runs: int = 1000,
    confidence: float = 0.999,
    *,
    scale: float | None = None,
) -> float:
    """ε that the bits of `release(values)` give away on two vectors of values; at least 0.

    scale: also try the values that numpy's Laplace sampler of this scale can add. The events (refutes the first,
    refutes the second, and not the other) are fixed before a run, so each of four limits takes α/4. By
    `audit-lower-bound`.
    """
    first, second = (np.atleast_1d(np.asarray(values, dtype=float)) for values in pair)
    counts = [_refutations(release, truth, (first, second), runs, scale) for truth in (first, second)]
    limit = (1 - confidence) / 4
    bounds = [0.0]
    for guess in (0, 1):
        low = float(at_least(counts[guess][guess], runs, limit))
        high = float(at_most(counts[1 - guess][guess], runs, limit))
        bounds.append(math.log(low / high) if low > 0 else 0.0)
    return max(bounds)


def _refutations(
    release: Callable[[Any], ArrayLike], truth: Floats, pair: tuple[Floats, Floats], runs: int, scale: float | None
) -> list[int]:
    """How often each of the two vectors is the only one that can have led to the release."""
    alone = [0, 0]
    for _ in range(runs):
        noisy = np.atleast_1d(np.asarray(release(truth), dtype=float))
        possible = [reachable(noisy, values, scale) for values in pair]
        if possible[0] != possible[1]:
            alone[0 if possible[0] else 1] += 1
    return alone


def reachable(noisy: Floats, values: Floats, scale: float | None) -> bool:
    """Whether every coordinate of `noisy` can have come from `values`."""
    if not np.all(precise_enough(noisy, values)):
        return False
    return scale is None or all(drawn_by_numpy(float(y), float(v), scale) for y, v in zip(noisy, values, strict=True))


def precise_enough(noisy: Floats, values: Floats) -> Floats:
    """Whether some float z gives fl(value + z) = noisy, entry by entry."""
    gap = noisy - values
    tries = (gap, np.nextafter(gap, np.inf), np.nextafter(gap, -np.inf))
    return np.asarray(np.any([values + z == noisy for z in tries], axis=0))


def drawn_by_numpy(noisy: float, value: float, scale: float) -> bool:
    """Whether numpy.random.Generator.laplace could have added the difference: U = j 2^−53, inverted near the answer."""
    gap = noisy - value
    tail = math.exp(-abs(gap) / scale) * 2.0**52
    centre = round(2.0**53 - tail) if gap > 0 else round(tail)
    for j in range(max(1, centre - NEIGHBOURS), min(2**53 - 1, centre + NEIGHBOURS) + 1):
        u = j * 2.0**-53
        draw = -scale * math.log(2.0 - u - u) if u >= 0.5 else scale * math.log(u + u)
        if value + draw == noisy:
            return True
    return False
