"""Order statistics that are above a quantile with known confidence, whatever the law of the draws.

The number of draws below the `level` quantile is binomial(count, level), so the draw of rank r (from 0) is at or above
it with probability P(binomial ≤ r). By `certified-quantiles`.
"""

import math

from tacit.errors import ParameterError

CONFIDENCE = 0.95
HIGHEST_SIMULATED_LEVEL = 0.9999


def safe_rank(count: int, level: float) -> int:
    """The least rank that is safe with the stated confidence. By `certified-quantiles`."""
    from scipy.stats import binom  # slow to load, and needed for intervals only

    rank = int(binom.ppf(CONFIDENCE, count, level))
    if rank >= count:
        raise ValueError(f"{count} draws are too few for level {level}; draw {draws_needed(level)}")
    return rank


def draws_needed(level: float) -> int:
    """The fewest draws whose largest is safe: level^count ≤ 1 − confidence."""
    if level > HIGHEST_SIMULATED_LEVEL:
        raise ParameterError(f"simulated intervals have a level of at most {HIGHEST_SIMULATED_LEVEL}, got {level!r}")
    return math.ceil(math.log(1 - CONFIDENCE) / math.log(level)) + 1
