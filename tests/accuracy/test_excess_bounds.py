"""Bounds on an excess risk without a pass: never above it, near it where it matters, and of no consequence."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from accuracy_support import LOSSES, rows_of, table
from tacit.mechanisms.accuracy import excess_bounds
from tacit.mechanisms.accuracy.excess_bounds import SelfConcordance, StrongConvexity
from tacit.mechanisms.accuracy.excess_risk import ExcessRisk, OpenedRisk
from tacit.mechanisms.accuracy.gradual import into_ball
from tacit.mechanisms.problem import Problem, Shape

NAMES = list(LOSSES)
CAP = 0.05


def opened(name: str, l2: float = 0.02, radius: float | None = None, seed: int = 0) -> OpenedRisk:
    rows = table(LOSSES[name], n=400, seed=seed)
    problem = Problem(Shape.of(rows), LOSSES[name], l2, radius)
    return ExcessRisk(replace(problem, radius=problem.minimiser_radius), CAP).open(rows)


def hypotheses(risk: OpenedRisk, count: int = 400) -> np.ndarray:
    """Steps from the minimiser of every length, in every direction."""
    rng = np.random.default_rng()
    steps = rng.normal(size=(count, risk.best.size)) * np.geomspace(1e-4, 3, count)[:, None]
    return into_ball(risk.best + steps, risk.query.radius)


def check_bound(risk: OpenedRisk, bound) -> None:
    thetas = hypotheses(risk)
    true = -replace(risk, query=replace(risk.query, cap=None)).values(thetas)
    assert np.all(bound.below(thetas) <= true + 2 * risk.query.error)


@pytest.mark.proof("excess-risk-bound")
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("radius", [None, 0.3])
def test_the_bound_is_below_the_excess_risk(name, radius):
    for seed in range(3):
        risk = opened(name, radius=radius, seed=seed)
        check_bound(risk, risk.known)
        check_bound(risk, StrongConvexity(risk.best, risk.query.problem.l2, risk.query.tolerance))


@pytest.mark.proof("excess-risk-bound")
def test_bounds_without_their_proof_fail_the_check(monkeypatch):
    """Twice λ; and the curvature at the minimiser taken for the curvature everywhere."""
    flat = rows_of(np.full((50, 2), 1e-3), np.tile([1.0, -1.0], 25), LOSSES["logistic"])
    problem = Problem(Shape.of(flat), LOSSES["logistic"], 0.02)
    even = ExcessRisk(replace(problem, radius=problem.minimiser_radius), CAP).open(flat)
    with pytest.raises(AssertionError):
        check_bound(even, StrongConvexity(even.best, 2 * problem.l2, even.query.tolerance))
    risk = opened("logistic")
    monkeypatch.setattr(excess_bounds, "_least_share", lambda rho: np.full_like(rho, 0.5))
    with pytest.raises(AssertionError):
        check_bound(risk, risk.known)


@pytest.mark.proof("excess-risk-bound")
def test_near_the_minimiser_the_logistic_bound_is_nearly_the_excess_risk():
    risk = opened("logistic")
    thetas = risk.best + 0.05 * np.random.default_rng().normal(size=(50, risk.best.size))
    true = -replace(risk, query=replace(risk.query, cap=None)).values(thetas)
    assert isinstance(risk.known, SelfConcordance)
    assert np.all(risk.known.below(thetas) > 0.8 * true)


@dataclass(frozen=True)
class Slack:
    """A bound that says nothing."""

    def below(self, thetas: np.ndarray) -> np.ndarray:
        return np.zeros(len(thetas))


@pytest.mark.proof("truncated-excess-risk")
@pytest.mark.parametrize("name", NAMES)
def test_hypotheses_known_to_be_bad_are_at_the_cap_and_no_value_exceeds_its_bound(name):
    risk = opened(name)
    thetas = hypotheses(risk)
    skipped = risk.known.below(thetas) >= CAP
    assert 0 < skipped.sum() < len(thetas)
    values = risk.values(thetas)
    np.testing.assert_allclose(values, replace(risk, known=Slack()).values(thetas), rtol=0, atol=2 * risk.query.error)
    assert np.all(values[skipped] == -CAP)
    assert np.all(values <= risk.bounds(thetas))


def test_hessians_are_computed_as_exactly_as_claimed():
    rows = table(LOSSES["logistic"], n=3000, d=4)
    problem = Problem(Shape.of(rows), LOSSES["logistic"], 0.02)
    risk = ExcessRisk(replace(problem, radius=problem.minimiser_radius), CAP).open(rows)
    assert isinstance(risk.known, SelfConcordance)
    blocks = []
    rows.total(lambda X, y: blocks.append((X.copy(), y.copy())) or 0.0)
    X, y = np.vstack([b[0] for b in blocks]).astype(np.longdouble), np.concatenate([b[1] for b in blocks])
    p = 1 / (1 + np.exp(y * (X @ risk.best)))
    exact = (X * (p * (1 - p))[:, None]).T @ X / len(y) + np.longdouble(0.02) * np.eye(4)
    error = float(np.linalg.norm((risk.known.hessian - exact).astype(float), 2))
    assert error <= risk.known.hessian_error < 1e-9
