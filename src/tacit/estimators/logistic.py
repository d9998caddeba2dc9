"""Private logistic regression."""

from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit

from tacit.arithmetic import Floats
from tacit.domain import Domain, Schema
from tacit.errors import ParameterError
from tacit.estimators.classifier import PrivateClassifier
from tacit.estimators.intervals import wants_intervals
from tacit.estimators.kinds import probabilities
from tacit.ledger import Account
from tacit.losses import CappedLogistic, Logistic
from tacit.mechanisms.centring import Centring
from tacit.mechanisms.intervals import Split
from tacit.privacy import Budget


class PrivateLogisticRegression(PrivateClassifier):
    """Logistic regression whose coefficients are differentially private.

    loss: "capped", the logistic loss whose slope is at most one half, for prediction: half the noise, and
    `predict_proba` knows its link. "logistic", the loss itself, for coefficients that are log odds ratios, and for
    intervals. "auto" takes "logistic" with inference or the functional mechanism, else "capped".
    privacy: Pure, ZCDP or Approx; a number means Pure.
    domain: Domain or Schema, public bounds of the rows; default: the ℓ2 unit ball. Rows are clipped, never rejected.
    l2: λ of the mean loss plus (λ/2)‖θ‖²; None for the data-independent rule.
    radius: public bound on ‖θ‖₂ in encoded units; None for none.
    mechanism: "auto", "objective", "output" or "functional"; "auto" decides from public facts.
    centre: True takes a noisy look at the columns of a Schema first where it would be sharp, for a tenth of ε
    (a twentieth of ρ): rows are then placed around the released centre, in units of the released spread. False never
    looks; a Centring says how.
    inference: True spends part of the budget on what intervals and tests need (`summary`, `conf_int`, `odds_ratios`,
    `contrast`, `wald_test`, `probability_interval`). With l2 left to the library they are for ordinary coefficients,
    without a penalty; with l2, another mechanism or a Split of the budget for penalised ones. Rows are then not clipped
    inside their bounds, and one level of each category has no column.
    ledger: an account to charge; it needs declared classes. random_state: a seed, for tests; the certificate then says
    NOT PRIVATE.
    """

    odds_ratios_are_known = True

    def __init__(
        self,
        *,
        loss: str = "auto",
        privacy: Budget | float = 1.0,
        domain: Domain | Schema | None = None,
        l2: float | None = None,
        radius: float | None = None,
        fit_intercept: bool = True,
        mechanism: str = "auto",
        centre: bool | Centring = True,
        inference: bool | Split = False,
        ledger: Account | None = None,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            privacy=privacy,
            domain=domain,
            l2=l2,
            radius=radius,
            fit_intercept=fit_intercept,
            mechanism=mechanism,
            centre=centre,
            inference=inference,
            ledger=ledger,
            random_state=random_state,
        )
        self.loss = loss

    def odds_ratios(self, level: float = 0.95) -> pd.DataFrame:
        """By how much one unit more of a column multiplies the odds: columns odds ratio, lower and upper."""
        table = pd.DataFrame({"odds ratio": self._coefficients()}, index=list(self._coefficient_names()))
        with np.errstate(over="ignore"):
            return table.join(self.conf_int(level)).map(np.exp)

    def probability_interval(self, X: Any, level: float = 0.95) -> pd.DataFrame:
        """Intervals for the probability of the second class of each row (of each class against the rest, if many)."""
        return self.score_interval(X, level).map(expit)

    def predict_proba(self, X: Any) -> Floats:
        """Probability of each class; with more than two, one-against-rest probabilities scaled to sum to one."""
        return probabilities(self._scores(X), self._loss().probability)

    def predict_log_proba(self, X: Any) -> Floats:
        """Logarithm of `predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def _model_in_words(self) -> str:
        words = super()._model_in_words()
        if self._loss() == Logistic():
            return words
        return f"{words}, for prediction: coefficients are no log odds ratios; take loss='logistic' or inference=True"

    def _loss(self) -> Logistic | CappedLogistic:
        intervals = wants_intervals(self.inference)
        match self.loss:
            case "auto":
                return Logistic() if intervals or self.mechanism == "functional" else CappedLogistic()
            case "logistic":
                return Logistic()
            case "capped" if intervals:
                raise ParameterError("intervals are for log odds, which the capped loss has not: loss='logistic'")
            case "capped":
                return CappedLogistic()
        raise ParameterError(f"loss must be 'auto', 'capped' or 'logistic', got {self.loss!r}")
