"""Private logistic regression."""

from typing import Any

import numpy as np
from scipy.special import expit

from tacit.domain import Domain, Schema
from tacit.estimators.base import Floats
from tacit.estimators.classifier import PrivateClassifier
from tacit.ledger import Account
from tacit.losses import Logistic
from tacit.mechanisms.intervals import Split
from tacit.privacy import Budget


class PrivateLogisticRegression(PrivateClassifier):
    """Logistic regression whose coefficients are differentially private.

    privacy: Pure, ZCDP or Approx; a number means Pure.
    domain: Domain or Schema, public bounds of the rows; default: the ℓ2 unit ball. Rows are clipped, never rejected.
    l2: λ of the mean loss plus (λ/2)‖θ‖²; None for the data-independent rule.
    radius: public bound on ‖θ‖₂ in encoded units; None for none.
    mechanism: "auto", "objective", "output" or "functional"; "auto" decides from public facts.
    inference: True, or a Split of the budget, spends part of it on what confidence intervals need (`conf_int`,
    `score_interval`). Rows are then not clipped inside their bounds: only so are coefficients linear in the raw row.
    ledger: an account to charge. random_state: a seed, for tests; the certificate then says NOT PRIVATE.
    """

    def __init__(
        self,
        *,
        privacy: Budget | float = 1.0,
        domain: Domain | Schema | None = None,
        l2: float | None = None,
        radius: float | None = None,
        fit_intercept: bool = True,
        mechanism: str = "auto",
        inference: bool | Split = False,
        ledger: Account | None = None,
        random_state: Any = None,
    ) -> None:
        self.privacy = privacy
        self.domain = domain
        self.l2 = l2
        self.radius = radius
        self.fit_intercept = fit_intercept
        self.mechanism = mechanism
        self.inference = inference
        self.ledger = ledger
        self.random_state = random_state

    def predict_proba(self, X: Any) -> Floats:
        """Probability of each class; with more than two, one-against-rest probabilities scaled to sum to one."""
        scores = self.decision_function(X)
        if scores.ndim == 1:
            positive = expit(scores)
            return np.column_stack([1 - positive, positive])
        each = expit(scores)
        return np.asarray(each / each.sum(axis=1, keepdims=True))

    def predict_log_proba(self, X: Any) -> Floats:
        """Logarithm of `predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def _loss(self) -> Logistic:
        return Logistic()
