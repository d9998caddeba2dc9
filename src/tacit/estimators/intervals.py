"""Confidence intervals of fitted models: post-processing of what the fit released, at any level, free of charge."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from tacit.domain import Domain, Schema
from tacit.errors import ParameterError
from tacit.estimators.admission import admit_table
from tacit.inference import Evidence
from tacit.mechanisms.intervals import Split
from tacit.rows import linear_scores

Floats = NDArray[np.float64]

WHAT_IS_COVERED = "intervals cover the minimiser of the regularised risk over the population the rows were drawn from"


def wants_intervals(inference: object) -> bool:
    """Whether part of the budget is to buy intervals; refuses what is neither a bool nor a Split."""
    if isinstance(inference, (bool, np.bool_)):
        return bool(inference)
    if isinstance(inference, Split):
        return True
    raise ParameterError(f"inference must be True, False or a Split of the budget, got {inference!r}")


def chosen_split(inference: object) -> Split | None:
    """The user's split, None for the default one."""
    return inference if isinstance(inference, Split) else None


class WithIntervals:
    """Intervals for coefficients and for scores, in the user's units."""

    _evidence: tuple[Evidence, ...]
    _linear_map: Floats
    _declared: Domain | Schema
    encoded_coef_: Floats

    def conf_int(self, level: float = 0.95) -> pd.DataFrame:
        """Intervals for the coefficients and, last, the intercept: columns lower and upper.

        Covered is the minimiser of the regularised risk over the population. Needs inference=True.
        """
        half = np.concatenate([known.half_widths(self._linear_map, level) for known in self._fitted_evidence()])
        names, coefficients, _ = self._table()  # type: ignore[attr-defined]
        return pd.DataFrame({"lower": coefficients - half, "upper": coefficients + half}, index=list(names))

    def standard_errors(self) -> pd.Series:
        """Standard deviation of each released coefficient: sampling and privacy noise together."""
        errors = [known.standard_errors(self._linear_map) for known in self._fitted_evidence()]
        names, _, _ = self._table()  # type: ignore[attr-defined]
        return pd.Series(np.concatenate(errors), index=list(names), name="standard error")

    def score_interval(self, X: Any, level: float = 0.95) -> pd.DataFrame:
        """Intervals for the linear score of each row: columns lower and upper, for several classes one pair a class.

        The score is what `decision_function` returns for a classifier and what `predict` returns for a regression. The
        index is that of X, if X has one.
        """
        evidence = self._fitted_evidence()
        if not isinstance(self._declared, Schema):
            admit_table(self, X, reset=False)
        width = self.encoded_coef_.shape[1]
        rows = linear_scores(X, np.eye(width), self._declared, self._geometry())  # type: ignore[attr-defined]
        outcome = self._declared.outcome
        scale, offset = (outcome.scale, outcome.offset) if outcome.classes is None else (1.0, 0.0)
        index = X.index if isinstance(X, pd.DataFrame) else None
        frames = {}
        for label, theta, known in zip(self._labels(), self.encoded_coef_, evidence, strict=True):
            middle = scale * (rows @ theta) + offset
            half = known.half_widths(scale * rows, level)
            frames[label] = pd.DataFrame({"lower": middle - half, "upper": middle + half}, index=index)
        return next(iter(frames.values())) if len(frames) == 1 else pd.concat(frames, axis=1)

    def _labels(self) -> list[Any]:
        """One label for each released vector."""
        return [None] if len(self.encoded_coef_) == 1 else list(self.classes_)  # type: ignore[attr-defined]

    def _fitted_evidence(self) -> tuple[Evidence, ...]:
        check_is_fitted(self)
        if not self._evidence:
            raise ParameterError(
                "this fit bought no intervals; fit with inference=True to spend part of the budget on them"
            )
        return self._evidence
