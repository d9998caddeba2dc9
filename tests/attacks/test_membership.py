"""Membership attacks find members of overfitted models, and stay below the bound on private ones."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy.stats import norm
from sklearn.linear_model import LinearRegression, LogisticRegression

from tacit.attacks import LikelihoodRatio, LossThreshold, Roc, largest_true_positive, membership
from tacit.audit import bound_from_draws
from tacit.domain import Domain
from tacit.errors import ParameterError
from tacit.estimators import PrivateLogisticRegression
from tacit.privacy import Approx, Pure

GENERATOR = np.random.default_rng()


def pool(n, d):
    X = GENERATOR.normal(size=(n, d))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    return X, (GENERATOR.random(n) < 0.5).astype(int)


@pytest.mark.statistical
@pytest.mark.parametrize("attack", [LossThreshold(), LikelihoodRatio(12)], ids=["loss", "likelihood ratio"])
@pytest.mark.parametrize("estimator", [LogisticRegression(C=100), LinearRegression()])
def test_an_overfitted_model_gives_its_members_away(attack, estimator):
    X, y = pool(40, 30)
    roc = membership(estimator, X, y, attack=attack, trials=8).roc
    assert roc.area > 0.65
    assert roc.advantage > 0.2


class Uneven:
    """Errors of very different size from person to person, and half as large for members."""

    def get_params(self, deep=True):
        return {}

    def fit(self, X, y):
        self.seen = {tuple(row) for row in X}
        return self

    def predict(self, X):
        return np.array([row[0] / 2 if tuple(row) in self.seen else row[0] for row in X])


def test_a_likelihood_ratio_knows_what_a_threshold_does_not():
    X, y = 10.0 ** GENERATOR.uniform(-3, 3, (60, 1)), np.zeros(60)
    assert membership(Uneven(), X, y, trials=10).roc.area < 0.7
    assert membership(Uneven(), X, y, attack=LikelihoodRatio(60), trials=10).roc.area > 0.999


def challenges(estimator, X, y, trials):
    """One person per trained model: independent observations of the attack, members and others."""
    seen = membership(estimator, X, y, trials=trials)
    people = GENERATOR.integers(0, len(y), trials)
    scores, inside = seen.scores[np.arange(trials), people], seen.members[np.arange(trials), people]
    return scores[inside], scores[~inside]


def assert_private(estimator, epsilon):
    X, y = pool(12, 2)
    members, others = challenges(estimator, X, y, 600)
    assert bound_from_draws(members, others, 1e-9) <= epsilon


@pytest.mark.statistical
def test_the_bound_holds_for_a_private_model_and_not_for_a_nearest_neighbour():
    domain = Domain(classes=(0, 1))
    assert_private(PrivateLogisticRegression(privacy=0.5, domain=domain), 0.5)
    with pytest.raises(AssertionError):
        assert_private(Memory(), 0.5)


class Memory:
    """The worst model there is: certain about the rows it has seen, and only about them."""

    def get_params(self, deep=True):
        return {}

    def fit(self, X, y):
        self.seen = {tuple(row) for row in X}
        return self

    def predict(self, X):
        return np.array([0.0 if tuple(row) in self.seen else 9.0 for row in X])


def test_the_curve_of_two_normals():
    shift = 1.0
    roc = Roc.of(GENERATOR.normal(shift, 1, 40_000), GENERATOR.normal(0, 1, 40_000))
    assert roc.area == pytest.approx(norm.cdf(shift / np.sqrt(2)), abs=0.02)
    assert roc.advantage == pytest.approx(2 * norm.cdf(shift / 2) - 1, abs=0.02)
    assert (roc.false_positive[0], roc.true_positive[0]) == (0, 0)
    assert (roc.false_positive[-1], roc.true_positive[-1]) == (1, 1)


def test_the_bound_is_tight_for_randomised_response_and_shared_by_both_tails():
    epsilon = 1.3
    truth = np.exp(epsilon) / (1 + np.exp(epsilon))
    assert largest_true_positive([1 - truth], Pure(epsilon)) == pytest.approx([truth])
    grid = np.linspace(0, 1, 101)
    bound = largest_true_positive(grid, Approx(epsilon, 0.01), 0.01)
    assert np.all(bound >= grid)
    assert np.all(bound <= 1)
    assert bound[0] == pytest.approx(0.01)


def test_a_plot_shows_bound_attack_and_coin():
    axes = Figure().subplots()
    Roc.of([1.0, 2.0], [0.0, 1.0]).plot(axes, Pure(1.0))
    assert [line.get_label().split(":")[0] for line in axes.get_lines()] == ["bound", "attack", "coin"]


@pytest.mark.parametrize(("wrong", "message"), [({"trials": 0}, "trials"), ({"attack": LikelihoodRatio(2)}, "shadow")])
def test_parameters_are_checked(wrong, message):
    X, y = pool(10, 2)
    with pytest.raises(ParameterError, match=message):
        membership(LinearRegression(), X, y, **{"trials": 1, **wrong})
