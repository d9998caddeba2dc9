"""The whole law of the transcript on neighbouring tables, by enumeration: what is delivered is what is charged."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from lasso_support import LOSSES, UNITS, mechanism, renyi, rows_of, transcript_law
from tacit.mechanisms.lasso.candidates import BOTH_SIGNS, SCORE_CHANGE, SIGNS_IN_TURN, BothSigns, Candidates
from tacit.mechanisms.lasso.frank_wolfe import VertexFrankWolfe
from tacit.mechanisms.lasso.l1_problem import L1Problem
from tacit.mechanisms.problem import Shape
from tacit.privacy import ZCDP, Approx, Budget, Pure

pytestmark = [pytest.mark.proof("bounded-range"), pytest.mark.proof("signs-in-turn")]

ORDERS = (1.01, 1.5, 2.0, 4.0, 8.0, 32.0)
LONG, SHORT = 2.0, 0.05  # ℓ1 radii: slopes change from step to step, or stay, so that T steps leak the same way

# Mutants: by how much each makes the noise too small.
MUTANTS = {
    "the printed sensitivity L₁‖C‖₁/n counts a replaced row once": 2.0,
    "scale Δ/ε₀ instead of 2Δ/ε₀": 2.0,
    "ε₀ without /2 where it enters ρ = ε₀²/8": math.sqrt(2),
}

Table = tuple[Any, Any]
Check = Callable[[list[float], list[float]], None]


@dataclass(frozen=True)
class Case:
    """Neighbouring tables over k = 8 candidates: balanced (the worst for Rényi divergences) to lopsided."""

    candidates: Candidates
    pairs: tuple[tuple[Table, Table], ...]


def beside(row: Any, label: float, others: Any, labels: Any) -> Table:
    return np.vstack([row, others]), np.array([label, *labels])


def both_signs() -> Case:
    """Four features, eight vertices. A replaced row moves all scores of one sign up and all of the other down."""
    one, still = np.ones((1, 4)), np.zeros((1, 4))
    row = np.array([[1.0, -1.0, 1.0, -1.0]])
    pairs = [((np.vstack([row, still]), np.ones(2)), (np.vstack([-row, still]), np.ones(2)))]
    for lean in (0.0, 0.5, 1.0):
        rest = np.full((1, 4), lean), [1.0]
        pairs.append((beside(one, 1.0, *rest), beside(one, -1.0, *rest)))
    leaning = np.ones((24, 4)), [1.0] * 24
    pairs.append((beside(one, -1.0, *leaning), beside(one, 1.0, *leaning)))
    return Case(BOTH_SIGNS, tuple(pairs))


def one_sign() -> Case:
    """Eight features, one sign a step. A replaced row of the same label moves four scores up and four down."""
    first, second = np.repeat([[1.0, 0.0]], 4, axis=1), np.repeat([[0.0, 1.0]], 4, axis=1)
    pairs = []
    for lean in (0.0, 0.5, 1.0):
        rest = lean * first, [1.0]
        pairs.append((beside(first, 1.0, *rest), beside(second, 1.0, *rest)))
    leaning = np.repeat(first, 24, axis=0), [1.0] * 24
    pairs.append((beside(second, 1.0, *leaning), beside(first, 1.0, *leaning)))
    return Case(SIGNS_IN_TURN, tuple(pairs))


CASES = {"both signs": both_signs(), "signs in turn": one_sign()}


def check(case: Case, loss: str, scale: float, steps: int, is_within: Check, radius: float = SHORT) -> None:
    how: dict[str, Any] = {"loss": loss, "schedule": "stagewise", "radius": radius, "grain": 2048}
    for tables in case.pairs:
        first, second = (transcript_law(X, y, scale, steps, case.candidates, **how) for X, y in tables)
        p, q = list(first.values()), [second[path] for path in first]
        is_within(p, q)
        is_within(q, p)


def pure(epsilon: float) -> Check:
    def is_within(p: list[float], q: list[float]) -> None:
        assert np.abs(np.log(p) - np.log(q)).max() <= epsilon * (1 + 1e-9)

    return is_within


def zcdp(rho: float) -> Check:
    def is_within(p: list[float], q: list[float]) -> None:
        for order in ORDERS:
            assert renyi(p, q, order) <= order * rho * (1 + 1e-9)

    return is_within


def approximate(epsilon: float, delta: float) -> Check:
    def is_within(p: list[float], q: list[float]) -> None:
        assert np.maximum(np.array(p) - math.exp(epsilon) * np.array(q), 0).sum() <= delta

    return is_within


def fit_for(case: Case, loss: str, budget: Budget, steps: int) -> VertexFrankWolfe:
    X, y = case.pairs[0][0]
    charge = budget.additive()
    return mechanism(rows_of(X, y, loss), charge, steps, loss=loss, candidates=case.candidates)


# (ε, δ) where the conversion from zCDP is nearest to the truth, so that a mutant shows.
PROMISES: list[tuple[int, Budget, Check]] = [
    (1, Pure(6.0), pure(6.0)),
    (3, Pure(6.0), pure(6.0)),
    (1, ZCDP(0.3), zcdp(0.3)),
    (3, ZCDP(0.3), zcdp(0.3)),
    (1, Approx(0.5, 0.1), approximate(0.5, 0.1)),
    (3, Approx(1.0, 0.01), approximate(1.0, 0.01)),
]


@pytest.mark.parametrize(("steps", "budget", "promise"), PROMISES, ids=lambda x: str(x) if not callable(x) else "")
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_what_is_promised_is_kept_and_mutants_break_it(
    case: Case, loss: str, steps: int, budget: Budget, promise: Check
) -> None:
    scale = fit_for(case, loss, budget, steps).unit_scale
    for radius in (LONG, SHORT):
        check(case, loss, scale, steps, promise, radius)
    for too_small in MUTANTS.values():
        with pytest.raises(AssertionError):
            check(case, loss, scale / too_small, steps, promise)


@pytest.mark.parametrize("loss", LOSSES)
def test_half_the_range_is_not_enough_elsewhere(loss: str) -> None:
    """Mutants: both signs at once with the range of one sign, and one sign with cells below 0."""
    scale = fit_for(CASES["signs in turn"], loss, ZCDP(0.3), 1).unit_scale
    with pytest.raises(AssertionError):
        check(CASES["both signs"], loss, scale, 1, zcdp(0.3))
    row = np.repeat([[1.0, -1.0]], 4, axis=1)
    negative = Case(SIGNS_IN_TURN, (((row, np.ones(1)), (-row, np.ones(1))),))
    with pytest.raises(AssertionError):
        check(negative, loss, scale, 1, zcdp(0.3))


def test_scales_by_hand() -> None:
    """R/ε₀ with R = 4cLr/n or 2cLr/n, in real units and in whole units."""
    shape = Shape.of(rows_of(np.ones((50, 7)), [1] * 50))
    fit = VertexFrankWolfe(L1Problem(shape, LOSSES["logistic"], 3.0), ZCDP(0.5), 25)
    assert fit.step_epsilon == pytest.approx(math.sqrt(8 * 0.5 / 25))
    assert fit.problem.score_range == pytest.approx(4 * 3.0 * 0.5 / 50)
    assert fit.facts[0].law.scale == pytest.approx(fit.problem.score_range / fit.step_epsilon)
    assert fit.unit_scale == pytest.approx(4 * 2.0**28 / fit.step_epsilon)
    pure_fit = VertexFrankWolfe(L1Problem(shape, LOSSES["squared"], 3.0), Pure(0.5), 25)
    assert pure_fit.step_epsilon == pytest.approx(0.5 / 25)
    assert pure_fit.problem.score_range == pytest.approx(4 * 3.0 * 1.0 / 50)
    turns = VertexFrankWolfe(L1Problem(shape, LOSSES["squared"], 3.0, candidates=SIGNS_IN_TURN), Pure(0.5), 25)
    assert turns.problem.score_range == pytest.approx(2 * 3.0 * 1.0 / 50)
    assert turns.unit_scale == pytest.approx(pure_fit.unit_scale / 2)
    assert "signs-in-turn" in turns.facts[0].theorems


def test_the_charge_is_never_exceeded() -> None:
    """T selections at the rounded ε₀ compose to no more than the charge."""
    shape = Shape.of(rows_of(np.ones((3, 2)), [1] * 3))
    problem = L1Problem(shape, LOSSES["logistic"], 3.0)
    for steps in range(1, 60):
        fit = VertexFrankWolfe(problem, ZCDP(0.1), steps)
        assert steps * fit.step_epsilon**2 / 8 <= 0.1 * (1 + 2**-52)
        assert BothSigns().score_range / fit.unit_scale <= fit.step_epsilon
        assert VertexFrankWolfe(problem, Pure(0.1), steps).step_epsilon * steps <= 0.1 * (1 + 2**-52)


def check_range(candidates: Candidates, changes: Any, step: int) -> None:
    """The changes of candidates' scores lie in an interval of the claimed length."""
    moved = np.concatenate([sign * changes for sign in candidates.signs(step)])
    assert moved.max() - moved.min() <= candidates.score_range


def test_the_range_of_changes_for_all_extreme_rows() -> None:
    """Changes D'X' − DX are largest at corners: all of them, over two features, for every sign and step."""
    slopes, cells = (-UNITS, 0, UNITS), {BOTH_SIGNS: (-UNITS, 0, UNITS), SIGNS_IN_TURN: (0, UNITS)}
    seen: dict[Candidates, int] = {}
    for candidates, corners in cells.items():
        pairs = np.array(np.meshgrid(*[corners] * 4)).reshape(4, -1).T
        for d in slopes:
            for e in slopes:
                for x in pairs:
                    changes = e * x[2:] - d * x[:2]
                    for step in (1, 2):
                        check_range(candidates, changes, step)
                    moved = np.concatenate([sign * changes for sign in candidates.signs(1)])
                    seen[candidates] = max(seen.get(candidates, 0), int(moved.max() - moved.min()))
    assert seen == {BOTH_SIGNS: 2 * SCORE_CHANGE, SIGNS_IN_TURN: SCORE_CHANGE}
    with pytest.raises(AssertionError):
        check_range(SIGNS_IN_TURN, UNITS**2 * np.array([2, -2]), 1)
