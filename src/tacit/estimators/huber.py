"""Private regression that outliers of the target cannot pull away."""

from typing import Any

from tacit.domain import Domain, Schema
from tacit.estimators.regressor import PrivateRegressor, positive
from tacit.ledger import Account
from tacit.losses import huber
from tacit.mechanisms.intervals import Split
from tacit.privacy import Budget

DEFAULT_SHARE = 0.05  # of half the declared range: bounds that hold gross errors are some fifty deviations wide


class PrivateHuberRegressor(PrivateRegressor):
    """Linear regression by Huber's loss, whose coefficients are differentially private.

    A row pulls with the size of its residual, but never harder than one that is `threshold` off. So the declared bounds
    of the target can be wide enough for gross errors without more noise, and such errors hardly move the fit.

    threshold: in units of y, the largest error that is still ordinary; 1.35 standard deviations of the error is the
    classical choice. None for a twentieth of half the declared range. A smaller one needs less noise.
    The other parameters are those of PrivateRidge; mechanism: "auto", "objective" or "output".
    """

    def __init__(
        self,
        *,
        threshold: float | None = None,
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
        super().__init__(
            privacy=privacy,
            domain=domain,
            l2=l2,
            radius=radius,
            fit_intercept=fit_intercept,
            mechanism=mechanism,
            inference=inference,
            ledger=ledger,
            random_state=random_state,
        )
        self.threshold = threshold

    def _loss(self) -> huber.Huber:
        half_range = self._bounds().scale
        threshold = positive("threshold", self.threshold, DEFAULT_SHARE * half_range, 2 * half_range)
        return huber.Huber(threshold / half_range)
