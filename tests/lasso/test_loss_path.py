"""The loss along the path is a further release with a price of its own."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from lasso_support import LOSSES, mechanism, rows_of, small_table
from tacit.mechanisms.lasso.path import PATH, LossPath, with_loss_path
from tacit.noise import SystemEntropy
from tacit.privacy import ZCDP, Approx, Pure, compose

pytestmark = pytest.mark.proof("loss-path")
FEATURES, SIGNS = np.array([0, 1, 0, 2]), np.array([1, -1, 1, 1])


def path_of(X: Any, y: Any, loss: str, charge: Any = None) -> LossPath:
    rows = rows_of(X, y, loss, sparse=False)
    return LossPath(mechanism(rows, ZCDP(1.0), 4, loss=loss, radius=3.0), charge or ZCDP(0.5))


def check_change(X: Any, y: Any, row: Any, target: float, loss: str, share: float = 1.0) -> None:
    changed, other = X.copy(), y.copy()
    changed[0], other[0] = row, target
    path = path_of(X, y, loss)
    sums = [path._loss_sums(rows_of(A, b, loss, sparse=False), FEATURES, SIGNS) for A, b in ((X, y), (changed, other))]
    assert np.linalg.norm(sums[0] - sums[1]) <= share * path.sensitivity.total


@given(row=arrays(np.float64, 3, elements=st.floats(width=64)), target=st.sampled_from([-1.0, 1.0]))
@pytest.mark.parametrize("loss", LOSSES)
def test_no_row_moves_the_losses_further(loss: str, row: Any, target: float) -> None:
    X, y = small_table(2, 5, 3, loss)
    check_change(X, y, row, target, loss)


def test_half_the_sensitivity_is_too_little() -> None:
    """A row that every step moves the wrong way against one that is always right."""
    X, y = np.array([[1.0, -1.0, 1.0]]), np.array([1.0])
    check_change(X, y, X[0], -1.0, "squared")
    with pytest.raises(AssertionError):
        check_change(X, y, X[0], -1.0, "squared", 0.5)


@pytest.mark.parametrize("loss", LOSSES)
def test_no_loss_exceeds_the_largest(loss: str) -> None:
    path = path_of(*small_table(2, 5, 3, loss), loss)
    scores = np.linspace(-3, 3, 401)
    for target in (-1.0, 1.0):
        assert LOSSES[loss].value(scores, np.full(401, target)).max() <= path.largest_loss
    assert LOSSES[loss].value(np.array([3.0]), np.array([-1.0]))[0] == pytest.approx(path.largest_loss)


def test_the_path_without_noise() -> None:
    """At a budget without noise the mean losses of the iterates come out, in the order of the steps."""
    X, y = small_table(6, 40, 3, "squared")
    path = path_of(X, y, "squared", ZCDP(2.0**39))
    release = path(rows_of(X, y, "squared"), SystemEntropy())
    steps, losses = release.statistics[PATH].T
    assert steps.tolist() == [1, 2, 3, 4]
    theta = np.zeros(3)
    theta[release.statistics["support"].astype(int)] = release.theta
    assert losses[-1] == pytest.approx(float(LOSSES["squared"].value(X @ theta, y).mean()), abs=1e-3)


def test_both_prices_are_charged() -> None:
    rows = rows_of(*small_table(6, 40, 3, "squared"), "squared")
    fit = mechanism(rows, ZCDP(0.25), 4, loss="squared")
    assert with_loss_path(fit, None) is fit
    assert with_loss_path(fit, ZCDP(0.5)).charge == ZCDP(0.75)
    asked = Approx(0.3, 1e-6)
    assert with_loss_path(fit, asked).charge == compose(ZCDP(0.25), asked.zcdp_within())
    pure = mechanism(rows, Pure(0.25), 4, loss="squared")
    assert with_loss_path(pure, Pure(0.5)).charge == Pure(0.75)
    assert len(with_loss_path(pure, Pure(0.5)).facts) == 2
