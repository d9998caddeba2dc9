"""Every mechanism × loss × currency, audited on its worst known pair against the exact loss of that pair.

Two links make the audit about the library's own releases, although most draws are made by vectorised numpy code:

1. the same bits: a real release, minus the noise that its own words give around zero, is the exact statistic (or the
   exact minimum for the drawn b) found by independent code, up to the declared tolerance;
2. the exact loss is computed from an independent calibration (budget and pair alone); the draws use the scale that
   the mechanism declares. So a law that is too quiet is found out: half the noise fails each audit.

The lower bound exceeds the exact loss of a correct mechanism with probability at most 1e-9, and it has to reach a good
part of that loss, so that no audit is empty.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy import optimize, stats

from mechanisms_support import (
    FALSE_ALARM,
    Floats,
    Table,
    box,
    log_gaussian,
    log_laplace,
    log_spherical,
    losses_at,
    profile_epsilon,
    rows_of,
    spherical_noise,
    without_noise,
)
from tacit.audit import bound_from_draws
from tacit.losses import Hinge, HuberHinge, Logistic, Squared
from tacit.losses.huber import Huber
from tacit.losses.poisson import Poisson
from tacit.mechanisms.functional import FunctionalMechanism
from tacit.mechanisms.laws import Gaussian, Laplace, SphericalLaplace
from tacit.mechanisms.moments import Entrywise, Frobenius, MomentRelease
from tacit.mechanisms.objective import ObjectivePerturbation
from tacit.mechanisms.output import OutputPerturbation
from tacit.mechanisms.problem import Problem, Shape
from tacit.noise import RecordedEntropy, SystemEntropy
from tacit.privacy import ZCDP, Approx, Budget, Pure

pytestmark = pytest.mark.statistical

DRAWS = 200_000
DELTA = 0.01
WIDE_DELTA = 0.1  # where Gaussian noise is quieter than pure noise even in two dimensions
BUDGETS = [Pure(1.0), ZCDP(0.5), Approx(1.0, DELTA)]
HALF = 0.5


def names(value: Any) -> str:
    return type(value).__name__


def draw_noise(law: Any, width: int, count: int, quieter: float = 1.0) -> Floats:
    """Noise of this law by numpy; `quieter` is the mutant's factor."""
    generator, scale = np.random.default_rng(), law.scale * quieter
    match law:
        case SphericalLaplace():
            return spherical_noise(width, scale, count, generator)
        case Laplace():
            return generator.laplace(scale=scale, size=(count, width))
        case Gaussian():
            return generator.normal(scale=scale, size=(count, width))
    raise AssertionError(f"no simulator for {law!r}")


def log_law(law: Any) -> Callable[[Floats], Floats]:
    match law:
        case SphericalLaplace():
            return log_spherical(law.scale)
        case Laplace():
            return log_laplace(law.scale)
        case Gaussian():
            return log_gaussian(law.scale)
    raise AssertionError(f"no density for {law!r}")


def audited_delta(law: Any, delta: float = DELTA) -> float:
    return delta if isinstance(law, Gaussian) else 0.0


def check_bound(first: Floats, second: Floats, exact: float, score: Any, delta: float, power: float) -> None:
    found = bound_from_draws(first, second, FALSE_ALARM, delta=delta, score=score)
    assert found <= exact, "more is lost on this pair than the exact loss of the correct mechanism"
    assert found >= power * exact, "the audit is too weak to notice anything"


# mechanisms that add noise to a statistic


@dataclass(frozen=True)
class Added:
    """A mechanism, a pair of tables, the exact statistics on them, and the sensitivity the noise is calibrated to."""

    mechanism: Any
    law: Any
    tables: tuple[Any, Any]
    statistics: tuple[Floats, Floats]
    sensitivity: float
    norm: int

    def exact_loss(self, budget: Budget) -> float:
        """From the budget and the pair alone."""
        share = float(np.linalg.norm(self.statistics[0] - self.statistics[1], self.norm)) / self.sensitivity
        match budget:
            case Pure(epsilon):
                return share * epsilon
            case ZCDP(rho):
                return profile_epsilon(share * math.sqrt(2 * rho), DELTA)
            case Approx(epsilon, delta):
                return profile_epsilon(share * _mu(epsilon, delta), DELTA)

    def check_statistic(self, tolerance: float) -> None:
        for rows, statistic in zip(self.tables, self.statistics, strict=True):
            assert np.linalg.norm(without_noise(self.mechanism, "law", rows) - statistic) <= tolerance

    def audit(self, budget: Budget, quieter: float = 1.0) -> None:
        width = len(self.statistics[0])
        first, second = (s + draw_noise(self.law, width, DRAWS, quieter) for s in self.statistics)
        log_noise = log_law(self.law)

        def score(outputs: Floats) -> Floats:
            # rounded, because the last bits of a sum of plain floats tell the tables apart (exact noise is on a grid)
            return np.round(log_noise(outputs - self.statistics[1]) - log_noise(outputs - self.statistics[0]), 9)

        check_bound(first, second, self.exact_loss(budget), score, audited_delta(self.law), 0.5)


def _mu(epsilon: float, delta: float) -> float:
    """The Gaussian mechanism's μ at (ε, δ), by bisection on the textbook profile."""
    low, high = 1e-6, 50.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if profile_epsilon(middle, delta) <= epsilon else (low, middle)
    return low


def output_case(loss: Any, budget: Budget) -> Added:
    """One row, mirrored; λ where the bound 2G/(λn) is nearly attained."""
    l2 = {Logistic: 6.0, HuberHinge: 3.0, Hinge: 1.0, Squared: 4.0, Huber: 4.0, Poisson: 4.0}[type(loss)]
    tables = tuple(rows_of([[x]], [1], classify=loss.labels) for x in (1.0, -1.0))
    mechanism = OutputPerturbation(Problem(Shape.of(tables[0]), loss, l2), budget)
    angle = np.linspace(0, math.pi / 2, 100_001)
    if isinstance(loss, Logistic):
        apart = 2 * np.max(np.sin(angle) / (1 + np.exp(-np.cos(angle) / l2)))  # ‖θ*‖ ≤ 1/λ
        place, sensitivity = _logistic_minimum(l2), apart / l2
    elif isinstance(loss, Squared):
        k = 0.5 / math.sqrt(l2)  # λ‖θ*‖² ≤ sup s(y − s) = ¼
        place, sensitivity = 1 / (1 + l2), 2 * np.max((1 + k * np.sin(angle)) * np.cos(angle)) / l2
    elif isinstance(loss, Huber):
        place, sensitivity = loss.threshold / l2, 2 * loss.threshold / l2
    elif isinstance(loss, Poisson):
        place = optimize.brentq(lambda s: loss.start * math.exp(s) - 1 + l2 * s, 0.0, 1.0)
        sensitivity = 2 * (1 - loss.start * math.exp(-1 / l2)) / l2
    else:
        place, sensitivity = 1 / l2, 2 / l2
    statistics = np.array([place]), np.array([-place])
    return Added(mechanism, mechanism.law, tables, statistics, sensitivity, 2)


def _logistic_minimum(l2: float) -> float:
    theta = 0.0
    for _ in range(200):
        theta = 1 / (1 + math.exp(theta)) / l2
    return theta


@pytest.mark.proof("noise-calibration")
@pytest.mark.proof("huber-constants")
@pytest.mark.proof("poisson-constants")
@pytest.mark.parametrize("budget", BUDGETS, ids=names)
@pytest.mark.parametrize(
    "loss", [Logistic(), HuberHinge(0.5), Hinge(), Squared(), Huber(0.5), Poisson(0.1, 0.5)], ids=names
)
def test_output_perturbation(loss, budget):
    case = output_case(loss, budget)
    case.check_statistic(case.mechanism.tolerance + 1e-10)
    case.audit(budget)
    with pytest.raises(AssertionError, match="more is lost"):
        case.audit(budget, HALF)


def moment_case(measure: Any, budget: Budget) -> Added:
    tables = tuple(rows_of([x], [0.0], classify=False) for x in ([1.0, 0.0], [0.0, 1.0]))
    release = MomentRelease(Shape.of(tables[0]), budget, measure, 0.1)
    statistics = tuple(np.array([x, 1 - x, 0.0, 0.0, 0.0, 0.0]) for x in (1.0, 0.0))
    sensitivity = math.sqrt(2) * 1.01 if measure.norm == "l2" else 2 * (math.sqrt(2) + 0.1) ** 2
    return Added(release, release.law, tables, statistics, sensitivity, 2 if measure.norm == "l2" else 1)


@pytest.mark.proof("symmetric-moments")
@pytest.mark.parametrize(
    ("measure", "budget"),
    [*((Frobenius(), budget) for budget in BUDGETS), (Entrywise(), Pure(3.0))],
    ids=names,
)
def test_covariance_perturbation(measure, budget):
    case = moment_case(measure, budget)
    case.check_statistic(1e-10)
    case.audit(budget)
    with pytest.raises(AssertionError, match="more is lost"):
        case.audit(budget, HALF)


@pytest.mark.proof("functional-mechanism")
@pytest.mark.parametrize("loss", [Squared(), Logistic()], ids=names)
def test_functional_mechanism(loss):
    budget, classify = Pure(3.0), isinstance(loss, Logistic)
    tables = tuple(rows_of([[1.0]], [y], classify=classify) for y in (1, -1))
    mechanism = FunctionalMechanism(Shape.of(tables[0]), loss, budget)
    quadratic, linear, sensitivity = (0.125, 0.5, 3.25) if classify else (1.0, 2.0, 8.0)
    statistics = np.array([quadratic, linear]), np.array([quadratic, -linear])
    case = Added(mechanism, mechanism.law, tables, statistics, sensitivity, 1)
    case.check_statistic(1e-10)
    case.audit(budget)
    with pytest.raises(AssertionError, match="more is lost"):
        case.audit(budget, HALF)


# objective perturbation


def objective_case(loss: Any, budget: Budget, law_type: type) -> tuple[ObjectivePerturbation, Any, Any]:
    """Two opposite rows with nλ = 4: near θ = 0 both pull with full slope (Huber) or half of it (logistic)."""
    norm = "l1" if law_type is Laplace else "l2"
    tables = tuple(rows_of([[x, 0.0]], [1], classify=loss.labels, norm=norm) for x in (1.0, -1.0))
    mechanism = ObjectivePerturbation(Problem(Shape.of(tables[0]), loss, 4.0), budget)
    assert isinstance(mechanism.law, law_type)
    name = {
        Logistic(): "logistic",
        HuberHinge(0.5): "huber",
        Huber(1.0): "huber, threshold 1",
        Poisson(0.1, 0.5): "poisson, start 0.1, bend 0.5",
    }[loss]
    return mechanism, tables, tuple(Table((((x, 0.0), 1.0, 1.0),), name, 4.0) for x in (1.0, -1.0))


def reference_scale(budget: Budget) -> float:
    """The textbook scale for the part of the budget that is not kept for the finish, if curvature were free."""
    kept = 1 - 2.0**-10
    match budget:
        case Pure(epsilon):
            return 2 / (epsilon * kept)
        case ZCDP(rho):
            return math.sqrt(2 / (rho * kept))
        case Approx(epsilon, delta):
            return 2 / _mu(epsilon * kept, delta)


def allowed_epsilon(budget: Budget) -> float:
    """No pair may lose more, whatever theorem the noise was calibrated by; zCDP states no ε of its own."""
    match budget:
        case Pure(epsilon) | Approx(epsilon, _):
            return epsilon
        case ZCDP():
            return math.inf


def check_same_bits(mechanism: ObjectivePerturbation, rows: Any, table: Table) -> None:
    """The release minus its finishing noise is the exact minimum for the drawn b."""
    recorded = RecordedEntropy(SystemEntropy())
    released = mechanism(rows, recorded).theta
    replay = recorded.replay()
    b = mechanism.law.draw(table.width, replay)
    finish = mechanism.finishing_law.add(np.zeros(table.width), replay)
    grid = mechanism.finishing_law.grid(table.width) * math.sqrt(table.width)
    assert np.linalg.norm(released - finish - table.minimum(b[None, :])[0]) <= mechanism.tolerance + grid + 1e-10


def exact_epsilon(first: Table, second: Table, law: Any, delta: float) -> float:
    """sup |log p/p'| for δ = 0, otherwise the ε at which the pair has this δ, by quadrature over b."""
    if delta == 0.0:
        noise = np.vstack([box(np.zeros(2), half, 161)[0] for half in (3.0, 12.0, 40 * law.scale)])
        noise = np.vstack([noise, first.field(box(np.zeros(2), 2.0, 161)[0])[0]])
        return float(np.max(np.abs(losses_at(first, second, noise, log_law(law)))))
    noise, volume = box(np.zeros(2), 8 * law.scale, 241)
    weights = np.exp(log_law(law)(noise)) * volume
    losses = losses_at(first, second, noise, log_law(law))
    low, high = 0.0, 20.0
    for _ in range(60):
        middle = (low + high) / 2
        found = float(np.sum(weights * -np.expm1(np.minimum(middle - losses, 0.0))))
        low, high = (middle, high) if found > delta else (low, middle)
    return high


TILTED = [(Pure(2.0), SphericalLaplace), (Pure(2.0), Laplace), (ZCDP(2.0), Gaussian)]
TILTED_CASES = [
    *product([Logistic(), HuberHinge(0.5), Huber(1.0), Poisson(0.1, 0.5)], TILTED),
    *product([Logistic(), HuberHinge(0.5)], [(Approx(2.0, WIDE_DELTA), Gaussian)]),
]


@pytest.mark.proof("approximate-minimum")
@pytest.mark.proof("huber-constants")
@pytest.mark.proof("poisson-constants")
@pytest.mark.parametrize(("loss", "paid"), TILTED_CASES, ids=str)
def test_objective_perturbation(loss, paid):
    budget, law_type = paid
    mechanism, rows, tables = objective_case(loss, budget, law_type)
    check_same_bits(mechanism, rows[0], tables[0])
    law = law_type(reference_scale(budget))
    assert mechanism.law.scale >= law.scale * (1 - 1e-9)
    delta = audited_delta(law, WIDE_DELTA)
    exact = min(allowed_epsilon(budget), exact_epsilon(*tables, law, delta) + 2 * mechanism.tolerance)

    def audit(quieter: float) -> None:
        first, second = (t.minimum(draw_noise(mechanism.law, 2, DRAWS // 2, quieter)) for t in tables)

        def score(theta: Floats) -> Floats:
            return np.round(tables[1].log_density(theta, log_law(law)) - tables[0].log_density(theta, log_law(law)), 9)

        check_bound(first, second, exact, score, delta, 0.5)

    audit(1.0)
    with pytest.raises(AssertionError, match="more is lost"):
        audit(HALF)


@pytest.mark.proof("approximate-minimum")
def test_a_release_whose_solver_ignores_the_tolerance_is_found_by_the_same_bits(monkeypatch):
    mechanism, rows, tables = objective_case(Logistic(), Pure(2.0), SphericalLaplace)
    solve = "tacit.mechanisms.objective.certified_tilted_minimum"
    monkeypatch.setattr(solve, lambda *_: np.zeros(2))
    with pytest.raises(AssertionError):
        check_same_bits(mechanism, rows[0], tables[0])


@pytest.mark.proof("approximate-minimum")
@pytest.mark.parametrize("budget", [Pure(2.0), ZCDP(2.0)], ids=names)
def test_real_releases_follow_the_simulated_law(budget):
    """A check of the simulator itself: 400 calls of the mechanism against many draws (Kolmogorov-Smirnov)."""
    law_type = SphericalLaplace if isinstance(budget, Pure) else Gaussian
    mechanism, rows, tables = objective_case(HuberHinge(0.5), budget, law_type)
    real = np.array([mechanism(rows[0], SystemEntropy()).theta for _ in range(400)])

    def check(quieter: float) -> None:
        simulated = tables[0].minimum(draw_noise(mechanism.law, 2, 20_000, quieter))
        for coordinate in range(2):
            found = stats.ks_2samp(real[:, coordinate], simulated[:, coordinate])
            assert found.pvalue > FALSE_ALARM / 2

    check(1.0)
    with pytest.raises(AssertionError):
        check(0.25)


# squared loss on a ball: in one dimension the minimum is a clipped linear function of b


@pytest.mark.proof("squared-gradient-change")
@pytest.mark.parametrize("budget", [Pure(2.0), ZCDP(2.0), Approx(2.0, WIDE_DELTA)], ids=names)
def test_objective_perturbation_on_a_ball(budget):
    l2, radius = 6.0, 1.5
    rows = tuple(rows_of([[1.0]], [y], classify=False) for y in (1.0, -1.0))
    mechanism = ObjectivePerturbation(Problem(Shape.of(rows[0]), Squared(), l2, radius), budget)
    eta, kept = 1 / l2, 1 - 2.0**-10
    angle = np.linspace(0, math.pi / 2, 100_001)
    change = 2 * np.max((1 + radius * np.sin(angle)) * np.cos(angle))
    assert isinstance(mechanism.law, SphericalLaplace)  # in one dimension pure noise is quieter under any budget
    match budget:
        case Pure(epsilon):
            assert mechanism.charge == budget
        case Approx(epsilon, _):
            assert mechanism.charge == Pure(epsilon)
        case ZCDP(rho):
            assert mechanism.charge == budget
            epsilon = optimize.brentq(lambda e: e * math.tanh(e / 2) - rho, 0.0, 50.0)
    exact = 2 * (epsilon * kept - math.log1p(eta)) / change

    def minimum(y: float, quieter: float) -> Floats:
        noise = draw_noise(mechanism.law, 1, DRAWS, quieter)
        return np.clip((y - noise) / (l2 + 1), -radius, radius)

    def audit(quieter: float) -> None:
        check_bound(minimum(1.0, quieter), minimum(-1.0, quieter), exact, _rounded, 0.0, 0.5)

    audit(1.0)
    with pytest.raises(AssertionError, match="more is lost"):
        audit(HALF)


def _rounded(theta: Floats) -> Floats:
    return -np.round(theta[:, 0], 9)
