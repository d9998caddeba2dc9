"""Attacks on the low bits of a release: they break noise added in floating point and not ours.

Two tests of reachability, each a proof when it says no: could `output` be value + a Laplace sample of
numpy's generator (Mironov 2012), and could it be the rounded sum of value and *any* binary64 number
(Haney, Desfontaines, Hartman, Shrestha, Hay 2022)? The neighbours differ by so little (ε below 1e-9)
that nobody may decide between them better than by a fair coin.
"""

import math
from collections.abc import Callable

import numpy as np
import pytest

from noise_support import Floats, assert_share
from tacit.noise import SystemEntropy, gaussian, laplace, spherical_laplace

TRIALS = 400
Reachable = Callable[[float, float], bool]
rng = np.random.default_rng()


def reachable_by_numpy_laplace(output: float, value: float) -> bool:
    noise = output - value
    tail = math.exp(-abs(noise)) * 2**52
    nearest = round(2**53 - tail) if noise > 0 else round(tail)
    for step in range(max(1, nearest - 6), min(2**53 - 1, nearest + 6) + 1):
        uniform = step * 2.0**-53
        sample = -math.log(2.0 - uniform - uniform) if uniform >= 0.5 else math.log(uniform + uniform)
        if value + sample == output:
            return True
    return False


def reachable_by_rounding(output: float, value: float) -> bool:
    noise = output - value
    around = (noise, math.nextafter(noise, math.inf), math.nextafter(noise, -math.inf))
    return any(value + candidate == output for candidate in around)


def correct_decisions(
    mechanism: Callable[[Floats], Floats], first: Floats, second: Floats, reachable: Reachable
) -> int:
    """Guess which of two vectors was released: the one with fewer refuted coordinates, else a coin."""
    correct = 0
    for truth in rng.integers(2, size=TRIALS):
        released = mechanism(second if truth else first)
        refuted = [
            sum(not reachable(float(y), float(v)) for y, v in zip(released, values, strict=True))
            for values in (first, second)
        ]
        guess = rng.integers(2) if refuted[0] == refuted[1] else int(refuted[0] > refuted[1])
        correct += int(guess == truth)
    return correct


def naive_spherical(values: Floats) -> Floats:
    direction = rng.normal(size=values.size)
    return values + rng.gamma(values.size) * direction / np.linalg.norm(direction)


def close_pair(size: int) -> tuple[Floats, Floats]:
    first = rng.normal(size=size)
    return first, first + 2.0**-40 * rng.random(size)


ATTACKS = {
    "laplace, inverted sampler": (
        lambda values: values + rng.laplace(size=values.size),
        lambda values: laplace(values, 1.0, SystemEntropy()),
        lambda: (np.zeros(10), np.full(10, 2.0**-50 / 10)),
        reachable_by_numpy_laplace,
    ),
    "laplace, precision": (
        lambda values: values + rng.laplace(size=values.size),
        lambda values: laplace(values, 1.0, SystemEntropy()),
        lambda: close_pair(40),
        reachable_by_rounding,
    ),
    "gaussian, precision": (
        lambda values: values + rng.normal(size=values.size),
        lambda values: gaussian(values, 1.0, SystemEntropy()),
        lambda: close_pair(40),
        reachable_by_rounding,
    ),
    "spherical, precision": (
        naive_spherical,
        lambda values: spherical_laplace(values, 1.0, SystemEntropy()),
        lambda: close_pair(40),
        reachable_by_rounding,
    ),
}


@pytest.mark.statistical
@pytest.mark.proof("certified-rounding")
@pytest.mark.parametrize("attack", ATTACKS)
def test_attack_breaks_floating_point_noise_and_is_a_coin_on_ours(attack):
    naive, ours, pair, reachable = ATTACKS[attack]
    first, second = pair()
    assert_share(correct_decisions(ours, first, second, reachable), TRIALS, 0.5)
    with pytest.raises(AssertionError):
        assert_share(correct_decisions(naive, first, second, reachable), TRIALS, 0.5)
