"""Private linear support vector machine."""

from typing import Any

import numpy as np

from tacit.domain import Domain, Schema
from tacit.errors import ParameterError
from tacit.estimators.classifier import PrivateClassifier
from tacit.ledger import Account
from tacit.losses import Hinge, HuberHinge
from tacit.mechanisms.centring import Centring
from tacit.mechanisms.intervals import Split
from tacit.privacy import Budget


class PrivateLinearSVC(PrivateClassifier):
    """Linear support vector machine whose coefficients are differentially private.

    loss: "huber", the hinge rounded where the margin is within `width` of 1, or "hinge" itself (output perturbation).
    The other parameters are those of PrivateLogisticRegression.
    """

    def __init__(
        self,
        *,
        loss: str = "huber",
        width: float = 0.5,
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
        self.width = width

    def _loss(self) -> HuberHinge | Hinge:
        match self.loss:
            case "huber":
                if not isinstance(self.width, (int, float, np.number)):
                    raise ParameterError(f"width must be a positive number, got {self.width!r}")
                return HuberHinge(float(self.width))
            case "hinge":
                return Hinge()
        raise ParameterError(f"loss must be 'huber' or 'hinge', got {self.loss!r}")
