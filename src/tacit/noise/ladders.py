"""Noise reduction: one value, released with less and less noise, for the price of the last release.

Level 0 is the noisiest. The noise of level t is X_t = X_{t+1} + W_t with W_t independent of the rest, so
the releases of levels 0..t are a randomised function of that of level t, and seeing all of them costs
no more than seeing the last. All reals are fixed by the words drawn at construction; a release is
R_g(f + X_t) of these reals, hence the joint law is a post-processing of the ideal joint law.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from tacit.errors import ParameterError
from tacit.noise import kernel
from tacit.noise.balls import Ball
from tacit.noise.entropy import Entropy
from tacit.noise.grid import (
    GRID_BITS,
    Floats,
    Number,
    binary_exponent,
    clamped,
    exact_scale,
    exact_variance,
    grid_exponent,
    spherical_grid_exponent,
)
from tacit.noise.jumps import JumpSpread
from tacit.noise.kernel import Enclosure
from tacit.noise.laws import FixedSpread, GammaSpread, LaplaceNoise, NormalNoise
from tacit.noise.rounding import Evaluator, RealNoise, release


class _Ladder:
    """Partial sums of independent steps, released level by level. Cannot be pickled: it holds secrets."""

    def __init__(self, values: ArrayLike, steps: Sequence[RealNoise], exponents: Sequence[int]) -> None:
        # One clamped vector serves all levels: with a limit of its own, a noisier level could tell
        # something that the less noisy ones do not imply.
        self._values = clamped(values, min(exponents)).reshape(np.shape(values))
        self._steps = list(steps)
        self._exponents = list(exponents)
        self._sums: list[Enclosure] = []
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._steps)

    def release(self, level: int, *, evaluator: Evaluator | None = None) -> Floats:
        """R_g(f + X_level), the same however often it is asked for."""
        if not 0 <= level < len(self):
            raise ParameterError(f"level must lie in 0..{len(self) - 1} (0 is the noisiest), not {level}.")
        with self._lock:
            noise = _Tail(self._steps[level:], self._sum(level))
            return release(self._values, noise, self._exponents[level], evaluator)

    def _sum(self, level: int) -> Enclosure:
        """Enclosure of X_level, extended from the least noisy level one step at a time."""
        while len(self._sums) < len(self) - level:
            step = self._steps[len(self) - 1 - len(self._sums)].enclosure(slice(None))
            self._sums.append(kernel.total(self._sums[-1], step) if self._sums else step)
        return self._sums[len(self) - 1 - level]


class _Tail:
    """X_t = W_t + W_{t+1} + ... as one vector of reals."""

    def __init__(self, steps: Sequence[RealNoise], sums: Enclosure) -> None:
        self._steps = steps
        self._sums = sums

    def enclosure(self, block: slice) -> Enclosure:
        return Enclosure(self._sums.centre[block], self._sums.bound[block])

    def ball(self, index: int, bits: int) -> Ball:
        return sum(step.ball(index, bits) for step in self._steps)


class LaplaceLadder(_Ladder):
    """Independent Laplace(scale_t) at level t, scales decreasing, by `laplace-ladder`.

    Going up a level, each coordinate stays with probability (scale_{t+1}/scale_t)² by a coin of its own and
    otherwise gains an independent Laplace(scale_t). With ℓ1 sensitivity Δ, levels 0..t cost Δ/scale_t.
    """

    def __init__(self, values: ArrayLike, scales: Sequence[Number], entropy: Entropy) -> None:
        exact = _decreasing("scales", [exact_scale("every scale", scale) for scale in scales])
        size = int(np.size(values))
        steps = [
            LaplaceNoise(size, coarse, entropy, keep) for coarse, keep in zip(exact, _kept_shares(exact), strict=True)
        ]
        super().__init__(values, steps, [grid_exponent(scale) for scale in exact])


class SphericalLadder(_Ladder):
    """Spherical Laplace noise, density ∝ exp(-|z|₂/scale_t), at level t, by `spherical-ladder`.

    With ℓ2 sensitivity Δ, levels 0..t cost Δ/scale_t.
    """

    def __init__(self, values: ArrayLike, scales: Sequence[Number], entropy: Entropy) -> None:
        exact = _decreasing("scales", [exact_scale("every scale", scale) for scale in scales])
        size = int(np.size(values))
        steps = [
            NormalNoise(size, JumpSpread(coarse, keep, size + 1, entropy), entropy)
            for coarse, keep in zip(exact[:-1], _kept_shares(exact)[:-1], strict=True)
        ]
        steps.append(NormalNoise(size, GammaSpread(exact[-1], size + 1, entropy), entropy))
        super().__init__(values, steps, [spherical_grid_exponent(scale, size) for scale in exact])


class BrownianLadder(_Ladder):
    """N(0, variance_t I) at level t: a Brownian motion run backwards, by `brownian-ladder`.

    Going up a level adds an independent N(0, variance_t - variance_{t+1}).
    """

    def __init__(self, values: ArrayLike, variances: Sequence[Number], entropy: Entropy) -> None:
        exact = _decreasing("variances", [exact_variance("every variance", each) for each in variances])
        size = int(np.size(values))
        steps = [
            NormalNoise(size, FixedSpread(coarse - fine), entropy)
            for coarse, fine in zip(exact, [*exact[1:], Fraction(0)], strict=True)
        ]
        super().__init__(values, steps, [binary_exponent(each) // 2 - GRID_BITS for each in exact])


def _kept_shares(scales: Sequence[Fraction]) -> list[Fraction]:
    """(scale_{t+1}/scale_t)², and 0 for the last level, which starts from nothing; by `laplace-ladder`."""
    return [(fine / coarse) ** 2 for coarse, fine in zip(scales, [*scales[1:], Fraction(0)], strict=True)]


def _decreasing(name: str, levels: list[Fraction]) -> list[Fraction]:
    if not levels or any(fine >= coarse for coarse, fine in pairwise(levels)):
        raise ParameterError(f"{name} must be a non-empty, strictly decreasing list: the noisiest level first.")
    return levels
