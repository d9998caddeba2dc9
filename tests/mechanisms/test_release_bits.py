"""Given its random words, a release is what the formula says: same bits, independent arithmetic."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize

from mechanisms_support import Floats, Table, log_spherical, rows_of
from tacit.domain import Geometry
from tacit.estimators.fits import Fit
from tacit.estimators.kinds import Part
from tacit.losses import HuberHinge, Logistic, Squared
from tacit.mechanisms.centred import CentredObjective
from tacit.mechanisms.choice import FitRequest, centred, objective
from tacit.mechanisms.objective import ObjectivePerturbation
from tacit.mechanisms.objective_noise import objective_laws
from tacit.mechanisms.problem import Problem, Shape
from tacit.noise import Entropy, RecordedEntropy, ReplayedEntropy, SystemEntropy
from tacit.privacy import ZCDP, Approx, Budget, Pure

WITH_CONSTANT = Geometry(constant=1.0, clip=None)
HALF_ROOT = math.sqrt(0.5)


def tilted_minimum(X: Floats, y: Floats, loss, l2: float, b: Floats, radius: float | None = None) -> Floats:
    """argmin Σφ + (nλ/2)‖θ‖² + ⟨b, θ⟩ by scipy, on a ball if asked: an independent solver."""

    def value(theta: Floats) -> tuple[float, Floats]:
        score = X @ theta
        total = float(np.sum(loss.value(score, y)))
        penalty = 0.5 * len(y) * l2 * theta @ theta + b @ theta
        return total + penalty, loss.slope(score, y) @ X + len(y) * l2 * theta + b

    if radius is None:
        found = optimize.minimize(value, np.zeros(X.shape[1]), jac=True, method="BFGS", options={"gtol": 1e-10})
        return np.asarray(found.x)
    inside = {"type": "ineq", "fun": lambda t: radius**2 - t @ t, "jac": lambda t: -2 * t}
    options = {"ftol": 1e-14, "maxiter": 500}
    start = -0.5 * radius * b / np.linalg.norm(b)
    found = optimize.minimize(value, start, jac=True, method="SLSQP", constraints=inside, options=options)
    return np.asarray(found.x)


def split_release(mechanism: ObjectivePerturbation, rows, entropy_before: int = 0) -> tuple[Floats, Floats]:
    """(release minus its finishing noise, the b that was drawn), from the recorded words."""
    recorded = RecordedEntropy(SystemEntropy())
    released = mechanism(rows, recorded).theta
    replay = recorded.replay()
    b = mechanism.law.draw(len(released), replay)
    return released - mechanism.finishing_law.add(np.zeros(len(released)), replay), b


def check_objective(
    X: Floats, y: Floats, loss, budget: Budget, radius: float | None, l2: float, classify: bool
) -> None:
    rows = rows_of(X, y, classify=classify)
    mechanism = ObjectivePerturbation(Problem(Shape.of(rows), loss, l2, radius), budget)
    found, b = split_release(mechanism, rows)
    expected = tilted_minimum(X, y, loss, l2, b, radius)
    assert np.linalg.norm(found - expected) <= mechanism.tolerance + 2e-5 * max(1.0, float(np.linalg.norm(expected)))


@pytest.mark.proof("approximate-minimum")
@pytest.mark.parametrize("budget", [Pure(1.0), Approx(1.0, 1e-6), ZCDP(0.3)], ids=lambda b: type(b).__name__)
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=5)
def test_the_release_is_the_tilted_minimum(budget, seed):
    generator = np.random.default_rng(seed)
    X = generator.uniform(-0.5, 0.5, size=(6, 3))
    labels = generator.choice([-1.0, 1.0], 6)
    check_objective(X, labels, Logistic(), budget, None, 2.0, True)
    check_objective(X, labels, HuberHinge(0.5), budget, None, 2.0, True)
    check_objective(X, generator.uniform(-1, 1, 6), Squared(), budget, 1.0, 2.0, False)


@pytest.mark.proof("centred-target")
def test_the_centred_release_is_noisy_mean_then_tilted_minimum():
    X, y = np.array([[0.3], [-0.8], [0.5]]), np.array([0.9, 0.2, 0.7])
    rows = rows_of(X, y, classify=False, geometry=WITH_CONSTANT)
    plan = centred(Shape.of(rows), FitRequest(Squared()), Pure(2.0))
    assert isinstance(plan.mechanism, CentredObjective)
    check_centred(plan.mechanism, rows, X, y)


def check_centred(mechanism: CentredObjective, rows, X: Floats, y: Floats, mean_noise: bool = True) -> None:
    recorded = RecordedEntropy(SystemEntropy())
    released = mechanism(rows, recorded).theta
    replay = recorded.replay()
    mean = float(np.mean(y))
    if mean_noise:
        mean = float(np.clip(mechanism.mean_law.add(np.array([mean]), replay)[0], -1, 1))
    slopes, constant = mechanism.slopes, mechanism.shape.constant
    assert constant is not None
    b = slopes.law.draw(2, replay)
    finish = slopes.finishing_law.add(np.zeros(2), replay)
    encoded = np.column_stack([X * HALF_ROOT, np.full(len(X), HALF_ROOT)])
    target = np.clip(y - mean, -1, 1)
    expected = tilted_minimum(encoded, target, Squared(), slopes.problem.l2, b, slopes.problem.radius)
    found = released - finish - np.array([0.0, mean / constant])
    assert np.linalg.norm(found - expected) <= 1e-4 + slopes.tolerance


@pytest.mark.proof("centred-target")
def test_a_mean_without_noise_is_found_out():
    X, y = np.array([[0.3], [-0.8], [0.5]]), np.array([0.9, 0.2, 0.7])
    rows = rows_of(X, y, classify=False, geometry=WITH_CONSTANT)
    mechanism = centred(Shape.of(rows), FitRequest(Squared()), Pure(2.0)).mechanism
    assert isinstance(mechanism, CentredObjective)
    with pytest.raises(AssertionError):
        check_centred(mechanism, rows, X, y, mean_noise=False)


# every coordinate is penalised, the constant's included


def largest_loss_on(tables: tuple[Table, Table], penalties: tuple[float, float], scale: float) -> float:
    """max |log p/p'| over a grid of θ, with a penalty for each coordinate."""
    side = np.linspace(-25, 25, 201)
    theta = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    logs = [_log_density(table, theta, np.array(penalties), scale) for table in tables]
    return float(np.max(np.abs(logs[0] - logs[1])))


def _log_density(table: Table, theta: Floats, penalties: Floats, scale: float) -> Floats:
    noise, hessian = replace(table, penalty=0.0).field(theta)
    noise, hessian = noise - penalties * theta, hessian + np.diag(penalties)
    return log_spherical(scale)(noise) + np.linalg.slogdet(hessian)[1]


@pytest.mark.proof("objective-pure")
def test_an_unregularised_intercept_breaks_the_promise():
    """Rows (x, c) with the constant c = 1/√2; without a penalty on it the determinants' ratio has no bound."""
    rest = tuple((((x * HALF_ROOT), HALF_ROOT), 1.0, 1.0) for x in (-1.0, -1.0))
    tables = tuple(
        Table((((x, HALF_ROOT), y, 1.0), *rest), "logistic", 1.0) for x, y in ((HALF_ROOT, 1.0), (-HALF_ROOT, -1.0))
    )
    shape = Shape.of(rows_of([[1.0], [1.0], [1.0]], [1, 1, 1], geometry=WITH_CONSTANT))
    law = objective_laws(Problem(shape, Logistic(), 0.2 / 3), Pure(2.0))[0]
    assert largest_loss_on(tables, (0.2, 0.2), law.scale) <= 2.0
    with pytest.raises(AssertionError):
        assert largest_loss_on(tables, (0.2, 1e-9), law.scale) <= 2.0


@pytest.mark.proof("approximate-minimum")
def test_the_constant_is_penalised_by_the_mechanism():
    X, y = np.array([[0.5], [-0.5], [0.9]]), np.array([1.0, 1.0, 1.0])
    rows = rows_of(X, y, geometry=WITH_CONSTANT)
    mechanism = ObjectivePerturbation(Problem(Shape.of(rows), Logistic(), 1.0), Pure(3.0))
    found, b = split_release(mechanism, rows)
    encoded = np.column_stack([X * HALF_ROOT, np.full(3, HALF_ROOT)])
    assert np.allclose(found, tilted_minimum(encoded, y, Logistic(), 1.0, b), atol=1e-4)


# several classes


def check_independent(releases) -> None:
    """Two classes with the same rows have the same minimum: whatever they differ by is noise, never shared."""
    thetas = [release.theta for release in releases]
    for index, theta in enumerate(thetas):
        for other in thetas[index + 1 :]:
            assert np.all(theta != other)


class SameWords:
    """A mutant source of randomness: every release gets the words of the first one."""

    private, source = False, "the same words again, NOT PRIVATE"

    def __init__(self) -> None:
        self._words = SystemEntropy().words(10_000)

    def words(self, count: int):
        return self._words[:count]

    def more(self) -> int:
        return 0


def test_classes_never_share_noise():
    rows = rows_of([[0.5, 0.1], [-0.5, 0.2]], [-1, -1])
    plan = objective(Shape.of(rows), FitRequest(Logistic()), Pure(0.5))
    fit = Fit(plan, (Part(), Part(), Part()), lambda _, release: {"release": release})
    check_independent([vector["release"] for vector in fit(rows, SystemEntropy()).released["vectors"]])
    shared: Entropy = SameWords()
    with pytest.raises(AssertionError):
        check_independent([vector["release"] for vector in fit(rows, shared).released["vectors"]])


def test_replayed_words_give_the_same_release():
    rows = rows_of([[0.5, 0.1], [-0.5, 0.2]], [-1, 1])
    mechanism = objective(Shape.of(rows), FitRequest(Logistic()), Pure(0.5)).mechanism
    words = SystemEntropy().words(1000)
    first, second = (mechanism(rows, ReplayedEntropy(words)).theta for _ in range(2))
    assert np.array_equal(first, second)


@pytest.mark.proof("noise-reach")
def test_a_noise_vector_beyond_its_reach_is_shortened_and_no_other():
    rows = rows_of([[0.5, 0.1], [-0.5, 0.2]], [-1, 1])
    mechanism = ObjectivePerturbation(Problem(Shape.of(rows), Logistic(), 2.0), Pure(0.5))
    reach = mechanism.law.reach(2)
    drawn = mechanism.law.draw(2, SystemEntropy())
    assert np.array_equal(mechanism._within_reach(drawn), drawn)
    shortened = mechanism._within_reach(np.array([3 * reach, -4 * reach]))
    assert np.linalg.norm(shortened) <= reach
    assert shortened[1] / shortened[0] == pytest.approx(-4 / 3)


@pytest.mark.proof("approximate-minimum")
@given(n=st.integers(1, 10**9), l2=st.floats(1e-8, 1e4), radius=st.sampled_from([None, 0.5]))
@settings(max_examples=40)
def test_finishing_noise_covers_the_tolerance_and_its_grid_holds_every_minimum(n, l2, radius):
    """Released numbers are clamped to 2³⁰ scales of the finishing noise: no minimum may be that long."""
    shape = replace(Shape.of(rows_of([[1.0, 0.0]], [1])), n=n)
    problem = Problem(shape, Logistic(), max(l2, 2.0 / n), radius)
    mechanism = ObjectivePerturbation(problem, Pure(1.0))
    scale = mechanism.finishing_law.scale
    assert scale * mechanism.tilt.finish.epsilon >= 2 * mechanism.tolerance
    longest = min((1 + mechanism.law.reach(2) / n) / problem.l2, math.inf if radius is None else radius)
    assert 2.0**30 * scale >= longest
