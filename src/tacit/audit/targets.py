"""What can be audited: mechanisms, estimators and functions, all reduced to independent draws of a vector."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone

from tacit.arithmetic import Floats
from tacit.noise import SystemEntropy


@dataclass(frozen=True)
class Batches:
    """A function that draws many outputs at once: sample(table, runs) gives one row per run."""

    sample: Callable[[Any, int], ArrayLike]


def draw(target: Any, table: Any, runs: int) -> Floats:
    """`runs` independent outputs of the target on one table, one row each.

    Batches:    sample(table, runs)
    mechanism:  target(table, entropy).theta, table a `Rows`; or any function of (table, entropy) with `charge`
    estimator:  clone(target).fit(*table), table (X, y); the output is coef_ and intercept_
    function:   target(table), a number or an array
    """
    if isinstance(target, Batches):
        return np.asarray(target.sample(table, runs), dtype=float)
    once = single_run(target)
    return np.array([np.ravel(once(table)) for _ in range(runs)], dtype=float)


def single_run(target: Any) -> Callable[[Any], ArrayLike]:
    """One run of an estimator, a mechanism or a function."""
    if hasattr(target, "fit"):
        return lambda table: released(clone(target).fit(*table))
    if hasattr(target, "charge"):
        entropy = SystemEntropy()
        return lambda table: np.asarray(target(table, entropy).theta)
    return lambda table: np.asarray(target(table), dtype=float)


def released(model: Any) -> Floats:
    """The coefficients of a fitted linear model as one vector."""
    return np.concatenate([np.ravel(model.coef_), np.ravel(model.intercept_)])
