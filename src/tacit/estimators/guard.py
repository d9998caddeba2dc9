"""Repeated fits that nobody pays for: scikit-learn's own searches refit the same rows many times.

A fit inside GridSearchCV, cross_val_score and their like is one of many releases about the same rows, so the
certificate of each alone would be untrue. With a ledger account every fit is charged and the account tells the truth;
without one the fit is refused. What is noticed: a caller's frame that belongs to scikit-learn's model selection,
ensembles, multi-class wrappers, calibration, imputation or RANSAC, also inside joblib workers. What is not: a loop
written by hand.
"""

import sys
from types import FrameType

from tacit.errors import ParameterError

_REFITTING = (
    "sklearn.model_selection",
    "sklearn.ensemble",
    "sklearn.multiclass",
    "sklearn.multioutput",
    "sklearn.calibration",
    "sklearn.feature_selection",
    "sklearn.impute",
    "sklearn.linear_model",
    "sklearn.semi_supervised",
)


def refuse_unpaid_refits(account: object) -> None:
    """Raise if this fit is one of many on the same rows and no account is charged for them."""
    if account is not None:
        return
    module = _refitting_caller(sys._getframe(1))
    if module is not None:
        raise ParameterError(
            f"this fit is one of many that {module} makes on the same rows, and without a ledger account their losses "
            "would go uncounted. Pass ledger=account to charge each fit; to choose hyper-parameters privately, use "
            "tacit.PrivateSearch, or the data-independent default (l2=None)"
        )


def _refitting_caller(frame: FrameType | None) -> str | None:
    while frame is not None:
        module = frame.f_globals.get("__name__", "")
        if any(module == name or module.startswith(name + ".") for name in _REFITTING):
            return ".".join(module.split(".")[:2])
        frame = frame.f_back
    return None
