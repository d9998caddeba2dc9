"""Private logistic regression."""

from typing import Any

import numpy as np

from tacit.estimators.classifier import PrivateClassifier
from tacit.estimators.kinds import probabilities
from tacit.estimators.predictor import Floats
from tacit.losses import Logistic


class PrivateLogisticRegression(PrivateClassifier):
    """Logistic regression whose coefficients are differentially private.

    privacy: Pure, ZCDP or Approx; a number means Pure.
    domain: Domain or Schema, public bounds of the rows; default: the ℓ2 unit ball. Rows are clipped, never rejected.
    l2: λ of the mean loss plus (λ/2)‖θ‖²; None for the data-independent rule.
    radius: public bound on ‖θ‖₂ in encoded units; None for none.
    mechanism: "auto", "objective", "output" or "functional"; "auto" decides from public facts.
    inference: True, or a Split of the budget, spends part of it on what confidence intervals need (`conf_int`,
    `score_interval`). Rows are then not clipped inside their bounds: only so are coefficients linear in the raw row.
    ledger: an account to charge; it needs declared classes. random_state: a seed, for tests; the certificate then says
    NOT PRIVATE.
    """

    def predict_proba(self, X: Any) -> Floats:
        """Probability of each class; with more than two, one-against-rest probabilities scaled to sum to one."""
        return probabilities(self._scores(X))

    def predict_log_proba(self, X: Any) -> Floats:
        """Logarithm of `predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def _loss(self) -> Logistic:
        return Logistic()
