"""The cases of `tacit audit`: silent on correct mechanisms, loud on the same with too little noise."""

import dataclasses

import numpy as np
import pytest
from scipy.stats import laplace, norm

from tacit import noise
from tacit.audit import Case, Finding, bound_from_draws, law_holds, own_cases, pair_loss, worst_pair
from tacit.audit.own import CROWDED, HIGH, L2, LOW, ROWS, tilt_scale
from tacit.audit.targets import draw
from tacit.audit.tilted import TiltedLogistic, tilted_pair_loss, tilted_score
from tacit.domain import Domain, Geometry
from tacit.errors import ParameterError
from tacit.losses import CappedLogistic, Logistic
from tacit.mechanisms.laws import SphericalLaplace
from tacit.mechanisms.objective import ObjectivePerturbation
from tacit.mechanisms.output import OutputPerturbation
from tacit.mechanisms.problem import Problem, Shape
from tacit.privacy import Pure
from tacit.rows import open_rows

GENERATOR = np.random.default_rng()
ENTROPY = noise.SystemEntropy()


def line():
    return Shape.of(open_rows(np.zeros((ROWS, 1)), np.zeros(ROWS), Domain(), Geometry(constant=None)))


@pytest.mark.statistical
@pytest.mark.parametrize("case", own_cases(0.02), ids=lambda case: case.name)
def test_nothing_is_found_on_tacit(case):
    assert not Finding(case, case.measure(1 - 1e-9)).violated


@pytest.mark.parametrize(
    ("bound", "loss", "verdict"),
    [
        (0.9, None, "nothing found"),
        (1.1, None, "VIOLATED (measured)"),
        (0.2, 1.1, "VIOLATED (computed)"),
        (0.6, 0.5, "VIOLATED (against exact)"),
        (0.5, 0.5, "nothing found"),
        (1.0, 1.0 + 1e-12, "nothing found"),
    ],
)
def test_a_finding_says_what_refutes_the_claim(bound, loss, verdict):
    finding = Finding(Case("a mechanism", 1.0, loss, lambda confidence: 0.0), bound)
    assert finding.verdict == verdict
    assert finding.violated == verdict.startswith("VIOLATED")


def releases(mechanism, runs):
    return [draw(mechanism, rows, runs) for rows in worst_pair(mechanism)]


def assert_within_exact_loss(mechanism, loss, score):
    """Against the exact loss on the pair; false alarm at most 1e-9."""
    first, second = releases(mechanism, 250)
    assert bound_from_draws(first, second, 1e-9, score=score) <= loss


class QuietOutput(OutputPerturbation):
    """Mutant: a twentieth of the noise."""

    @property
    def law(self):
        return SphericalLaplace(super().law.scale / 20)


class QuietObjective(ObjectivePerturbation):
    """Mutant: the same budget, tilted by a twentieth of the noise."""

    @property
    def law(self):
        return SphericalLaplace(super().law.scale / 20)


@pytest.mark.statistical
def test_output_perturbation_stays_within_its_exact_loss_and_a_quiet_mutant_does_not():
    problem = Problem(line(), Logistic(), L2)
    loss, score = pair_loss.output_pair_loss(HIGH, LOW, L2), lambda outputs: outputs[:, 0]
    assert_within_exact_loss(OutputPerturbation(problem, Pure(1.0)), loss, score)
    with pytest.raises(AssertionError):
        assert_within_exact_loss(QuietOutput(problem, Pure(1.0)), loss, score)


@pytest.mark.statistical
def test_objective_perturbation_stays_within_its_exact_loss_and_a_quiet_mutant_does_not():
    problem = Problem(line(), Logistic(), L2)
    tilts = [TiltedLogistic(rows, ROWS * L2, tilt_scale(1.0)) for rows in (HIGH, LOW)]
    loss, score = tilted_pair_loss(*tilts) + 2**-10, tilted_score(*tilts)
    assert_within_exact_loss(ObjectivePerturbation(problem, Pure(1.0)), loss, score)
    with pytest.raises(AssertionError):
        assert_within_exact_loss(QuietObjective(problem, Pure(1.0)), loss, score)


def test_the_capped_loss_attains_its_whole_budget_on_the_crowded_pair():
    tilts = [TiltedLogistic(rows, ROWS * L2, tilt_scale(0.5), 0.5) for rows in CROWDED]
    assert tilted_pair_loss(*tilts) + 2**-10 == pytest.approx(1.0, abs=1e-6)
    mechanism = ObjectivePerturbation(Problem(line(), CappedLogistic(), L2), Pure(1.0))
    assert mechanism.law.scale == pytest.approx(tilt_scale(0.5), rel=1e-9)
    assert ObjectivePerturbation(Problem(line(), Logistic(), L2), Pure(1.0)).law.scale == pytest.approx(
        tilt_scale(1.0), rel=1e-6
    )
    curvature_dropped = [TiltedLogistic(rows, ROWS * L2, 1 / (1 - 2**-10), 0.5) for rows in CROWDED]
    assert tilted_pair_loss(*curvature_dropped) > 1.1


@pytest.mark.statistical
def test_the_exact_density_of_a_tilted_minimum_is_that_of_the_mechanism():
    tilted = TiltedLogistic(HIGH, ROWS * L2, tilt_scale(1.0))
    grid = np.linspace(-40, 40, 400_001)
    mass = np.exp(tilted.log_density(grid))
    steps = np.concatenate([[0.0], np.cumsum((mass[1:] + mass[:-1]) / 2 * np.diff(grid))])
    assert steps[-1] == pytest.approx(1, abs=1e-6)
    mechanism = ObjectivePerturbation(Problem(line(), Logistic(), L2), Pure(1.0))
    sample = draw(mechanism, worst_pair(mechanism)[0], 400)
    assert law_holds(sample, lambda x: np.interp(x, grid, steps), 1e-9)
    assert not law_holds(3 * sample, lambda x: np.interp(x, grid, steps), 1e-9)


def test_exact_losses_of_known_laws():
    assert pair_loss.gaussian_pair_loss(1.0, 1 / 1.0, 0.38292492254802624) == pytest.approx(0.0, abs=1e-9)
    assert pair_loss.permute_and_flip_law([0.0, 0.0], 1.0) == pytest.approx([0.5, 0.5])
    assert pair_loss.permute_and_flip_law([0.0, -2.0], 1.0) == pytest.approx([1 - np.exp(-2) / 2, np.exp(-2) / 2])
    assert pair_loss.exponential_law([1.0, 0.0], 0.5) == pytest.approx([1 / (1 + np.exp(-2)), 1 / (1 + np.exp(2))])
    assert pair_loss.above_threshold_law([0.0], 0.0, 1.0, 1.0) == pytest.approx([0.5, 0.5], abs=1e-6)
    assert pair_loss.above_threshold_law([0.0, 5.0, 1.0], 0.5, 2.0, 4.0).sum() == pytest.approx(1, abs=1e-6)


@pytest.mark.statistical
@pytest.mark.parametrize("wrong", [False, True])
def test_the_law_test_sees_a_scale_that_is_ten_percent_off(wrong):
    sample = noise.laplace(np.zeros(100_000), 0.9 if wrong else 1.0, ENTROPY)
    assert law_holds(sample, laplace.cdf, 1e-9) != wrong
    normal = noise.gaussian(np.zeros(100_000), 0.9 if wrong else 1.0, ENTROPY)
    assert law_holds(normal, norm.cdf, 1e-9) != wrong


def test_no_pair_is_made_up_for_what_is_not_known():
    @dataclasses.dataclass(frozen=True)
    class Unknown:
        shape: Shape

    with pytest.raises(ParameterError, match="pass a pair"):
        worst_pair(Unknown(line()))
    with pytest.raises(ParameterError, match="pass a pair"):
        worst_pair(object())
