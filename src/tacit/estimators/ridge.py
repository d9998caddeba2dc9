"""Private linear regression."""

from typing import Any

from sklearn.base import RegressorMixin

from tacit.domain import REGRESSION
from tacit.estimators.intervals import chosen_split, wants_intervals
from tacit.estimators.kinds import REGRESSION_KIND
from tacit.estimators.linear import PrivateLinearModel
from tacit.losses import Squared
from tacit.mechanisms import Plan, Shape, plan_regression
from tacit.mechanisms.intervals import plan_regression_with_intervals
from tacit.privacy import Budget


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

    kind = REGRESSION_KIND
    geometry = REGRESSION

    def plan(self, shape: Shape, budget: Budget) -> Plan:
        """The coefficients, with what intervals need if they are wanted."""
        if wants_intervals(self.inference):
            split = chosen_split(self.inference)
            return plan_regression_with_intervals(shape, self.request(), budget, self.mechanism, split)
        return plan_regression(shape, self.request(), budget, self.mechanism)

    def _loss(self) -> Squared:
        return Squared()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        return tags
