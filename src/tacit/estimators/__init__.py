"""Private estimators that behave like scikit-learn's."""

from pathlib import Path
from typing import Any

from tacit.estimators.accuracy_first import AccuracyFirst
from tacit.estimators.histogram import PrivateHistogram
from tacit.estimators.huber import PrivateHuberRegressor
from tacit.estimators.lasso import PrivateLasso
from tacit.estimators.loading import loaded
from tacit.estimators.logistic import PrivateLogisticRegression
from tacit.estimators.poisson import PrivatePoissonRegressor
from tacit.estimators.ridge import PrivateRidge
from tacit.estimators.search import PrivateSearch
from tacit.estimators.svc import PrivateLinearSVC

__all__ = [
    "AccuracyFirst",
    "PrivateHistogram",
    "PrivateHuberRegressor",
    "PrivateLasso",
    "PrivateLinearSVC",
    "PrivateLogisticRegression",
    "PrivatePoissonRegressor",
    "PrivateRidge",
    "PrivateSearch",
    "load",
]

MODELS: dict[str, Any] = {
    "ridge": PrivateRidge,
    "logistic": PrivateLogisticRegression,
    "svm": PrivateLinearSVC,
    "huber": PrivateHuberRegressor,
    "poisson": PrivatePoissonRegressor,
}
"""The linear models by short name: what searches take and every command that fits offers."""

ESTIMATORS = (AccuracyFirst, PrivateHistogram, PrivateLasso, PrivateSearch, *MODELS.values())


def load(path: str | Path) -> Any:
    """A fitted estimator that `save` wrote, or that a ledger stored."""
    return loaded(Path(path), {estimator.__name__: estimator for estimator in ESTIMATORS})
