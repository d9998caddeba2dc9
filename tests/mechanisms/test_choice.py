"""What is chosen depends on public facts alone, is charged within the budget, and stays sound for any λ."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mechanisms_support import rows_of
from tacit.domain import Norms
from tacit.errors import ParameterError
from tacit.ledger import Ledger
from tacit.losses import CappedLogistic, Hinge, HuberHinge, Logistic, Squared
from tacit.mechanisms import defaults
from tacit.mechanisms.centred import CentredObjective
from tacit.mechanisms.choice import FitRequest, covariance, objective, output, plan_fit
from tacit.mechanisms.covariance import CovariancePerturbation
from tacit.mechanisms.laws import Gaussian, Laplace, SphericalLaplace
from tacit.mechanisms.moments import Entrywise, Frobenius, Nuclear
from tacit.mechanisms.objective import ObjectivePerturbation
from tacit.mechanisms.objective_noise import least_l2, objective_laws
from tacit.mechanisms.output import OutputPerturbation
from tacit.mechanisms.problem import Problem, Shape
from tacit.noise import SystemEntropy
from tacit.privacy import ZCDP, Approx, Budget, Pure

ADULT = Shape(36_177, 105, Norms(3.841, 1.0, 0.39), 15, 2496, 0.38)
SMALL = Shape(2_000, 6, Norms(math.sqrt(6), 1.0, 1.0), 6, 4096, 0.7)
BUDGETS = [Pure(0.1), Pure(3.0), Approx(0.3, 1e-6), Approx(3.0, 1e-3), ZCDP(0.01), ZCDP(20.0)]


def fits(charge: Budget, budget: Budget) -> bool:
    """Whether a charge is within a budget of any currency."""
    match budget:
        case Pure(epsilon):
            return isinstance(charge, Pure) and charge.epsilon <= epsilon
        case ZCDP(rho):
            return not isinstance(charge, Approx) and charge.to_zcdp().rho <= rho
        case Approx(epsilon, delta):
            if isinstance(charge, ZCDP):
                return charge.to_approx(delta).epsilon <= epsilon
            return charge.epsilon <= epsilon and getattr(charge, "delta", 0.0) <= delta


@pytest.mark.parametrize("shape", [ADULT, SMALL])
@pytest.mark.parametrize("budget", BUDGETS)
def test_no_plan_is_charged_more_than_the_budget(shape, budget):
    plans = [plan_fit(shape, FitRequest(loss), budget, "auto") for loss in (Logistic(), HuberHinge(0.5), Hinge())]
    plans += [plan_fit(shape, FitRequest(Squared()), budget, name) for name in ("auto", "objective", "output")]
    for plan in plans:
        assert fits(plan.mechanism.charge, budget), plan


def test_the_reference_for_charges_can_say_no():
    assert not fits(Pure(1.1), Pure(1.0))
    assert not fits(Pure(1.5), ZCDP(0.5))
    assert not fits(Approx(1.0, 1e-5), Approx(1.0, 1e-6))


def test_an_account_with_exactly_the_budget_accepts_each_plan(tmp_path):
    for number, budget in enumerate((Pure(1.0), Approx(1.0, 1e-6), ZCDP(0.2))):
        rows = rows_of([[0.5, 0.2], [-0.1, 0.3]], [1, -1])
        plan = objective(Shape.of(rows), FitRequest(Logistic()), budget)
        account = Ledger(f"sqlite:///{tmp_path}/{number}.db").open("all", limit=budget)
        account.run(plan.mechanism.charge, b"q", lambda: b"done")


@pytest.mark.parametrize("mechanism", ["auto", "objective", "output"])
def test_equal_public_facts_give_equal_plans(mechanism):
    """Plans are values: two tables with nothing private in common but the same shape get the same plan."""
    generator = np.random.default_rng()
    shapes = [Shape.of(rows_of(generator.normal(size=(20, 3)), generator.choice([-1, 1], 20))) for _ in range(2)]
    plans = [plan_fit(shape, FitRequest(Logistic()), Approx(1.0, 1e-6), mechanism) for shape in shapes]
    assert plans[0] == plans[1]
    assert dataclasses.replace(shapes[0], n=21) != shapes[1]


def test_the_quietest_law_is_taken():
    """Few non-zeros: Laplace. Few columns: pure even under (ε, δ), and δ is given back. Otherwise Gaussian."""
    assert isinstance(_objective(ADULT, Pure(1.0)).law, Laplace)
    assert isinstance(_objective(SMALL, Pure(1.0)).law, SphericalLaplace)
    assert isinstance(_objective(ADULT, Approx(1.0, 1e-6)).law, Gaussian)
    assert _objective(SMALL, Approx(1.0, 1e-9)).charge == Pure(1.0)
    assert _objective(ADULT, Approx(1.0, 1e-6)).charge == Approx(1.0, 1e-6)


def _objective(shape: Shape, budget: Budget) -> ObjectivePerturbation:
    mechanism = objective(shape, FitRequest(Logistic()), budget).mechanism
    assert isinstance(mechanism, ObjectivePerturbation)
    return mechanism


def test_automatic_choices_follow_the_documented_rule():
    assert isinstance(plan_fit(ADULT, FitRequest(Logistic()), Pure(1.0), "auto").mechanism, ObjectivePerturbation)
    assert isinstance(plan_fit(ADULT, FitRequest(Hinge()), Pure(1.0), "auto").mechanism, OutputPerturbation)
    regression = {
        (dataclasses.replace(SMALL, width=3), Pure(1.0)): CovariancePerturbation,  # d ≤ 3
        (SMALL, Pure(1.0)): CovariancePerturbation,  # d^1.5/(nε) = 0.007
        (SMALL, Pure(0.3)): CentredObjective,  # d^1.5/(nε) = 0.024
        (ADULT, Pure(1.0)): CentredObjective,  # d^1.5/(nε) = 0.03
        (dataclasses.replace(ADULT, n=10**7), Pure(1.0)): CovariancePerturbation,  # d^1.5/(nε) = 0.0001
        (dataclasses.replace(ADULT, constant=None), Pure(1.0)): CovariancePerturbation,
        (ADULT, Approx(1.0, 1e-6)): CovariancePerturbation,
        (ADULT, ZCDP(0.1)): CovariancePerturbation,
    }
    for (shape, budget), expected in regression.items():
        plan = plan_fit(shape, FitRequest(Squared()), budget, "auto")
        assert isinstance(plan.mechanism, expected)
        assert plan.why


def test_covariance_takes_the_norm_with_less_noise():
    sparse = Shape(1000, 400, Norms(1.5, 1.0, 1.0), 3, 100, 0.5)
    narrow = Shape(1000, 2, Norms(math.sqrt(2), 1.0, 1.0), 2, 4096, 0.7)
    huge = dataclasses.replace(SMALL, n=2**31)  # sums that might not fit the exact noise
    chosen = [covariance(shape, FitRequest(Squared()), Pure(1.0)).mechanism for shape in (sparse, SMALL, narrow, huge)]
    measures = [type(m.measure) for m in chosen if isinstance(m, CovariancePerturbation)]
    assert measures == [Entrywise, Nuclear, Frobenius, Frobenius]


@pytest.mark.parametrize("budget", BUDGETS)
def test_the_default_l2_lets_curvature_raise_the_noise_by_the_same_factor_in_every_currency(budget):
    share = defaults.curvature_share(budget)
    for loss in (Logistic(), CappedLogistic(), HuberHinge(0.5)):
        free = Problem(ADULT, loss, 1e30)
        problem = Problem(ADULT, loss, least_l2(free, budget, share))
        noise, least = (objective_laws(each, budget)[0].scale for each in (problem, free))
        assert 0.85 <= least / noise <= 1.0
        if isinstance(budget, Pure) and not isinstance(loss, Logistic):
            assert least / noise == pytest.approx(0.85, rel=1e-9)
        assert defaults.objective_l2(ADULT, loss, budget, None) >= problem.l2


def test_an_l2_too_small_for_the_theorem_is_raised_and_said():
    plan = objective(SMALL, FitRequest(Logistic(), l2=1e-12), Pure(0.5))
    assert isinstance(plan.mechanism, ObjectivePerturbation)
    assert plan.mechanism.problem.l2 > 1e-12
    assert "l2 raised" in " ".join(plan.mechanism.facts[0].notes)


def test_objective_perturbation_refuses_an_l2_whose_curvature_eats_the_budget():
    with pytest.raises(ParameterError, match="l2 is too small"):
        ObjectivePerturbation(Problem(SMALL, Logistic(), 1e-9), Pure(0.5)).charge  # noqa: B018


@given(l2=st.floats(1e-14, 1e6), radius=st.sampled_from([None, 1e-3, 1.0, 100.0]))
@settings(max_examples=60)
def test_output_perturbation_is_calibrated_for_any_l2(l2, radius):
    """Tiny λ: the sensitivity is that of the region, never less than the solver's tolerance needs."""
    for loss in (Logistic(), HuberHinge(0.5), Hinge(), Squared()):
        mechanism = OutputPerturbation(Problem(SMALL, loss, l2, radius), Pure(1.0))
        total, region = mechanism.sensitivity.total, mechanism.problem.minimiser_radius
        assert 0 < total < math.inf
        assert total <= (2 * region + 2 * mechanism.tolerance) * (1 + 1e-9)
        assert mechanism.law.scale >= total


def test_tiny_l2_still_fits():
    rows = rows_of([[0.5, 0.2], [-0.1, 0.3], [0.9, -0.1]], [1, -1, 1])
    for loss in (Logistic(), HuberHinge(0.5)):
        mechanism = output(Shape.of(rows), FitRequest(loss, l2=1e-10), Pure(1.0)).mechanism
        assert np.all(np.isfinite(mechanism(rows, SystemEntropy()).theta))


def test_hinge_by_objective_perturbation_is_refused_with_a_reason():
    with pytest.raises(ParameterError, match="smooth"):
        plan_fit(SMALL, FitRequest(Hinge()), Pure(1.0), "objective")
    with pytest.raises(ParameterError, match="radius"):
        ObjectivePerturbation(Problem(SMALL, Squared(), 1.0), Pure(1.0))


def test_unknown_mechanisms_and_requests_the_functional_mechanism_cannot_keep_are_refused():
    for name, request, budget in (
        ("magic", FitRequest(Logistic()), Pure(1.0)),
        ("functional", FitRequest(Logistic()), ZCDP(1.0)),
        ("functional", FitRequest(Logistic(), l2=1.0), Pure(1.0)),
        ("functional", FitRequest(HuberHinge(0.5)), Pure(1.0)),
    ):
        with pytest.raises(ParameterError):
            plan_fit(SMALL, request, budget, name)


def test_output_perturbation_is_taken_where_it_is_quieter():
    few = Shape(100, 10, Norms(math.sqrt(10), 1.0, 1.0), 10, 4096, 0.7)
    chosen = plan_fit(few, FitRequest(Logistic()), Pure(0.1), "auto")
    tilted = objective(few, FitRequest(Logistic()), Pure(0.1)).mechanism
    assert isinstance(chosen.mechanism, OutputPerturbation)
    assert chosen.mechanism.problem.l2 == tilted.problem.l2
    assert chosen.mechanism.law.deviation(10) < 0.6 * tilted.law.deviation(10) / (100 * tilted.problem.l2)
    assert "output perturbation" in chosen.why
    for shape, budget in ((ADULT, Pure(0.1)), (ADULT, Approx(1.0, 1e-6)), (SMALL, Pure(1.0))):
        for loss in (Logistic(), CappedLogistic(), HuberHinge(0.5)):
            assert isinstance(plan_fit(shape, FitRequest(loss), budget, "auto").mechanism, ObjectivePerturbation)
