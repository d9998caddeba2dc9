"""Empirical risk over rows: right numbers, errors within their bounds, certified minimisers."""

import math
from dataclasses import replace

import mpmath
import numpy as np
import pytest
from scipy.optimize import approx_fprime
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression, Ridge

from tacit.domain import Domain, Geometry
from tacit.errors import ParameterError
from tacit.losses import Hinge, HuberHinge, Logistic, Loss, Squared
from tacit.mechanisms.erm.bounds import RiskBounds
from tacit.mechanisms.erm.hinge import HingeRisk, HingeRiskBounds
from tacit.mechanisms.erm.risk import EmpiricalRisk
from tacit.mechanisms.problem import Shape
from tacit.rows import Rows, open_rows
from tacit.solvers import minimise, minimise_hinge

LOSSES: list[Loss] = [Logistic(), Squared(), HuberHinge(0.5)]
CLASSES = Domain(classes=(0, 1))
GEOMETRY = Geometry()


def table(n: int = 300, d: int = 4) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng()
    X = rng.normal(size=(n, d)) * 0.6
    return X, (rng.random(n) < 1 / (1 + np.exp(-3 * X[:, 0] - 0.5))).astype(int)


def signed_rows(X: np.ndarray, y: np.ndarray, *, sparse: bool = False) -> Rows:
    return open_rows(csr_array(X) if sparse else X, y, CLASSES, GEOMETRY).one_vs_rest(1)


def encoded(rows: Rows) -> tuple[np.ndarray, np.ndarray]:
    """The rows as the kernels see them. Only a test may do this."""
    blocks: list[tuple[int, np.ndarray, np.ndarray]] = []

    def look(X: object, y: np.ndarray) -> float:
        dense = X.toarray() if rows.sparse else np.array(X)  # type: ignore[attr-defined]
        blocks.append((len(blocks), dense, np.array(y)))
        return 0.0

    rows.total(look)
    return np.concatenate([b[1] for b in blocks]), np.concatenate([b[2] for b in blocks])


def exact_gradient(risk: EmpiricalRisk, theta: np.ndarray) -> list[mpmath.mpf]:
    X, y = encoded(risk.rows)
    n, d = X.shape
    at = [mpmath.mpf(float(t)) for t in theta]
    total = [mpmath.mpf(0)] * d
    for row, target in zip(X, y, strict=True):
        x = [mpmath.mpf(float(v)) for v in row]
        s = mpmath.fdot(x, at)
        match risk.loss:
            case Logistic():
                slope = -float(target) / (1 + mpmath.exp(float(target) * s))
            case Squared():
                slope = s - float(target)
            case HuberHinge(width=h):
                inside = (1 + mpmath.mpf(h) - float(target) * s) / (2 * mpmath.mpf(h))
                slope = -float(target) * min(mpmath.mpf(1), max(mpmath.mpf(0), inside))
        total = [t + slope * v for t, v in zip(total, x, strict=True)]
    return [t / n + mpmath.mpf(risk.l2) * a + float(b) for t, a, b in zip(total, at, risk.linear, strict=True)]


def check_gradient_error(risk: EmpiricalRisk, theta: np.ndarray, *, share: float = 1.0) -> None:
    with mpmath.workdps(50):
        truth = exact_gradient(risk, theta)
        for g, error in (risk.gradient(theta), risk.gradient_and_hessian(theta)[:2]):
            distance = mpmath.sqrt(sum((mpmath.mpf(float(a)) - b) ** 2 for a, b in zip(g, truth, strict=True)))
            assert distance <= share * error


@pytest.mark.proof("gradient-rounding")
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_the_gradient_error_is_within_its_bound(loss: Loss, sparse: bool) -> None:
    rng = np.random.default_rng()
    rows = signed_rows(*table(150), sparse=sparse)
    for scale in (0.0, 1.0, 50.0):
        risk = EmpiricalRisk(rows, loss, 0.01, rng.normal(size=rows.width))
        check_gradient_error(risk, scale * rng.normal(size=rows.width))


def test_a_gradient_that_claims_to_be_exact_is_caught() -> None:
    rng = np.random.default_rng()
    risk = EmpiricalRisk(signed_rows(*table(150)), Logistic(), 0.01)
    with pytest.raises(AssertionError):
        check_gradient_error(risk, rng.normal(size=risk.rows.width), share=0.0)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_gradient_and_hessian_are_derivatives(loss: Loss, sparse: bool) -> None:
    rng = np.random.default_rng()
    rows = signed_rows(*table(), sparse=sparse)
    risk = EmpiricalRisk(rows, loss, 0.1, rng.normal(size=rows.width))
    theta = rng.normal(size=rows.width)
    g, _, H = risk.gradient_and_hessian(theta)
    np.testing.assert_allclose(g, risk.gradient(theta)[0], rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(g, approx_fprime(theta, risk.value, 1e-7), atol=1e-5)
    np.testing.assert_allclose(H, approx_fprime(theta, lambda t: risk.gradient(t)[0], 1e-7), atol=5e-2)
    if not isinstance(loss, HuberHinge):
        np.testing.assert_allclose(H, approx_fprime(theta, lambda t: risk.gradient(t)[0], 1e-7), atol=1e-6)


def test_dense_and_sparse_rows_give_the_same_solution() -> None:
    X, y = table()
    X[np.abs(X) < 0.4] = 0.0
    thetas = []
    for sparse in (False, True):
        risk = EmpiricalRisk(signed_rows(X, y, sparse=sparse), Logistic(), 1e-2)
        thetas.append(minimise(risk, risk.bounds.tolerance()).theta)
    np.testing.assert_allclose(*thetas, atol=1e-6)


def test_hessian_of_few_curved_rows_equals_that_of_all() -> None:
    rows = signed_rows(*table(2000))
    X, y = encoded(rows)
    theta = 3.0 * np.ones(rows.width)
    for width in (1e-3, 5.0):
        loss = HuberHinge(width)
        H = EmpiricalRisk(rows, loss, 1.0).gradient_and_hessian(theta)[2]
        w = loss.curvature(X @ theta, y)
        np.testing.assert_allclose(H, (X * w[:, None]).T @ X / rows.n + np.eye(rows.width), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("radius", [None, 0.5])
def test_squared_loss_reads_the_rows_once_and_solves_ridge(radius: float | None) -> None:
    rng = np.random.default_rng()
    X = rng.uniform(-0.5, 0.5, size=(400, 3))
    rows = open_rows(X, np.clip(X[:, 0] + 0.1 * rng.normal(size=400), -1, 1), Domain(), GEOMETRY)
    risk = EmpiricalRisk(rows, Squared(), 1e-3)
    theta = minimise(risk, risk.bounds.tolerance(radius), radius).theta
    Z, y = encoded(rows)
    if radius is None:
        oracle = Ridge(alpha=1e-3 * 400, fit_intercept=False).fit(Z, y).coef_
        np.testing.assert_allclose(theta, oracle, atol=1e-9)
    else:
        assert np.linalg.norm(theta) == pytest.approx(radius)


def test_squared_loss_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    passes = []
    total = Rows.total
    monkeypatch.setattr(Rows, "total", lambda self, kernel: passes.append(self.n) or total(self, kernel))
    rng = np.random.default_rng()
    rows = open_rows(rng.uniform(-0.5, 0.5, size=(40_000, 3)), rng.uniform(-1, 1, size=40_000), Domain(), GEOMETRY)
    risk = EmpiricalRisk(rows, Squared(), 1e-2)
    minimise(risk, risk.bounds.tolerance())
    assert passes == [40_000]


def test_agrees_with_scikit_learn() -> None:
    rows = signed_rows(*table(2000))
    risk = EmpiricalRisk(rows, Logistic(), 1e-3)
    theta = minimise(risk, risk.bounds.tolerance()).theta
    X, y = encoded(rows)
    oracle = LogisticRegression(C=1 / (1e-3 * 2000), fit_intercept=False, solver="newton-cholesky", tol=1e-10).fit(X, y)
    np.testing.assert_allclose(theta, oracle.coef_[0], atol=1e-6)


def check_minimiser_norm(share: float) -> None:
    for l2 in (1.0, 1e-2):
        for n in (1, 50):
            rows = open_rows(np.full((n, 1), 1.0), np.ones(n, dtype=int), CLASSES, Geometry(constant=None))
            for loss in (Logistic(), HuberHinge(3.0), Squared()):
                for b in (0.0, 2.0):
                    risk = EmpiricalRisk(rows.one_vs_rest(1), loss, l2, np.array([-b]))
                    theta = minimise(risk, risk.bounds.tolerance()).theta
                    assert np.linalg.norm(theta) <= share * risk.bounds.minimiser_norm


@pytest.mark.proof("minimiser-norm")
def test_minimisers_stay_inside_their_public_bound() -> None:
    check_minimiser_norm(1.0)


def test_half_the_bound_on_the_minimiser_is_refuted() -> None:
    with pytest.raises(AssertionError):
        check_minimiser_norm(0.5)


@pytest.mark.parametrize("radius", [None, 0.7])
@pytest.mark.parametrize(
    "y", [np.zeros(64, dtype=int), np.arange(64) % 2, np.full(64, 7)], ids=["one class", "both", "unknown"]
)
@pytest.mark.parametrize("value", [0.0, 1.0, 1e308, math.nan, -math.inf, 5e-324])
def test_any_table_is_solved_silently(value: float, y: np.ndarray, radius: float | None) -> None:
    rows = signed_rows(np.full((64, 3), value), y)
    with np.errstate(all="raise"):
        for loss in LOSSES:
            risk = EmpiricalRisk(rows, loss, 1e-3)
            assert minimise(risk, risk.bounds.tolerance(radius), radius).theta.shape == (4,)
        hinge = HingeRisk(rows, 1e-3)
        assert minimise_hinge(hinge, hinge.bounds.tolerance(radius), radius).theta.shape == (4,)


def test_public_bounds_do_not_read_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = signed_rows(*table())
    monkeypatch.setattr(Rows, "total", lambda self, kernel: pytest.fail("read the rows"))
    risk = EmpiricalRisk(rows, Logistic(), 1e-2, np.ones(rows.width))
    assert risk.bounds.tolerance(2.0) > 0.0
    assert risk.bounds == RiskBounds(Shape.of(rows), Logistic(), 1e-2, risk.bounds.linear_norm)
    assert HingeRisk(rows, 1e-2).bounds.tolerance() > 0.0


def test_default_tolerance_is_a_millionth_of_the_sensitivity_when_rounding_allows() -> None:
    shape = Shape.of(signed_rows(*table(1000)))
    bounds = RiskBounds(shape, Logistic(), 1e-2)
    reach = bounds.minimiser_norm * shape.norms.l2
    sensitivity = 2 * Logistic().constants(reach).slope * shape.norms.l2 / (1e-2 * 1000)
    assert bounds.tolerance() == pytest.approx(2.0**-20 * sensitivity, rel=1e-9)
    assert RiskBounds(replace(shape, n=10**12), Logistic(), 1e-2).tolerance() > 0.0


def test_a_larger_linear_term_never_has_a_smaller_tolerance() -> None:
    shape = Shape.of(signed_rows(*table()))
    floors = [RiskBounds(shape, Logistic(), 1e-2, b).tolerance(share=0.0) for b in (0.0, 0.1, 1.0, 10.0)]
    assert floors == sorted(floors)


@pytest.mark.parametrize("radius", [None, 0.5])
def test_hinge_risk_beats_its_neighbours(radius: float | None) -> None:
    rng = np.random.default_rng()
    rows = signed_rows(*table(500))
    risk = HingeRisk(rows, 1e-2, 0.1 * rng.normal(size=rows.width))
    tolerance = risk.bounds.tolerance(radius)
    theta = minimise_hinge(risk, tolerance, radius).theta
    slack = 2.0 * tolerance * risk.bounds.gradient_bounds(10.0).magnitude
    for scale in (1e-3, 0.1, 1.0):
        rival = theta + scale * rng.normal(size=rows.width)
        if radius is not None:
            rival *= min(1.0, radius / np.linalg.norm(rival))
        gap = 0.5 * risk.l2 * np.linalg.norm(rival - theta) ** 2
        assert risk.value(rival) >= risk.value(theta) + gap - slack


def test_hinge_subgradient_supports_the_risk() -> None:
    rng = np.random.default_rng()
    risk = HingeRisk(signed_rows(*table()), 1e-2)
    for _ in range(20):
        here, there = rng.normal(size=(2, risk.rows.width))
        support = risk.value(here) + risk.subgradient(here) @ (there - here)
        assert risk.value(there) >= support + 0.5 * risk.l2 * np.linalg.norm(there - here) ** 2 - 1e-12


def test_parameters_are_checked() -> None:
    rows = signed_rows(*table())
    for l2 in (0.0, -1.0, math.nan, math.inf):
        with pytest.raises(ParameterError, match="l2"):
            EmpiricalRisk(rows, Logistic(), l2)
        with pytest.raises(ParameterError, match="l2"):
            HingeRisk(rows, l2)
    with pytest.raises(ParameterError, match="smooth"):
        EmpiricalRisk(rows, Hinge(), 1.0)
    for kind in (lambda b: EmpiricalRisk(rows, Logistic(), 1.0, b), lambda b: HingeRisk(rows, 1.0, b)):
        with pytest.raises(ParameterError, match="linear"):
            kind(np.ones(2))
    with pytest.raises(ParameterError, match="linear_norm"):
        RiskBounds(Shape.of(rows), Logistic(), 1.0, math.nan)
    with pytest.raises(ParameterError, match="linear_norm"):
        HingeRiskBounds(Shape.of(rows), 1.0, math.inf)
