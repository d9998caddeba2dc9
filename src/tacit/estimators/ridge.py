"""Private linear regression."""

from tacit.estimators.intervals import wants_intervals
from tacit.estimators.regressor import PrivateRegressor
from tacit.losses import Squared
from tacit.mechanisms import Plan, Shape, plan_fit
from tacit.mechanisms.centring import REGRESSION_CENTRING
from tacit.privacy import Budget


class PrivateRidge(PrivateRegressor):
    """Linear regression whose coefficients are differentially private.

    privacy: Pure, ZCDP or Approx; a number means Pure.
    domain: Domain or Schema, public bounds of rows and target; default: the ℓ2 unit ball and y in [−1, 1]. Rows are
    clipped, never rejected.
    l2: λ of the mean of ½(y − s)² plus (λ/2)‖θ‖², y scaled to [−1, 1]; None for a rule that weighs each direction
    against the known noise. radius: public bound on ‖θ‖₂ in encoded units.
    mechanism: "auto", "covariance", "centred", "objective", "output" or "functional".
    centre: True takes a noisy look at the columns of a Schema first where it would be sharp, for an eighth of ε
    (a sixteenth of ρ): rows are then placed around the released centre, in units of the released spread. False never
    looks; a Centring says how.
    inference: True spends part of the budget on what confidence intervals need (`conf_int`, `score_interval`). Rows are
    then not clipped inside their bounds, because only so are coefficients linear in the raw row.
    ledger: an account to charge. random_state: a seed, for tests; the certificate then says NOT PRIVATE.
    """

    centring = REGRESSION_CENTRING

    def plan_after_look(self, shape: Shape, budget: Budget) -> Plan:
        """Moments of rows and target that lie around their centres have little noise; no second mean is needed."""
        if self.mechanism != "auto" or wants_intervals(self.inference):
            return self.plan(shape, budget)
        return plan_fit(shape, self.request(), budget, "covariance")

    def _adds_to_a_sum(self) -> bool:
        return self.mechanism in ("auto", "covariance")

    def _loss(self) -> Squared:
        return Squared()
