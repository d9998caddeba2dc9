"""Private linear regression."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import RegressorMixin

from tacit.domain import REGRESSION, Domain, Encoding, Geometry, Schema
from tacit.errors import ParameterError
from tacit.estimators.admission import admit_table, admit_target
from tacit.estimators.base import Declaration, Floats, PrivateLinearModel
from tacit.estimators.intervals import chosen_split, wants_intervals
from tacit.estimators.payment import Job
from tacit.ledger import Account
from tacit.losses import Squared
from tacit.mechanisms import FitRequest, Shape, plan_regression
from tacit.mechanisms.intervals import Split, plan_regression_with_intervals
from tacit.privacy import Budget
from tacit.rows import Rows


class PrivateRidge(RegressorMixin, PrivateLinearModel):  # type: ignore[misc]
    """Linear regression whose coefficients are differentially private.

    privacy: Pure, ZCDP or Approx; a number means Pure.
    domain: Domain or Schema, public bounds of rows and target; default: the ℓ2 unit ball and y in [−1, 1]. Rows are
    clipped, never rejected.
    l2: λ of the mean of ½(y − s)² plus (λ/2)‖θ‖², y scaled to [−1, 1]; None for a rule that weighs each direction
    against the known noise. radius: public bound on ‖θ‖₂ in encoded units.
    mechanism: "auto", "covariance", "centred", "objective", "output" or "functional".
    inference: True spends part of the budget on what confidence intervals need (`conf_int`, `score_interval`). Rows are
    then not clipped inside their bounds, because only so are coefficients linear in the raw row.
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

    def predict(self, X: Any) -> Floats:
        """Predicted targets in the user's units."""
        scores = self._scores(X)[:, 0]
        outcome = self._declared.outcome
        return scores * outcome.scale + outcome.offset

    def _loss(self) -> Squared:
        return Squared()

    def _default_geometry(self) -> Geometry:
        return REGRESSION

    def _jobs(self, rows: Rows, request: FitRequest, budget: Budget) -> Sequence[Job]:
        shape = Shape.of(rows)
        if wants_intervals(self.inference):
            split = chosen_split(self.inference)
            return [Job(rows, plan_regression_with_intervals(shape, request, budget, self.mechanism, split))]
        return [Job(rows, plan_regression(shape, request, budget, self.mechanism))]

    def _admit(self, X: Any, y: Any) -> tuple[Declaration, Any, Any]:
        declaration = self._declaration()
        if isinstance(declaration, Schema):
            if declaration.target.classes is not None:
                raise ParameterError("the schema declares labels as target; regression needs a target with min and max")
            self._admit_features(X, declaration)
            return declaration, X, y
        admit_table(self, X, reset=True)
        return replace(declaration, classes=None), X, admit_target(self, y)

    def _set_coefficients(self, encoding: Encoding) -> None:
        coef, intercept = encoding.decode(self.encoded_coef_[0])
        self.coef_, self.intercept_ = coef.flatten(), float(intercept)

    def _table(self) -> tuple[tuple[str, ...], Floats, Floats]:
        names = (*self._encoding_names, "(intercept)")
        return names, np.append(self.coef_, self.intercept_), self._coefficient_noise(0)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        return tags
