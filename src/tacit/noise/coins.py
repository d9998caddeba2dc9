"""Exact coins: Bernoulli variables with rational probability."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ParameterError
from tacit.noise.balls import WORD
from tacit.noise.entropy import Entropy


def bernoulli(probability: Fraction, size: int, entropy: Entropy) -> NDArray[np.bool_]:
    """`size` independent coins, True with exactly the given probability, by `lazy-comparison`.

    A coin is [U < p] for a uniform U drawn bit by bit: the first word settles it unless it equals the
    first 64 bits of p, which has probability 2^-64.
    """
    if not 0 <= probability <= 1:
        raise ParameterError(f"probability must lie in [0, 1], not {probability}.")
    words = entropy.words(size)
    if probability == 1:
        return np.ones(size, dtype=np.bool_)
    leading = int(probability * 2**WORD)
    heads = words < np.uint64(leading)
    for index in np.flatnonzero(words == np.uint64(leading)):
        heads[index] = _below(probability * 2**WORD - leading, entropy)
    return heads


def _below(probability: Fraction, entropy: Entropy) -> bool:
    """[U < p] for a fresh U, by as many words as it takes."""
    while probability:
        leading = int(probability * 2**WORD)
        word = entropy.more()
        if word != leading:
            return word < leading
        probability = probability * 2**WORD - leading
    return False
