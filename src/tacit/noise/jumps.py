"""The random spread by which spherical noise grows from one level of a ladder to the next."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from tacit.noise import balls, kernel
from tacit.noise.balls import Ball
from tacit.noise.entropy import Entropy
from tacit.noise.laws import StringBank, root_of_sum


class JumpSpread:
    """scale·√(2V) with E exp(-x V) = ((1 + keep x)/(1 + x))^(halves/2), by `spherical-ladder`.

    Added to spherical noise of scale √keep·scale in halves-1 dimensions, this spread times N(0, I) makes
    spherical noise of the full scale. V is a sum of independent parts:

    - ⌊halves/2⌋ parts max(0, log(1-keep) - log U): 0 with probability keep, else Exp(1);
    - if halves is odd, M max(0, log((1-keep) sin²θ / M) - log U) with M = keep cos²θ + sin²θ and θ a
      uniform angle: 0 with probability keep/M, else Exp with mean M.
    """

    def __init__(self, scale: Fraction, keep: Fraction, halves: int, entropy: Entropy) -> None:
        self._scale = scale
        self._keep = keep
        self._whole = entropy.words(halves // 2)
        self._half = entropy.words(2) if halves % 2 else entropy.words(0)
        self._strings = StringBank(entropy)

    def interval(self) -> tuple[float, float]:
        with balls.precision(balls.WORD):
            shift, shift_bound = balls.as_interval(balls.rational(1 - self._keep).log())
            half = balls.as_interval(self._half_part(balls.WORD)) if self._half.size else (0.0, 0.0)
        centre, bound = kernel.exponential(self._whole, 64)
        centre += shift
        bound += shift_bound + kernel.CLAIM * np.abs(centre)
        open_or_positive = ~(centre + bound <= 0.0)
        parts = np.maximum(centre[open_or_positive], 0.0).tolist()
        errors = bound[open_or_positive].tolist()
        return root_of_sum(float(self._scale), [*parts, half[0]], [*errors, half[1]])

    def ball(self, bits: int) -> Ball:
        shift = balls.rational(1 - self._keep).log()
        energy = sum(
            balls.positive_part(balls.exponential(uniform) + shift)
            for uniform in self._strings.balls(self._whole, bits)
        )
        if self._half.size:
            energy += self._half_part(bits)
        return balls.rational(self._scale) * balls.square_root(2 * energy)

    def _half_part(self, bits: int) -> Ball:
        uniform, turn = self._strings.balls(self._half, bits, offset=self._whole.size)
        sine, cosine = (2 * turn).sin_cos_pi()
        mean = balls.rational(self._keep) * cosine**2 + sine**2
        shift = (balls.rational(1 - self._keep) * sine**2 / mean).log()
        return mean * balls.positive_part(balls.exponential(uniform) + shift)
