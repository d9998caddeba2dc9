"""The law test: do draws of a noise follow the law that its proof is about?"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import kstwo

from tacit.arithmetic import Floats


def law_holds(sample: ArrayLike, cdf: Callable[[Floats], Floats], alpha: float = 1e-6) -> bool:
    """Whether the draws agree with the distribution function; a correct sampler fails with probability at most α.

    Kolmogorov and Smirnov's test: the sharpest of the auditors for noise alone, and it needs to see the noise.
    """
    ordered = np.sort(np.ravel(np.asarray(sample, dtype=float)))
    n = ordered.size
    expected = cdf(ordered)
    gap = max(np.max(np.arange(1, n + 1) / n - expected), np.max(expected - np.arange(n) / n))
    return bool(kstwo.sf(gap, n) >= alpha)
