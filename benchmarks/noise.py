"""Cost of exact noise, beside OpenDP in the same run. `python -m benchmarks.noise [--quick]` prints a table.

Times are process CPU seconds, the minimum over repeats. `ratio` is OpenDP's time over ours (larger is
better for us); where there is nothing to compare with, it is the target over ours.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import opendp.prelude as dp

from tacit import noise

SCALE = 0.37
OPENDP_GRID = -40
LADDER_LEVELS = 20
LADDER_TARGET = 0.010


def run(quick: bool = False) -> list[dict[str, Any]]:
    """One row a case: name, seconds, other, other_seconds, ratio, required."""
    dp.enable_features("contrib", "honest-but-curious")
    repeats = 3 if quick else 9
    return [
        *_vectors(100_000, repeats),
        *_selection(2_000_000, repeats),
        *_ladders(100, repeats),
        _above_threshold(repeats),
    ]


def _cpu_seconds(work: Callable[[], object], repeats: int) -> float:
    best = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def _row(name: str, seconds: float, other: str, other_seconds: float, required: float) -> dict[str, Any]:
    return {
        "name": name,
        "seconds": seconds,
        "other": other,
        "other_seconds": other_seconds,
        "ratio": other_seconds / seconds,
        "required": required,
    }


def _vectors(size: int, repeats: int) -> list[dict[str, Any]]:
    values, entropy = np.random.default_rng(0).normal(size=size), noise.SystemEntropy()
    domain = dp.vector_domain(dp.atom_domain(T=float, nan=False), size=size)
    theirs = {
        "laplace": dp.m.make_laplace(domain, dp.l1_distance(T=float), scale=SCALE, k=OPENDP_GRID),
        "gaussian": dp.m.make_gaussian(domain, dp.l2_distance(T=float), scale=SCALE, k=OPENDP_GRID),
    }
    seconds = {name: _cpu_seconds(lambda m=m: m(values), max(2, repeats // 3)) for name, m in theirs.items()}
    cases = [
        (noise.laplace, "laplace", 10.0),
        (noise.gaussian, "gaussian", 10.0),
        (noise.spherical_laplace, "laplace", 10.0),
    ]
    return [
        _row(
            f"{law.__name__}, d = {size}",
            _cpu_seconds(lambda law=law: law(values, SCALE, entropy), repeats),
            f"opendp make_{other}, k = {OPENDP_GRID}",
            seconds[other],
            required,
        )
        for law, other, required in cases
    ]


def _selection(size: int, repeats: int) -> list[dict[str, Any]]:
    scores, entropy = 3 * np.random.default_rng(0).random(size), noise.SystemEntropy()
    space = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.linf_distance(T=float)
    rows = []
    for ours, measure, name in (
        (noise.permute_and_flip, dp.max_divergence(), "permute-and-flip"),
        (noise.exponential_mechanism, dp.zero_concentrated_divergence(), "exponential mechanism"),
    ):
        theirs = dp.m.make_noisy_max(*space, measure, scale=0.5)
        rows.append(
            _row(
                f"{ours.__name__}, {size} candidates",
                _cpu_seconds(lambda ours=ours: ours(scores, 0.5, entropy), repeats),
                f"opendp make_noisy_max ({name})",
                _cpu_seconds(lambda theirs=theirs: theirs(scores), max(2, repeats // 3)),
                1.0,
            )
        )
    return rows


def _ladders(size: int, repeats: int) -> list[dict[str, Any]]:
    values, entropy = np.random.default_rng(0).normal(size=size), noise.SystemEntropy()
    levels = [100 * 0.75**step for step in range(LADDER_LEVELS)]

    def climb(ladder: Callable[..., Any]) -> None:
        built = ladder(values, levels, entropy)
        for level in range(LADDER_LEVELS):
            built.release(level)

    return [
        _row(
            f"{ladder.__name__}, {LADDER_LEVELS} levels, d = {size}",
            _cpu_seconds(lambda ladder=ladder: climb(ladder), 3 * repeats),
            "target",
            LADDER_TARGET,
            1.0,
        )
        for ladder in (noise.LaplaceLadder, noise.SphericalLadder, noise.BrownianLadder)
    ]


def _above_threshold(repeats: int) -> dict[str, Any]:
    entropy, queries = noise.SystemEntropy(), 1000
    threshold = noise.LazyLaplace(2.0, entropy)

    def compare() -> None:
        for _ in range(queries):
            noise.exceeds(0.0, noise.LazyLaplace(4.0, entropy), 1e6, threshold)

    return _row(f"AboveThreshold, {queries} queries", _cpu_seconds(compare, repeats), "target", 0.1, 1.0)


def main() -> None:
    """Print the table."""
    print(f"{'case':44} {'ms':>9}   {'beside':42} {'ms':>9} {'ratio':>7} {'required':>9}")
    for row in run("--quick" in sys.argv[1:]):
        print(
            f"{row['name']:44} {1e3 * row['seconds']:9.2f}   {row['other']:42} {1e3 * row['other_seconds']:9.2f}"
            f" {row['ratio']:7.1f} {row['required']:9.1f}"
        )


if __name__ == "__main__":
    main()
