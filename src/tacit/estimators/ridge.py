"""Private linear regression."""

from tacit.estimators.regressor import PrivateRegressor
from tacit.losses import Squared


class PrivateRidge(PrivateRegressor):
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

    def _loss(self) -> Squared:
        return Squared()
