"""The lower-bound instance is what its theorem is about."""

from typing import Any

import numpy as np
import pytest

from tacit.datasets import fingerprinting_lasso
from tacit.errors import ParameterError


@pytest.mark.parametrize("n", [64, 300, 1100])
def test_the_instance(n: int) -> None:
    instance = fingerprinting_lasso(n)
    X, y, w = instance.X, instance.y, instance.code_rows
    assert X.shape[0] == len(y) == n
    assert np.all(np.isin(X, (-1.0, 0.0, 1.0)))
    assert w == max(2, round(n ** (1 / 3)))
    assert y.sum() == w
    columns = X[w:].T @ X[w:]
    assert np.array_equal(columns, columns[0, 0] * np.eye(X.shape[1])), "orthogonal columns"
    agree = np.abs(X[:w].sum(axis=0)) == w
    assert np.array_equal(agree, instance.consensus != 0)
    assert agree.mean() > 0.8


def test_the_planted_solution_is_far_better_than_none() -> None:
    instance = fingerprinting_lasso(2100, random_state=1)
    loss = [np.mean((instance.X @ theta - instance.y) ** 2) for theta in (0 * instance.planted, instance.planted)]
    assert np.abs(instance.planted).sum() <= 1
    assert loss[1] < 0.2 * loss[0]


def test_seeds_repeat_and_their_absence_does_not() -> None:
    first, second, other = (fingerprinting_lasso(100, random_state=seed).X for seed in (1, 1, None))
    assert np.array_equal(first, second)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize("options", [{"n": 10}, {"n": 2**20}, {"n": 1e3}, {"weight": 0.0}, {"padding": 1.0}])
def test_bad_parameters(options: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        fingerprinting_lasso(**{"n": 100, **options})
