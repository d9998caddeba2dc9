"""Sparse models as JSON: the support, its coefficients, the declaration and the certificate."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.certificate import Certificate
from tacit.domain import Schema, array_encoding, table_encoding
from tacit.estimators.persistence import FORMAT, FORMAT_VERSION, declaration_from_dict, read_model
from tacit.privacy import as_budget, budget_from_dict

if TYPE_CHECKING:
    from tacit.estimators.lasso import PrivateLasso

_STORED = ("loss", "radius", "steps", "schedule", "column_moment", "nonnegative", "fit_intercept", "constant_work")


def save(model: "PrivateLasso", path: Path) -> None:
    """Write a fitted model."""
    declared, thetas = model._declared, model.encoded_coef_
    stored = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "estimator": type(model).__name__,
        "parameters": {name: _plain(getattr(model, name)) for name in _STORED},
        "privacy": as_budget(model.privacy).to_dict(),
        "path_privacy": None if model.path_privacy is None else as_budget(model.path_privacy).to_dict(),
        "declaration": {type(declared).__name__.lower(): declared.to_dict()},
        "feature_names": list(map(str, getattr(model, "feature_names_in_", ()))),
        "columns": model.n_features_in_,
        "width": thetas.shape[1],
        "releases": [
            {"support": np.flatnonzero(theta).tolist(), "coefficients": theta[theta != 0].tolist()} for theta in thetas
        ],
        "loss_path": None if model.path_privacy is None else model.loss_path_.tolist(),
        "steps_taken": model.steps_,
        "certificate": model.certificate_.to_dict(),
    }
    path.write_text(json.dumps(stored, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def restore(model_type: type["PrivateLasso"], path: Path) -> "PrivateLasso":
    """Read a fitted model back."""
    stored = read_model(path)
    declared = declaration_from_dict(stored["declaration"])
    path_privacy = stored["path_privacy"]
    model = model_type(
        **stored["parameters"],
        privacy=budget_from_dict(stored["privacy"]),
        path_privacy=None if path_privacy is None else budget_from_dict(path_privacy),
        domain=declared,
    )
    names = stored["feature_names"]
    model.n_features_in_ = stored["columns"]
    if names:
        model.feature_names_in_ = np.array(names, dtype=object)
    if declared.outcome.classes is not None:
        model.classes_ = np.array(declared.outcome.classes)
    if path_privacy is not None:
        model.loss_path_ = np.array(stored["loss_path"])
    model.steps_ = stored["steps_taken"]
    if isinstance(declared, Schema):
        encoding: Any = table_encoding(declared, model._geometry())
    else:
        encoding = array_encoding(declared, model._geometry(), stored["columns"], names or None)
    thetas = np.zeros((len(stored["releases"]), stored["width"]))
    for theta, release in zip(thetas, stored["releases"], strict=True):
        theta[release["support"]] = release["coefficients"]
    model._restore(encoding, declared, thetas, Certificate.from_dict(stored["certificate"]))
    return model


def _plain(value: Any) -> Any:
    """A parameter as a Python value: JSON does not know numpy's numbers."""
    return value.item() if isinstance(value, np.generic) else value
