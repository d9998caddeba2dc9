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
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tacit.arithmetic import Floats
from tacit.errors import ParameterError
from tacit.noise.balls import Ball
from tacit.noise.entropy import Entropy
from tacit.noise.grid import GRID_BITS, Number, binary_exponent, clamped, exact_variance, spherical_bits
from tacit.noise.kernel import Enclosure
from tacit.noise.laplace_jumps import LaplaceJumps
from tacit.noise.laws import FixedSpread
from tacit.noise.normal_steps import FixedSpreads, NormalSteps
from tacit.noise.radial_jumps import RadialJumps
from tacit.noise.rounding import Evaluator, release_flat
from tacit.noise.scales import Scales, refuse_unless_decreasing


class LadderNoise(Protocol):
    """X_t for every level t, as exact reals."""

    def enclosure(self, levels: slice) -> Enclosure:
        """Binary64 enclosures, one row a level."""
        ...

    def ball(self, level: int, index: int, bits: int) -> Ball:
        """Ball around one coordinate of one level, from `bits` bits of each string."""
        ...


class _Ladder:
    """One vector under the noise of each level. Cannot be pickled: it holds secrets."""

    def __init__(self, values: ArrayLike, noise: LadderNoise, exponents: NDArray[np.int64]) -> None:
        # One clamped vector serves all levels: with a limit of its own, a noisier level could tell
        # something that the less noisy ones do not imply.
        self._values = clamped(values, int(exponents.min()))
        self._shape = np.shape(values)
        self._noise = noise
        self._exponents = exponents
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._exponents)

    def release(self, level: int, *, evaluator: Evaluator | None = None) -> Floats:
        """R_g(f + X_level), the same however often it is asked for."""
        return np.asarray(self.releases(level, level + 1, evaluator=evaluator)[0])

    def releases(self, start: int, stop: int, *, evaluator: Evaluator | None = None) -> Floats:
        """The releases of levels start..stop-1, one row a level: the same as level by level."""
        if not 0 <= start < stop <= len(self):
            asked = f"{start}" if stop == start + 1 else f"{start}..{stop - 1}"
            raise ParameterError(f"level must lie in 0..{len(self) - 1} (0 is the noisiest), not {asked}.")
        values = np.broadcast_to(self._values, (stop - start, self._values.size))
        noise = _Stretch(self._noise, start, stop, self._values.size)
        with self._lock:
            rows = release_flat(values, noise, self._exponents[start:stop, None], evaluator)
        return rows.reshape(stop - start, *self._shape)


class _Stretch:
    """Some consecutive levels as one array of reals."""

    def __init__(self, noise: LadderNoise, start: int, stop: int, size: int) -> None:
        self._noise = noise
        self._start = start
        self._size = size
        self._enclosure = noise.enclosure(slice(start, stop))

    def enclosure(self, block: slice) -> Enclosure:
        return Enclosure(self._enclosure.centre[:, block], self._enclosure.bound[:, block])

    def ball(self, index: int, bits: int) -> Ball:
        level, place = divmod(index, self._size)
        return self._noise.ball(self._start + level, place, bits)


class LaplaceLadder(_Ladder):
    """Independent Laplace(scale_t) at level t, scales decreasing, by `laplace-ladder`.

    Going up a level, each coordinate stays with probability (scale_{t+1}/scale_t)² by a coin of its own and
    otherwise gains an independent Laplace(scale_t). With ℓ1 sensitivity Δ, levels 0..t cost Δ/scale_t.
    """

    def __init__(self, values: ArrayLike, scales: Sequence[Number], entropy: Entropy) -> None:
        exact = Scales(scales)
        noise = LaplaceJumps(int(np.size(values)), exact, entropy)
        super().__init__(values, noise, exact.binary_exponents - GRID_BITS)


class SphericalLadder(_Ladder):
    """Spherical Laplace noise, density ∝ exp(-|z|₂/scale_t), at level t, by `spherical-ladder`.

    With ℓ2 sensitivity Δ, levels 0..t cost Δ/scale_t.
    """

    def __init__(self, values: ArrayLike, scales: Sequence[Number], entropy: Entropy) -> None:
        exact, size = Scales(scales), int(np.size(values))
        noise = NormalSteps(size, len(exact), RadialJumps(size + 1, exact, entropy), entropy)
        super().__init__(values, noise, exact.binary_exponents - GRID_BITS + spherical_bits(size))


class BrownianLadder(_Ladder):
    """N(0, variance_t I) at level t: a Brownian motion run backwards, by `brownian-ladder`.

    Going up a level adds an independent N(0, variance_t - variance_{t+1}).
    """

    def __init__(self, values: ArrayLike, variances: Sequence[Number], entropy: Entropy) -> None:
        exact = [exact_variance("every variance", each) for each in variances]
        refuse_unless_decreasing("variances", exact)
        steps = [FixedSpread(coarse - fine) for coarse, fine in zip(exact, [*exact[1:], Fraction(0)], strict=True)]
        noise = NormalSteps(int(np.size(values)), len(exact), FixedSpreads(steps), entropy)
        super().__init__(values, noise, np.array([binary_exponent(each) // 2 - GRID_BITS for each in exact]))
