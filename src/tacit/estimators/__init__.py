"""Private estimators that behave like scikit-learn's."""

from pathlib import Path
from typing import Any

from tacit.estimators.accuracy_first import AccuracyFirst
from tacit.estimators.histogram import PrivateHistogram
from tacit.estimators.lasso import PrivateLasso
from tacit.estimators.loading import loaded
from tacit.estimators.logistic import PrivateLogisticRegression
from tacit.estimators.ridge import PrivateRidge
from tacit.estimators.search import PrivateSearch
from tacit.estimators.svc import PrivateLinearSVC

__all__ = [
    "AccuracyFirst",
    "PrivateHistogram",
    "PrivateLasso",
    "PrivateLinearSVC",
    "PrivateLogisticRegression",
    "PrivateRidge",
    "PrivateSearch",
    "load",
]

ESTIMATORS = (
    AccuracyFirst,
    PrivateHistogram,
    PrivateLasso,
    PrivateLinearSVC,
    PrivateLogisticRegression,
    PrivateRidge,
    PrivateSearch,
)


def load(path: str | Path) -> Any:
    """A fitted estimator that `save` wrote, or that a ledger stored."""
    return loaded(Path(path), {estimator.__name__: estimator for estimator in ESTIMATORS})
