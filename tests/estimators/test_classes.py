"""One release per class: independent noise, and a budget that all of them together keep."""

from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from tacit import ZCDP, Approx, Domain, PrivateLinearSVC, PrivateLogisticRegression, Pure
from tacit.domain import CLASSIFICATION
from tacit.noise import Entropy, SeededEntropy, SystemEntropy
from tacit.privacy import compose, share_among
from tacit.rows import open_rows

WIDTH = 300
DOMAIN = Domain(classes=(0, 1, 2))
X = np.zeros((12, WIDTH))
Y = np.array([0, 1, 2] * 4)


def released(entropies: Callable[[int], Entropy], budget: Any) -> np.ndarray:
    """Coefficients of features that are 0 in every row: nothing but noise, one row per class."""
    model = PrivateLogisticRegression(privacy=budget, domain=DOMAIN)
    fit = model._order(X, Y).job
    rows = open_rows(X, Y, DOMAIN, CLASSIFICATION)
    thetas = [fit.plan.mechanism(part.of(rows), entropies(k)).theta for k, part in enumerate(fit.parts)]
    return np.stack(thetas)[:, :-1]


def check_uncorrelated(noise: np.ndarray) -> None:
    """Signs of two independent symmetric vectors agree in half of the places: ±6.3 deviations is below 1e-9 in all."""
    for one, other in combinations(noise, 2):
        agreeing = np.count_nonzero((one > 0) == (other > 0))
        assert abs(agreeing - WIDTH / 2) <= 6.3 * np.sqrt(WIDTH) / 2


@pytest.mark.statistical
@pytest.mark.parametrize("budget", [Pure(1.0), ZCDP(0.5), Approx(1.0, 1e-6)], ids=str)
def test_noise_is_independent_for_each_class(budget: Any) -> None:
    model = PrivateLogisticRegression(privacy=budget, domain=DOMAIN).fit(X, Y)
    check_uncorrelated(model.encoded_coef_[:, :-1])


@pytest.mark.statistical
def test_shared_noise_is_caught() -> None:
    with pytest.raises(AssertionError):
        check_uncorrelated(released(lambda _: SeededEntropy(5), ZCDP(0.5)))


@pytest.mark.statistical
def test_partly_shared_noise_is_caught() -> None:
    first, second, third = released(lambda _: SystemEntropy(), ZCDP(0.5))
    with pytest.raises(AssertionError):
        check_uncorrelated(np.stack([first + 2 * third, second + 2 * third]))


@pytest.mark.parametrize("budget", [Pure(1.0), Pure(0.3), ZCDP(0.01), Approx(0.7, 1e-9), Approx(3.0, 1e-5)], ids=str)
@pytest.mark.parametrize("count", [3, 7, 10, 13, 22])
def test_shares_fit_the_budget(budget: Any, count: int) -> None:
    together = compose(*[share_among(budget, count)] * count)
    match budget:
        case Pure(epsilon):
            assert together.epsilon <= epsilon
        case ZCDP(rho):
            assert together.rho <= rho
        case Approx(epsilon, delta):
            assert together.to_approx(delta).epsilon <= epsilon


@pytest.mark.parametrize("budget", [Pure(1.0), ZCDP(0.5), Approx(1.0, 1e-9)], ids=str)
def test_the_certificate_adds_up(budget: Any) -> None:
    """The guarantee is the composition of the releases and is within what was asked."""
    certificate = PrivateLinearSVC(privacy=budget, domain=DOMAIN).fit(X[:, :4], Y).certificate_
    assert len(certificate.releases) == 3
    match budget:
        case Pure(epsilon):
            assert certificate.guarantee.epsilon <= epsilon
        case ZCDP(rho):
            assert certificate.guarantee.rho <= rho
        case Approx(epsilon, delta):
            assert certificate.delta == delta
            assert certificate.guarantee.to_approx(delta).epsilon <= epsilon
