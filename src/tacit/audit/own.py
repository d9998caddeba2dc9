"""tacit under its own audit: noise, selection, mechanisms and searches, each on the pair where it loses the most."""

from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import numpy as np

from tacit import noise
from tacit.arithmetic import Floats
from tacit.audit import pair_loss
from tacit.audit.cases import Case
from tacit.audit.centring_cases import centring_cases
from tacit.audit.interval_cases import interval_cases
from tacit.audit.lower_bound import lower_bound
from tacit.audit.pairs import worst_pair
from tacit.audit.reachability import reachability
from tacit.audit.search_cases import search_cases
from tacit.audit.targets import Batches
from tacit.audit.tilted import TiltedLogistic, tilted_pair_loss, tilted_score
from tacit.domain import Domain, Geometry
from tacit.estimators import PrivateLogisticRegression
from tacit.losses import CappedLogistic, Logistic, Squared
from tacit.mechanisms import (
    FINISHING_SHARE,
    TARGET_WEIGHT,
    CovariancePerturbation,
    Frobenius,
    FunctionalMechanism,
    Nuclear,
    ObjectivePerturbation,
    OutputPerturbation,
    Problem,
    Shape,
)
from tacit.mechanisms.accuracy import InteractiveAboveThreshold, TwoSidedNoise
from tacit.privacy import Approx, Pure, gaussian_mu
from tacit.rows import Rows, open_rows

ENTROPY = noise.SystemEntropy()
ROWS, L2 = 4, 0.25
HIGH, LOW = ((1.0, 1.0), *[(0.0, 1.0)] * (ROWS - 1)), ((1.0, -1.0), *[(0.0, 1.0)] * (ROWS - 1))

CROWDED = ((1.0, 1.0), *[(1.0, -1.0)] * (ROWS - 1)), ((1.0, -1.0),) * ROWS


def own_cases(effort: float = 1.0) -> list[Case]:
    """All cases; effort multiplies the number of runs (1 takes about a minute)."""

    def runs(count: int) -> int:
        return max(100, int(count * effort))

    return [
        *_noise_cases(runs(400_000), runs(8_000)),
        *_selection_cases(runs(20_000)),
        *_ladder_cases(runs(200_000)),
        *_mechanism_cases(runs(2_500)),
        *interval_cases(runs(1_500)),
        *centring_cases(runs(8_000)),
        *search_cases(runs(8_000), runs(1_000)),
    ]


def _noise_cases(many: int, some: int) -> list[Case]:
    sigma = 1 / gaussian_mu(Approx(1.0, 1e-5))
    axis = np.array([1.0, 0.0])

    def laplace(centre: float, runs: int) -> Floats:
        return noise.laplace(np.full(runs, centre), 1.0, ENTROPY)

    def gaussian(centre: float, runs: int) -> Floats:
        return noise.gaussian(np.full(runs, centre), sigma, ENTROPY)

    def spherical(centre: Floats) -> Floats:
        return noise.spherical_laplace(centre, 1.0, ENTROPY)

    def nearer_to_axis(outputs: Floats) -> Floats:
        return np.asarray(np.linalg.norm(outputs, axis=1) - np.linalg.norm(outputs - axis, axis=1))

    low_bits = partial(reachability, lambda values: noise.laplace(values, 1.0, ENTROPY), scale=1.0)
    return [
        Case("Laplace noise", 1.0, 1.0, _bound(Batches(laplace), (0.0, 1.0), many, score=_first)),
        Case("spherical Laplace noise, d = 2", 1.0, 1.0, _bound(spherical, (0 * axis, axis), some, nearer_to_axis)),
        Case(
            "Gaussian noise",
            1.0,
            pair_loss.gaussian_pair_loss(1.0, sigma, 1e-5),
            _bound(Batches(gaussian), (0.0, 1.0), many, _first, 1e-5),
            1e-5,
        ),
        Case(
            "Laplace noise, low bits",
            1.0,
            None,
            lambda confidence: low_bits((np.zeros(10), np.full(10, 0.1)), 300, confidence),
        ),
    ]


def _selection_cases(runs: int) -> list[Case]:
    first, second = (0.0, 1.0, 1.0), (1.0, 0.0, 0.0)

    def exponential(scores: Any) -> int:
        return noise.exponential_mechanism(scores, 2.0, ENTROPY)

    def permuted(scores: Any) -> int:
        return noise.permute_and_flip(scores, 2.0, ENTROPY)

    def above_threshold(queries: Any) -> int:
        test = InteractiveAboveThreshold(TwoSidedNoise(1.0, 1.0, threshold_share=0.5), 0.5, ENTROPY)
        return next((index for index, query in enumerate(queries) if test.above(query)), len(queries))

    queries = ((0.0, 0.0, 0.0, 1.0), (1.0, 1.0, 1.0, 0.0))
    laws = [pair_loss.exponential_law(scores, 2.0) for scores in (first, second)]
    flips = [pair_loss.permute_and_flip_law(scores, 2.0) for scores in (first, second)]
    stops = [pair_loss.above_threshold_law(q, 0.5, 2.0, 4.0) for q in queries]
    return [
        Case(
            "exponential mechanism", 1.0, pair_loss.largest_log_ratio(*laws), _bound(exponential, (first, second), runs)
        ),
        Case("permute and flip", 1.0, pair_loss.largest_log_ratio(*flips), _bound(permuted, (first, second), runs)),
        Case("AboveThreshold", 1.0, pair_loss.largest_log_ratio(*stops), _bound(above_threshold, queries, runs)),
    ]


def _ladder_cases(runs: int) -> list[Case]:
    def releases(centre: float, count: int) -> Floats:
        """Both levels, as (finest, step to the coarse one): the step is 0 one time in four."""
        ladder = noise.LaplaceLadder(np.full(count, centre), [2.0, 1.0], ENTROPY)
        coarse, fine = ladder.release(0), ladder.release(1)
        return np.column_stack([fine, np.clip(np.trunc(2 * (coarse - fine)), -6, 6)])

    def coarse_release(centre: float, count: int) -> Floats:
        return noise.LaplaceLadder(np.full(count, centre), [2.0, 1.0], ENTROPY).release(0)

    pair = (0.0, 1.0)
    return [
        Case("Laplace ladder, first level", 0.5, 0.5, _bound(Batches(coarse_release), pair, runs, _first)),
        Case("Laplace ladder, both levels", 1.0, 1.0, _bound(Batches(releases), pair, runs)),
    ]


def _mechanism_cases(runs: int) -> list[Case]:
    line, plane = (standard_shape(width) for width in (1, 2))
    output = OutputPerturbation(Problem(line, Logistic(), L2), Pure(1.0))
    tilted = ObjectivePerturbation(Problem(line, Logistic(), L2), Pure(1.0))
    covariance, symmetric = (CovariancePerturbation(plane, Pure(1.0), norm) for norm in (Frobenius(), Nuclear()))
    functional = FunctionalMechanism(line, Squared(), Pure(1.0))
    tilts = tuple(TiltedLogistic(rows, ROWS * L2, tilt_scale(1.0)) for rows in (HIGH, LOW))
    capped = ObjectivePerturbation(Problem(line, CappedLogistic(), L2), Pure(1.0))
    capped_tilts = tuple(TiltedLogistic(rows, ROWS * L2, tilt_scale(0.5), 0.5) for rows in CROWDED)
    output_loss = pair_loss.output_pair_loss(HIGH, LOW, L2)
    estimator = PrivateLogisticRegression(
        privacy=1.0, domain=Domain(classes=(0, 1)), l2=L2, fit_intercept=False, mechanism="output", loss="logistic"
    )
    features = np.eye(ROWS)[:, :1]
    labels = np.ones(ROWS, dtype=int), np.array([0, *[1] * (ROWS - 1)])
    return [
        Case("output perturbation", 1.0, output_loss, _bound(output, worst_pair(output), runs, _first)),
        Case(
            "objective perturbation",
            1.0,
            tilted_pair_loss(*tilts) + FINISHING_SHARE,
            _bound(tilted, worst_pair(tilted), runs, tilted_score(tilts[1], tilts[0])),
        ),
        Case(
            "objective perturbation, capped loss",
            1.0,
            tilted_pair_loss(*capped_tilts) + FINISHING_SHARE,
            _bound(capped, crowded_pair(), runs, tilted_score(*capped_tilts)),
        ),
        Case(
            "covariance perturbation",
            1.0,
            1.0,
            _bound(_moments(covariance), worst_pair(covariance), 2 * runs, _nearer_moments("fro")),
        ),
        Case(
            "covariance perturbation, Wishart noise",
            1.0,
            1.0,
            _bound(_moments(symmetric), worst_pair(symmetric), 2 * runs, _nearer_moments("nuc")),
        ),
        Case("functional mechanism", 1.0, 0.5, _bound(functional, worst_pair(functional), 2 * runs, _first)),
        Case(
            "PrivateLogisticRegression",
            1.0,
            output_loss,
            _bound(estimator, ((features, labels[0]), (features, labels[1])), runs // 3, _first),
        ),
    ]


def _bound(target: Any, pair: Any, runs: int, score: Any = None, delta: float = 0.0) -> Any:
    return lambda confidence: lower_bound(target, pair, runs, confidence, delta=delta, score=score)


def _first(outputs: Floats) -> Floats:
    return outputs[:, 0]


def standard_shape(width: int) -> Shape:
    """Four rows of the ℓ2 unit ball without intercept: so few that one row matters."""
    return Shape.of(open_rows(np.zeros((ROWS, width)), np.zeros(ROWS), Domain(), Geometry(constant=None)))


def _moments(mechanism: CovariancePerturbation) -> Any:
    return lambda rows: mechanism.moments(rows, ENTROPY).matrix


def _nearer_moments(norm: Literal["fro", "nuc"]) -> Callable[[Floats], Floats]:
    """Distance to the moments of one extreme row minus distance to those of the other.

    In Frobenius norm it is the log likelihood ratio of spherical noise, in nuclear norm nearly that of Wishart noise.
    """
    inside = TARGET_WEIGHT**2
    ends = [np.array([1, 0, TARGET_WEIGHT]), np.array([-inside, np.sqrt(1 - inside**2), TARGET_WEIGHT])]

    def score(outputs: Floats) -> Floats:
        matrices = outputs.reshape(-1, 3, 3)
        away = [np.linalg.norm(matrices - np.outer(v, v), ord=norm, axis=(1, 2)) for v in ends]
        return np.asarray(away[0] - away[1])

    return score


def tilt_scale(steepest: float, epsilon: float = 1.0) -> float:
    """The least s with (c + p)/s + log(1 + p(1 − p)/(nλ)) ≤ ε' for all slopes p ≤ c: again, from the theorem."""
    p = np.linspace(0, steepest, 100_001)
    left = epsilon * (1 - FINISHING_SHARE) - np.log1p(p * (1 - p) / (ROWS * L2))
    return float(np.max((steepest + p) / left))


def crowded_pair() -> tuple[Rows, Rows]:
    """z against −z among rows −z: just above 0 the first is curved and nothing else is."""
    first, second = (
        open_rows(np.array([[x] for x, _ in rows]), np.array([y for _, y in rows]), Domain(), Geometry(constant=None))
        for rows in CROWDED
    )
    return first, second
