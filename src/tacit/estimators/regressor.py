"""Private regressions: a number for each row, one release."""

from typing import Any

import numpy as np
from sklearn.base import RegressorMixin

from tacit.domain import REGRESSION, Domain, Real, Schema
from tacit.errors import ParameterError
from tacit.estimators.kinds import REGRESSION_KIND
from tacit.estimators.linear import PrivateLinearModel


class PrivateRegressor(RegressorMixin, PrivateLinearModel):  # type: ignore[misc]
    """Base of the private regressions."""

    kind = REGRESSION_KIND
    geometry = REGRESSION

    def _bounds(self) -> Real:
        """The declared target: its bounds are public."""
        declaration = self.default_domain if self.domain is None else self.domain
        if not isinstance(declaration, (Domain, Schema)):
            raise ParameterError(f"domain must be a Domain or a Schema, got {type(declaration).__name__}")
        target = self.kind.declared(declaration, None, paid=True)[0].outcome
        assert isinstance(target, Real)
        return target

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        return tags


def positive(name: str, value: object, default: float, most: float) -> float:
    """A public number of the user's, the default for None; refused outside (0, most]."""
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not 0 < float(value) <= most:
        raise ParameterError(f"{name} must be a number above 0 and at most {most:g}, or None, got {value!r}")
    return float(value)
