"""The whole law of the transcript on neighbouring tables, by enumeration: what is delivered is what is charged."""

import math
from typing import Any

import numpy as np
import pytest

from lasso_support import LOSSES, mechanism, renyi, rows_of, transcript_law
from tacit.mechanisms.lasso.frank_wolfe import L1Problem, VertexFrankWolfe, selection_budget
from tacit.mechanisms.problem import Shape
from tacit.privacy import ZCDP, Approx, Pure

pytestmark = pytest.mark.proof("bounded-range")

FEATURES = 4  # k = 8 vertices
ORDERS = (1.01, 1.5, 2.0, 4.0, 8.0, 32.0)
RADIUS = 2.0

# Mutants: by how much each makes the noise too small.
PRINTED_SENSITIVITY = 2.0  # L₁‖C‖₁/n counts a replaced row once
NO_FACTOR_TWO = 2.0  # scale Δ/ε₀ instead of 2Δ/ε₀
HALF_LOST = math.sqrt(2)  # ε₀ = √(16ρ/T): the half of ε₀/2 is lost once under the root


def pairs(loss: str) -> dict[str, tuple[Any, Any]]:
    """Neighbouring tables: balanced (the worst for Rényi divergences) and lopsided (the worst for log ratios)."""
    one = np.ones((1, FEATURES))
    half = np.vstack([one, np.zeros((1, FEATURES))])
    leaning = np.vstack([one, np.tile([1.0, 0.25, 0.0, 0.0], (9, 1))])
    flipped = np.vstack([[[1.0, -1.0, 1.0, -1.0]], np.zeros((1, FEATURES))])
    label = {"logistic": 1.0, "squared": 1.0}[loss]
    return {
        "flipped label": ((half, [label, label]), (half, [-label, label])),
        "flipped row": ((flipped, [label, label]), (-flipped, [label, label])),
        "leaning": ((leaning, [-label, *[label] * 9]), (leaning, [label] * 10)),
    }


def laws(loss: str, tables: Any, scale: float, steps: int) -> tuple[list[float], list[float]]:
    how: dict[str, Any] = {"loss": loss, "schedule": "stagewise", "radius": RADIUS, "grain": 2048}
    first, second = (transcript_law(np.array(X), np.array(y), scale, steps, **how) for X, y in tables)
    return list(first.values()), [second[path] for path in first]


def check_zcdp(loss: str, scale: float, steps: int, rho: float) -> None:
    for tables in pairs(loss).values():
        p, q = laws(loss, tables, scale, steps)
        for order in ORDERS:
            assert max(renyi(p, q, order), renyi(q, p, order)) <= order * rho * (1 + 1e-9)


def check_pure(loss: str, scale: float, steps: int, epsilon: float) -> None:
    for tables in pairs(loss).values():
        p, q = laws(loss, tables, scale, steps)
        assert np.abs(np.log(p) - np.log(q)).max() <= epsilon * (1 + 1e-9)


def fit_for(loss: str, charge: Pure | ZCDP, steps: int) -> VertexFrankWolfe:
    rows = rows_of(np.ones((2, FEATURES)), [1, -1], loss)
    return mechanism(rows, charge, steps, loss=loss, radius=RADIUS)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("steps", [1, 3])
def test_zcdp(loss: str, steps: int) -> None:
    charge = ZCDP(0.3)
    scale = fit_for(loss, charge, steps).unit_scale
    check_zcdp(loss, scale, steps, charge.rho)
    for too_small in (PRINTED_SENSITIVITY, NO_FACTOR_TWO, HALF_LOST):
        with pytest.raises(AssertionError):
            check_zcdp(loss, scale / too_small, steps, charge.rho)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("steps", [1, 3])
def test_pure(loss: str, steps: int) -> None:
    charge = Pure(6.0)
    scale = fit_for(loss, charge, steps).unit_scale
    check_pure(loss, scale, steps, charge.epsilon)
    for too_small in (PRINTED_SENSITIVITY, NO_FACTOR_TWO):
        with pytest.raises(AssertionError):
            check_pure(loss, scale / too_small, steps, charge.epsilon)


@pytest.mark.parametrize("steps", [1, 3])
def test_approximate(steps: int) -> None:
    """δ(ε) of the enumerated laws is within the budget that was asked for."""
    asked = Approx(1.0, 1e-3)
    charge = selection_budget(asked)
    assert isinstance(charge, ZCDP)
    scale = fit_for("logistic", charge, steps).unit_scale
    for tables in pairs("logistic").values():
        p, q = (np.array(law) for law in laws("logistic", tables, scale, steps))
        for first, second in ((p, q), (q, p)):
            assert np.maximum(first - math.e * second, 0).sum() <= asked.delta


def test_scales_by_hand() -> None:
    """2Δ/ε₀ with Δ = 2cLr/n, in real units and in whole units."""
    shape = Shape.of(rows_of(np.ones((50, 7)), [1] * 50))
    fit = VertexFrankWolfe(L1Problem(shape, LOSSES["logistic"], 3.0), ZCDP(0.5), 25)
    assert fit.step_epsilon == pytest.approx(math.sqrt(8 * 0.5 / 25))
    assert fit.problem.sensitivity == pytest.approx(2 * 3.0 * 0.5 / 50)
    assert fit.facts[0].law.scale == pytest.approx(2 * fit.problem.sensitivity / fit.step_epsilon)
    assert fit.unit_scale == pytest.approx(2 * 2 * 2.0**28 / fit.step_epsilon)
    pure = VertexFrankWolfe(L1Problem(shape, LOSSES["squared"], 3.0), Pure(0.5), 25)
    assert pure.step_epsilon == pytest.approx(0.5 / 25)
    assert pure.problem.sensitivity == pytest.approx(2 * 3.0 * 1.0 / 50)


def test_the_charge_is_never_exceeded() -> None:
    """T selections at the rounded ε₀ compose to no more than the charge."""
    shape = Shape.of(rows_of(np.ones((3, 2)), [1] * 3))
    problem = L1Problem(shape, LOSSES["logistic"], 3.0)
    for steps in range(1, 60):
        fit = VertexFrankWolfe(problem, ZCDP(0.1), steps)
        assert steps * fit.step_epsilon**2 / 8 <= 0.1 * (1 + 2**-52)
        assert 2 * 2.0**29 / fit.unit_scale <= fit.step_epsilon
        assert VertexFrankWolfe(problem, Pure(0.1), steps).step_epsilon * steps <= 0.1 * (1 + 2**-52)
