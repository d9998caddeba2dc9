"""Who trains and who validates: decided by position alone, in an order that everybody knows.

The order is a fixed pseudo-random permutation of the positions, a function of n. It is no secret and hides nothing; it
only keeps a table that is sorted (by date, by label) from putting all of one kind into one part. A replaced row is in
exactly one part, whatever it says.
"""

import numpy as np

from tacit.errors import ParameterError
from tacit.noise import SeededEntropy
from tacit.rows import Positions

PUBLIC_SEED = 2013


def public_parts(n: int, sizes: list[int]) -> list[Positions]:
    """Disjoint parts of the positions 0..n−1 of these sizes, each in increasing order."""
    if min(sizes) < 1 or sum(sizes) > n:
        raise ParameterError(f"{n} rows are too few for {len(sizes)} disjoint parts of at least one row each")
    order = np.argsort(SeededEntropy(PUBLIC_SEED).words(n), kind="stable")
    stops = np.cumsum(sizes)
    return [np.sort(order[stop - size : stop]) for size, stop in zip(sizes, stops, strict=True)]


def validation_size(n: int, share: float) -> int:
    """Rows to validate on: the share of n, at least one, and at least one left to train on."""
    if not 0 < share < 1:
        raise ParameterError(f"validation must be a share of the rows between 0 and 1, got {share!r}")
    if n < 2:
        raise ParameterError("found n_samples = 1; a search needs at least two rows, one to train and one to validate")
    return min(n - 1, max(1, round(share * n)))
