"""The parameters of PrivateLasso, checked before any row is read."""

from typing import TYPE_CHECKING

import numpy as np

from tacit.domain import Schema
from tacit.errors import ParameterError
from tacit.mechanisms.lasso import (
    BOTH_SIGNS,
    SCHEDULES,
    SIGNS_IN_TURN,
    Candidates,
    ClippedLogistic,
    ClippedLoss,
    ClippedSquared,
    SparseFitRequest,
)

if TYPE_CHECKING:
    from tacit.estimators.lasso import PrivateLasso

LOSSES: dict[str, ClippedLoss] = {"squared": ClippedSquared(), "logistic": ClippedLogistic()}
DEFAULT_RADIUS = {"squared": 1.0, "logistic": 20.0}


def sparse_fit_request(model: "PrivateLasso") -> SparseFitRequest:
    """What the user fixed; a ParameterError says what is wrong with it."""
    if model.loss not in LOSSES:
        raise ParameterError(f"loss must be 'squared' or 'logistic', got {model.loss!r}")
    if model.schedule not in SCHEDULES:
        raise ParameterError(f"schedule must be one of {', '.join(map(repr, SCHEDULES))}, got {model.schedule!r}")
    whole = isinstance(model.steps, (int, np.integer)) and not isinstance(model.steps, bool)
    if not whole and model.steps != "auto":
        raise ParameterError(f"steps must be a whole number or 'auto', got {model.steps!r}")
    radius = DEFAULT_RADIUS[model.loss] if model.radius is None else _number("radius", model.radius)
    return SparseFitRequest(
        loss=LOSSES[model.loss],
        radius=radius,
        steps=int(model.steps) if whole else None,
        schedule=SCHEDULES[model.schedule],
        candidates=_candidates(model),
        column_moment=_number("column_moment", model.column_moment),
        constant_work=bool(model.constant_work),
    )


def _candidates(model: "PrivateLasso") -> Candidates:
    if not model.nonnegative:
        return BOTH_SIGNS
    if isinstance(model.domain, Schema):
        raise ParameterError(
            "nonnegative=True needs a Domain: a schema puts the middle of a number's bounds at 0, so that half of the "
            "values are negative"
        )
    if model.schedule != "stagewise":
        raise ParameterError(f"nonnegative=True takes schedule='stagewise', got {model.schedule!r}")
    return SIGNS_IN_TURN


def _number(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)):
        raise ParameterError(f"{name} must be a positive number, got {value!r}")
    return float(value)
