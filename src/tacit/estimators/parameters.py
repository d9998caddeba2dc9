"""The parameters of an estimator as plain values and back: what a model file says was asked for.

Not stored are the account and the seed, the declaration (which has a place of its own, with the labels that were in
force), a score of the user's own and whether a bar was shown.
"""

from collections.abc import Mapping
from dataclasses import asdict
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from tacit.errors import ParameterError
from tacit.mechanisms.centring import Centring
from tacit.mechanisms.intervals import Split
from tacit.privacy import as_budget, budget_from_dict

NOT_STORED = ("domain", "ledger", "random_state", "scoring", "progress")

Models = Mapping[str, type[Any]]
"""Estimators by name: what a model file may hold."""


def plain_parameters(estimator: Any) -> dict[str, Any]:
    """The parameters of an estimator as JSON knows them; what it does not know is refused, before any charge."""
    parameters = estimator.get_params(deep=False)
    return {name: _plain(name, value) for name, value in parameters.items() if name not in NOT_STORED}


def estimator_from_plain(name: str, stored: Mapping[str, Any], domain: Any, models: Models) -> Any:
    """The estimator of this name with these parameters; what takes a declaration is given this one."""
    if name not in models:
        raise ParameterError(f"this version of tacit does not know the estimator {name!r:.60}")
    parameters = {key: _from_plain(value, domain, models) for key, value in stored.items()}
    if "domain" in models[name]._get_param_names():
        parameters["domain"] = domain
    return models[name](**parameters)


def _plain(name: str, value: Any) -> Any:
    if value is not None and name.endswith("privacy"):
        return {"budget": as_budget(value).to_dict()}
    match value:
        case None | bool() | str():
            return value
        case np.bool_():
            return bool(value)
        case Integral():
            return int(value)
        case Real():
            return float(value)
        case Split():
            return {"split": asdict(value)}
        case Centring():
            return {"centring": asdict(value)}
        case BaseEstimator():
            return {"estimator": type(value).__name__, "parameters": plain_parameters(value)}
        case Mapping():
            return {"settings": {str(key): _plain(str(key), each) for key, each in value.items()}}
        case list() | tuple() | np.ndarray():
            return [_plain("", each) for each in value]
    raise ParameterError(
        f"{name} holds a {type(value).__name__}, which a model file cannot; expected numbers, words or lists of them"
    )


def _from_plain(stored: Any, domain: Any, models: Models) -> Any:
    match stored:
        case list():
            return [_from_plain(each, domain, models) for each in stored]
        case {"budget": budget}:
            return budget_from_dict(budget)
        case {"split": split}:
            return Split(**split)
        case {"centring": centring}:
            return Centring(**centring)
        case {"estimator": name, "parameters": parameters}:
            return estimator_from_plain(name, parameters, domain, models)
        case {"settings": settings}:
            return {key: _from_plain(each, domain, models) for key, each in settings.items()}
        case Mapping():
            raise KeyError("a parameter of an unknown kind")
    return stored
