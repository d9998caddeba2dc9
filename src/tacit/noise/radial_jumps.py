"""The noise of a spherical ladder: random spreads, by which a vector of normals is added from level to level."""

from __future__ import annotations

import numpy as np

from tacit.noise import balls, kernel
from tacit.noise.balls import Ball
from tacit.noise.entropy import Entropy
from tacit.noise.jump_times import added_up, draw_jumps
from tacit.noise.kernel import Enclosure
from tacit.noise.laws import StringBank
from tacit.noise.scales import Scales

SMALL_SINE = 1 / 16
"""Half parts at an angle whose sine is smaller are enclosed by balls: their logarithm would lose digits."""


class RadialJumps:
    """scale_t·√(2V_t) for every level, with E exp(-x V_t) = ((1 + keep x)/(1 + x))^(halves/2), by `spherical-ladder`.

    keep is (scale_{t+1}/scale_t)², and 0 at the last level. V_t is a sum of independent parts:

    - ⌊halves/2⌋ parts that are 0 with probability keep, else Exp(1): they jump as coordinates of a Laplace ladder do;
    - if halves is odd, M max(0, log((1-keep) sin²θ / M) - log U) with M = keep cos²θ + sin²θ and θ a
      uniform angle: 0 with probability keep/M, else Exp with mean M.
    """

    def __init__(self, halves: int, scales: Scales, entropy: Entropy) -> None:
        self._scales = scales
        self._jumps = draw_jumps(halves // 2, scales, entropy)
        words = entropy.words(2 * len(scales) * (halves % 2))
        self._uniforms, self._turns = words[: words.size // 2], words[words.size // 2 :]
        self._strings = StringBank(entropy)
        self._spread_balls: dict[tuple[int, int], Ball] = {}

    def enclosure(self) -> Enclosure:
        """The spreads of all levels. |√a - √b| <= |a - b| / √a; by `binary64-enclosures`."""
        energy, error = self._whole_parts()
        if self._uniforms.size:
            half = self._half_parts()
            energy, error = energy + half.centre, error + half.bound + kernel.ADDITION * energy
        root = np.sqrt(2.0 * energy)
        with np.errstate(divide="ignore", invalid="ignore"):
            bound = np.where(energy > 0.0, 2.0 * error / root + kernel.CLAIM * root, np.sqrt(2.0 * error))
        scale = self._scales.floats
        return Enclosure(scale * root, scale * bound * (1.0 + kernel.CLAIM))

    def ball(self, level: int, bits: int) -> Ball:
        if (level, bits) not in self._spread_balls:
            places = np.flatnonzero(self._jumps.level == level)
            uniforms = [self._strings.ball(int(place), self._jumps.word[place], bits) for place in places]
            energy = balls.exponential(balls.product(uniforms))
            if self._uniforms.size:
                energy += self._half_part(level, bits)
            scale = balls.rational(self._scales.exact(level))
            self._spread_balls[level, bits] = scale * balls.square_root(2 * energy)
        return self._spread_balls[level, bits]

    def _whole_parts(self) -> Enclosure:
        """Sums of the exponentials of each level, with 8u of their size for each addition."""
        levels = len(self._scales)
        centre, bound = kernel.exponential(self._jumps.word, 64)
        most = int(np.bincount(self._jumps.level).max(initial=0)) + 1
        bound += most * kernel.ADDITION * centre
        return Enclosure(added_up(self._jumps.level, centre, levels), added_up(self._jumps.level, bound, levels))

    def _half_parts(self) -> Enclosure:
        """M max(0, E - L), L = -log((1-keep) S/M), S = sin²θ, within 2^-43/|sin θ| relatively in S, M and their ratio.

        By `binary64-enclosures`.
        """
        chance = self._scales.jump_chances
        exponential, error = kernel.exponential(self._uniforms, 64)
        cosine, sine = kernel.cosine_sine(self._turns)
        loose = 16.0 * kernel.CLAIM / np.maximum(np.abs(sine), SMALL_SINE)
        square = sine * sine
        mean = self._scales.kept_shares * (cosine * cosine) + square
        shift = kernel.minus_logarithm(np.maximum(chance * square / mean, 2.0**-100))
        centre = exponential - shift
        error += 2.0 * loose + kernel.CLAIM * (1.0 + shift + np.abs(centre))
        certainly_zero = centre + error <= 0.0
        centre = np.maximum(centre, 0.0) * mean
        error = np.where(certainly_zero, 0.0, 2.0 * mean * error + loose * centre)
        for level in np.flatnonzero(np.abs(sine) < SMALL_SINE):
            with balls.precision(balls.WORD):
                centre[level], error[level] = balls.as_interval(self._half_part(int(level), balls.WORD))
        return Enclosure(centre, error)

    def _half_part(self, level: int, bits: int) -> Ball:
        offset, keep = self._jumps.word.size + 2 * level, balls.rational(self._scales.kept(level))
        uniform = self._strings.ball(offset, self._uniforms[level], bits)
        sine, cosine = (2 * self._strings.ball(offset + 1, self._turns[level], bits)).sin_cos_pi()
        mean = keep * cosine**2 + sine**2
        shift = ((1 - keep) * sine**2 / mean).log()
        return mean * balls.positive_part(balls.exponential(uniform) + shift)
