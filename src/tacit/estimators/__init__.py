"""Private estimators that behave like scikit-learn's."""

from pathlib import Path

from tacit.estimators import persistence
from tacit.estimators.accuracy_first import AccuracyFirst
from tacit.estimators.base import PrivateLinearModel
from tacit.estimators.logistic import PrivateLogisticRegression
from tacit.estimators.ridge import PrivateRidge
from tacit.estimators.svc import PrivateLinearSVC

__all__ = ["AccuracyFirst", "PrivateLinearSVC", "PrivateLogisticRegression", "PrivateRidge", "load"]


def load(path: str | Path) -> PrivateLinearModel:
    """A model that `save` wrote."""
    models = (PrivateRidge, PrivateLogisticRegression, PrivateLinearSVC)
    return persistence.restore({model.__name__: model for model in models}, Path(path))
