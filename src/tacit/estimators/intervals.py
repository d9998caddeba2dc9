"""Confidence intervals of fitted models: post-processing of what the fit released, at any level, free of charge."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from tacit.arithmetic import Floats
from tacit.domain import Domain
from tacit.errors import ParameterError
from tacit.estimators.admission import admit_table
from tacit.estimators.predictor import PrivatePredictor
from tacit.inference import MEANING_OF_P, Evidence, WaldTest, adjusted, estimate_table, p_values, wald_test
from tacit.mechanisms.intervals import Split
from tacit.rows import linear_scores

INTERCEPT = "(intercept)"


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


class WithIntervals(PrivatePredictor):
    """Intervals and tests for coefficients, for linear combinations of them and for scores, in the user's units."""

    odds_ratios_are_known: ClassVar[bool] = False

    def conf_int(self, level: float = 0.95) -> pd.DataFrame:
        """Intervals for the coefficients and, last, the intercept: columns lower and upper. Needs inference=True.

        `summary` says in words what is covered. (−∞, ∞): not determined at this budget.
        """
        evidence, directions = self._fitted_evidence(), self._directions()
        half = np.concatenate([known.half_widths(directions, level) for known in evidence])
        middle = self._coefficients()
        return pd.DataFrame({"lower": middle - half, "upper": middle + half}, index=list(self._coefficient_names()))

    def p_values(self, correction: str | None = None) -> pd.Series:
        """Of each coefficient being 0; correction: "holm" or "bonferroni" for all of them at once."""
        evidence, directions = self._fitted_evidence(), self._directions()
        parts = np.split(self._coefficients(), len(evidence))
        tails = [p_values(known, part, directions) for known, part in zip(evidence, parts, strict=True)]
        names = list(self._coefficient_names())
        return pd.Series(adjusted(np.concatenate(tails), correction), index=names, name="p")

    def contrast(self, weights: Mapping[str, float], level: float = 0.95) -> pd.DataFrame:
        """The linear combination Σ weight·coefficient with its error, interval and test: one row, one a class if many.

        Names are those of `conf_int`; a baseline level has the coefficient 0, so {"region=south": 1, "region=west": -1}
        compares two levels whatever the baseline is. Free: it is a function of what was released.
        """
        evidence, direction = self._fitted_evidence(), self._direction(weights)
        name = " ".join(f"{weight:+g}·{label}" for label, weight in weights.items())
        labels = [name] if len(evidence) == 1 else [f"{label}: {name}" for label in self.classes_]
        rows = [
            estimate_table(known, direction @ theta, direction, [label], level, odds=self.odds_ratios_are_known)
            for known, theta, label in zip(evidence, self.encoded_coef_, labels, strict=True)
        ]
        return pd.concat(rows)

    def wald_test(self, names: Sequence[str]) -> WaldTest:
        """Whether all these coefficients are 0, tested together: the levels of a category, say."""
        evidence = self._fitted_evidence()
        if len(evidence) != 1:
            raise ParameterError("a Wald test needs one vector of coefficients; found one for each of several classes")
        directions = np.vstack([self._direction({name: 1.0}) for name in names])
        return wald_test(evidence[0], directions @ self.encoded_coef_[0], directions)

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

    def _estimate_table(self, level: float, correction: str | None) -> pd.DataFrame:
        """All coefficients with their errors, intervals and tests; corrections count every test."""
        evidence, directions = self._fitted_evidence(), self._directions()
        names, values = self._coefficient_names(), self._coefficients()
        parts = np.split(np.arange(len(names)), len(evidence))
        tables = [
            estimate_table(
                known, values[part], directions, [names[i] for i in part], level, odds=self.odds_ratios_are_known
            )
            for known, part in zip(evidence, parts, strict=True)
        ]
        table = pd.concat(tables)
        return table if correction is None else table.assign(p=self.p_values(correction))

    def _notes_on_intervals(self, level: float) -> tuple[str, ...]:
        """What is covered, what levels are compared with, what is not determined and why, what p means."""
        evidence, directions = self._fitted_evidence(), self._directions()
        names = list(self._coefficient_names())
        reasons = [reason for known in evidence for reason in known.reasons(directions)]
        missing = [f"{name}: {reason}" for name, reason in zip(names, reasons, strict=True) if reason]
        if missing and len(missing) < len(names):
            missing.append("the other intervals allow for what could not be determined")
        covered = (
            f"{100 * level:.6g} % intervals cover {evidence[0].target}; sampling and privacy noise are in all errors"
        )
        return (covered, *self._baseline_notes(), *missing, MEANING_OF_P)

    def _baseline_notes(self) -> tuple[str, ...]:
        """The level that each category is compared with: it has no column, so that its row of the map is zero."""
        encoding = self._encoding()
        matrix = encoding.linear_map()[0][:-1]
        zero = [name for name, row in zip(encoding.feature_names, matrix, strict=True) if not row.any()]
        return (f"levels are compared with {', '.join(zero)}",) if zero else ()

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
    def _direction(self, weights: Mapping[str, float]) -> Floats:
        """The direction of a combination of named coefficients, as a matrix of one row."""

    def _fitted_evidence(self) -> tuple[Evidence, ...]:
        check_is_fitted(self)
        if not self._evidence:
            raise ParameterError(
                "this fit bought no intervals; fit with inference=True to spend part of the budget on them"
            )
        return self._evidence
