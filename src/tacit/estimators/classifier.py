"""Private classifiers: two classes with one release, more with one release per class from a shared budget."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin

from tacit.domain import CLASSIFICATION, Encoding, Geometry, Schema
from tacit.errors import ParameterError
from tacit.estimators.admission import admit_table, admit_target, found_classes
from tacit.estimators.base import Declaration, Floats, PrivateLinearModel
from tacit.estimators.intervals import chosen_split, wants_intervals
from tacit.estimators.payment import Job
from tacit.mechanisms import FitRequest, Plan, Shape, plan_classifier
from tacit.mechanisms.intervals import plan_classifier_with_intervals
from tacit.privacy import Budget, share_among
from tacit.rows import Rows


class PrivateClassifier(ClassifierMixin, PrivateLinearModel):  # type: ignore[misc]
    """Base of the private classifiers."""

    classes_: np.ndarray[Any, Any]

    def decision_function(self, X: Any) -> Floats:
        """Scores: positive for the second class, or one column per class."""
        scores = self._scores(X)
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> np.ndarray[Any, Any]:
        """The class with the highest score."""
        scores = self.decision_function(X)
        codes = (scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
        return np.asarray(self.classes_[codes])

    def _default_geometry(self) -> Geometry:
        return CLASSIFICATION

    def _jobs(self, rows: Rows, request: FitRequest, budget: Budget) -> Sequence[Job]:
        shape = Shape.of(rows)
        count = len(self.classes_)
        if count == 2:
            return [Job(rows.one_vs_rest(1), self._plan(shape, request, budget))]
        each = share_among(budget, count)
        plan = self._plan(shape, request, each)
        return [Job(rows.one_vs_rest(k), plan, f"{label} against the rest") for k, label in enumerate(self.classes_)]

    def _plan(self, shape: Shape, request: FitRequest, budget: Budget) -> Plan:
        if wants_intervals(self.inference):
            split = chosen_split(self.inference)
            return plan_classifier_with_intervals(shape, request, budget, self.mechanism, split)
        return plan_classifier(shape, request, budget, self.mechanism)

    def _admit(self, X: Any, y: Any) -> tuple[Declaration, Any, Any]:
        declaration = self._declaration()
        if isinstance(declaration, Schema):
            classes = declaration.target.classes
            if classes is None:
                raise ParameterError("the schema declares a real target; a classifier needs type binary or classes")
            self._classes_declared = True
            self.classes_ = np.array(classes)
            self._admit_features(X, declaration)
            return declaration, X, y
        admit_table(self, X, reset=True)
        y = admit_target(self, y)
        self._classes_declared = declaration.classes is not None
        labels = found_classes(y) if declaration.classes is None else declaration.classes
        self.classes_ = np.array(labels)
        return replace(declaration, classes=labels), X, y

    def _set_coefficients(self, encoding: Encoding) -> None:
        decoded = [encoding.decode(theta) for theta in self.encoded_coef_]
        self.coef_ = np.stack([np.ravel(coef) for coef, _ in decoded])
        self.intercept_ = np.array([float(intercept) for _, intercept in decoded])

    def _assumed_public(self) -> tuple[str, ...]:
        public = super()._assumed_public()
        return (
            public if self._classes_declared else (*public, "the class labels, read from y because none were declared")
        )

    def _table(self) -> tuple[tuple[str, ...], Floats, Floats]:
        names: list[str] = []
        for index in range(len(self.coef_)):
            prefix = "" if len(self.coef_) == 1 else f"{self.classes_[index]}: "
            names += [prefix + name for name in (*self._encoding_names, "(intercept)")]
        values = np.concatenate([np.append(c, b) for c, b in zip(self.coef_, self.intercept_, strict=True)])
        noise = np.concatenate([self._coefficient_noise(index) for index in range(len(self.coef_))])
        return tuple(names), values, noise

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags
