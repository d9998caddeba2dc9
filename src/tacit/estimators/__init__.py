"""Private estimators that behave like scikit-learn's."""

from pathlib import Path

from tacit.estimators import lasso_file, persistence
from tacit.estimators.accuracy_first import AccuracyFirst
from tacit.estimators.base import PrivateLinearModel
from tacit.estimators.histogram import PrivateHistogram
from tacit.estimators.lasso import PrivateLasso
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


def load(path: str | Path) -> PrivateLinearModel | PrivateLasso:
    """A model that `save` wrote."""
    if persistence.read_model(Path(path))["estimator"] == PrivateLasso.__name__:
        return lasso_file.restore(PrivateLasso, Path(path))
    models = (PrivateRidge, PrivateLogisticRegression, PrivateLinearSVC)
    return persistence.restore({model.__name__: model for model in models}, Path(path))
