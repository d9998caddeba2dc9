"""Private Poisson regression: counts with a declared maximum."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.arithmetic import Floats
from tacit.domain import Domain, Real, Schema
from tacit.errors import ParameterError
from tacit.estimators.regressor import PrivateRegressor, positive
from tacit.ledger import Account
from tacit.losses import poisson
from tacit.mechanisms.intervals import Split
from tacit.privacy import Budget

USUAL_SHARE, LINEAR_SHARE = 0.1, 0.2  # of the largest count


@dataclass(frozen=True)
class LogRate(Real):
    """Scores are logarithms of rates; a score of 0 stands for the usual rate."""

    usual: float = 1.0

    @property
    def scale(self) -> float:
        return 1.0

    @property
    def offset(self) -> float:
        return math.log(self.usual)


class PrivatePoissonRegressor(PrivateRegressor):
    """Poisson regression for counts, log(expected count) = xᵀβ, whose coefficients are differentially private.

    The target is declared with min 0 and the largest count that is to matter as max: larger counts are clipped to it,
    and noise grows with it. Five to ten times the mean is a good choice. Default domain: counts from 0 to 10.
    usual_rate: a public guess of the mean count, where coefficients are shrunk to; None for a tenth of the largest.
    linear_above: expected counts beyond this one grow linearly with the score instead of exponentially, up to the
    largest count; None for a fifth of the largest. A smaller one needs less regularisation.
    The other parameters are those of PrivateRidge; mechanism: "auto", "objective" or "output".

    `predict` gives expected counts, `coef_` and `intercept_` are on the logarithmic scale, `score` is the share of the
    deviance that is explained (D²).
    """

    default_domain = Domain(target=(0.0, 10.0))

    def __init__(
        self,
        *,
        usual_rate: float | None = None,
        linear_above: float | None = None,
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
        self.usual_rate = usual_rate
        self.linear_above = linear_above

    def predict(self, X: Any) -> Floats:
        """Expected counts."""
        return self._bounds().max * self._loss().mean(self._scores(X)[:, 0])

    def score(self, X: Any, y: Any) -> float:
        """D², the share of the Poisson deviance that is explained."""
        from sklearn.metrics import d2_tweedie_score

        expected = np.maximum(self.predict(X), np.finfo(np.float64).tiny)
        return float(d2_tweedie_score(y, expected, power=1))

    def _loss(self) -> poisson.Poisson:
        largest = self._largest()
        linear_above = positive("linear_above", self.linear_above, LINEAR_SHARE * largest, largest)
        usual_rate = positive("usual_rate", self.usual_rate, min(USUAL_SHARE * largest, linear_above), linear_above)
        return poisson.Poisson(usual_rate / largest, linear_above / largest)

    def _largest(self) -> float:
        target = self._bounds()
        if target.min != 0.0:
            raise ParameterError(f"counts start at 0: declare the target with min 0, not {target.min:g}")
        return target.max

    def _units(self) -> LogRate:
        target = self._bounds()
        return LogRate(target.min, target.max, target.name, self._loss().start * target.max)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = True
        return tags
