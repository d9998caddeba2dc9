"""Exact binomial confidence limits (Clopper and Pearson 1934)."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv

from tacit.arithmetic import Floats


def at_least(hits: ArrayLike, trials: int, alpha: float) -> Floats:
    """A lower limit for the probability of a hit, too high with probability at most α. By `audit-lower-bound`."""
    k = np.asarray(hits, dtype=float)
    return np.where(k > 0, betaincinv(np.maximum(k, 1e-9), trials - k + 1, alpha), 0.0)


def at_most(hits: ArrayLike, trials: int, alpha: float) -> Floats:
    """An upper limit for the probability of a hit, too low with probability at most α. By `audit-lower-bound`."""
    k = np.asarray(hits, dtype=float)
    return np.where(k < trials, betaincinv(k + 1, np.maximum(trials - k, 1e-9), 1 - alpha), 1.0)
