"""Confidence intervals of fitted models: post-processing of what the fit released, at any level, free of charge."""

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from tacit.arithmetic import Floats
from tacit.domain import Domain, Encoding, Placement
from tacit.errors import ParameterError
from tacit.estimators.admission import admit_table
from tacit.inference import Evidence
from tacit.mechanisms.intervals import Split
from tacit.rows import linear_scores

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

    _declared: Any
    _encoding: Callable[[], Encoding]
    encoded_coef_: Floats
    classes_: NDArray[Any]

    def conf_int(self, level: float = 0.95) -> pd.DataFrame:
        """Intervals for the coefficients and, last, the intercept: columns lower and upper.

        Covered is the minimiser of the regularised risk over the population. Needs inference=True.
        """
        evidence, directions = self._fitted_evidence(), self._directions()
        half = np.concatenate([known.half_widths(directions, level) for known in evidence])
        middle = self._coefficients()
        return pd.DataFrame({"lower": middle - half, "upper": middle + half}, index=list(self._coefficient_names()))

    def standard_errors(self) -> pd.Series:
        """Standard deviation of each released coefficient: sampling and privacy noise together."""
        evidence, directions = self._fitted_evidence(), self._directions()
        errors = np.concatenate([known.standard_errors(directions) for known in evidence])
        return pd.Series(errors, index=list(self._coefficient_names()), name="standard error")

    def score_interval(self, X: Any, level: float = 0.95) -> pd.DataFrame:
        """Intervals for the linear score of each row: columns lower and upper, for several classes one pair a class.

        The score is what `decision_function` returns for a classifier and what `predict` returns for a regression. The
        index is that of X, if X has one.
        """
        evidence = self._fitted_evidence()
        if isinstance(self._declared, Domain):
            admit_table(self, X, reset=False)
        width = self.encoded_coef_.shape[1]
        rows = linear_scores(X, np.eye(width), self._declared, self._placement())
        target = self._encoding().target
        index = X.index if isinstance(X, pd.DataFrame) else None
        labels = [None] if len(self.encoded_coef_) == 1 else list(self.classes_)
        frames = {}
        for label, theta, known in zip(labels, self.encoded_coef_, evidence, strict=True):
            middle = target.scale * (rows @ theta) + target.offset
            half = known.half_widths(target.scale * rows, level)
            frames[label] = pd.DataFrame({"lower": middle - half, "upper": middle + half}, index=index)
        return next(iter(frames.values())) if len(frames) == 1 else pd.concat(frames, axis=1)

    @property
    @abstractmethod
    def _evidence(self) -> tuple[Evidence, ...]:
        """What was released for intervals, for each vector."""

    @abstractmethod
    def _directions(self) -> Floats:
        """The matrix A of (coef, intercept) = A θ + b."""

    @abstractmethod
    def _coefficients(self) -> Floats:
        """Coefficients and, last, the intercept, of each vector in turn."""

    @abstractmethod
    def _coefficient_names(self) -> tuple[str, ...]:
        """Their names."""

    @abstractmethod
    def _placement(self) -> Placement:
        """How rows were placed for the fit."""

    def _fitted_evidence(self) -> tuple[Evidence, ...]:
        check_is_fitted(self)
        if not self._evidence:
            raise ParameterError(
                "this fit bought no intervals; fit with inference=True to spend part of the budget on them"
            )
        return self._evidence
