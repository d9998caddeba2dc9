"""Private classifiers: two classes with one release, more with one release per class from a shared budget."""

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin

from tacit.arithmetic import Floats
from tacit.domain import CLASSIFICATION
from tacit.estimators.kinds import CLASSIFICATION_KIND, decision
from tacit.estimators.linear import PrivateLinearModel
from tacit.mechanisms.centring import CLASSIFICATION_CENTRING


class PrivateClassifier(ClassifierMixin, PrivateLinearModel):  # type: ignore[misc]
    """Base of the private classifiers."""

    kind = CLASSIFICATION_KIND
    geometry = CLASSIFICATION
    centring = CLASSIFICATION_CENTRING

    classes_: np.ndarray[Any, Any]

    def decision_function(self, X: Any) -> Floats:
        """Scores: positive for the second class, or one column per class."""
        return decision(self._scores(X))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags
