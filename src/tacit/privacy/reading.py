"""Budgets from what users write and from what `to_dict` wrote."""

from collections.abc import Mapping
from numbers import Real
from typing import Any

from tacit.errors import ParameterError
from tacit.privacy.amounts import LEAST_SPENT, float_below
from tacit.privacy.budgets import ZCDP, Approx, Budget, Pure
from tacit.privacy.ex_post import ExPost


def as_budget(value: object) -> Budget:
    """What a user is ready to spend: a budget as it is; a plain number means `Pure`."""
    if isinstance(value, (Pure, ZCDP, Approx)):
        if value.amount < LEAST_SPENT:
            raise ParameterError(f"a budget of {value} pays for nothing; expected at least {LEAST_SPENT:g}")
        return value
    if isinstance(value, bool) or not isinstance(value, Real):
        raise ParameterError(
            f"privacy must be Pure(...), ZCDP(...), Approx(...) or a number (meaning Pure), got {type(value).__name__}"
        )
    return as_budget(Pure(float_below(value)))


def budget_from_dict(stored: Mapping[str, Any]) -> Budget:
    """The budget that `to_dict` described."""
    match stored["currency"]:
        case "pure":
            return Pure(stored["epsilon"])
        case "zcdp":
            return ZCDP(stored["rho"])
        case "approximate":
            return Approx(stored["epsilon"], stored["delta"])
    raise ParameterError(f"a budget in {stored['currency']!r} is not known; expected pure, zcdp or approximate")


def loss_from_dict(stored: Mapping[str, Any]) -> Budget | ExPost:
    """The budget or the realised loss that `to_dict` described."""
    if stored["currency"] == "ex post":
        return ExPost(stored["test"], stored["hypothesis"], stored["delta"])
    return budget_from_dict(stored)
