"""Models as JSON: declaration, released coefficients, certificate. No pickle, so loading a model runs no code."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.certificate import Certificate
from tacit.domain import Domain, Schema, array_encoding, table_encoding
from tacit.errors import ParameterError
from tacit.inference import evidence_from_dict
from tacit.mechanisms.intervals import Split
from tacit.privacy import as_budget, budget_from_dict

if TYPE_CHECKING:
    from tacit.estimators.base import PrivateLinearModel

FORMAT = "tacit-model"
FORMAT_VERSION = 1
_NOT_STORED = ("privacy", "domain", "inference", "ledger", "random_state")


def save(model: "PrivateLinearModel", path: Path) -> None:
    """Write a fitted model."""
    declared = model._declared
    stored = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "estimator": type(model).__name__,
        "parameters": {k: _plain(v) for k, v in model.get_params(deep=False).items() if k not in _NOT_STORED},
        "privacy": as_budget(model.privacy).to_dict(),
        "declaration": {type(declared).__name__.lower(): declared.to_dict()},
        "feature_names": list(map(str, getattr(model, "feature_names_in_", ()))),
        "columns": model.n_features_in_,
        "encoded_coefficients": model.encoded_coef_.tolist(),
        "noise_deviations": model._deviations.tolist(),
        "inference": _split_to_plain(model.inference),
        "evidence": [evidence.to_dict() for evidence in model._evidence],
        "certificate": model.certificate_.to_dict(),
    }
    path.write_text(json.dumps(stored, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def restore(model_types: dict[str, type["PrivateLinearModel"]], path: Path) -> "PrivateLinearModel":
    """Read a fitted model back."""
    stored = read_model(path)
    if stored["estimator"] not in model_types:
        raise ParameterError(f"{path.name} holds a {stored['estimator']!r}, which this version of tacit does not know")
    declared = declaration_from_dict(stored["declaration"])
    model = model_types[stored["estimator"]](
        **stored["parameters"],
        privacy=budget_from_dict(stored["privacy"]),
        domain=declared,
        inference=_split_from_plain(stored.get("inference", False)),
    )
    names = stored["feature_names"]
    model.n_features_in_ = stored["columns"]
    if names:
        model.feature_names_in_ = np.array(names, dtype=object)
    if isinstance(declared, Schema):
        encoding: Any = table_encoding(declared, model._geometry())
    else:
        encoding = array_encoding(declared, model._geometry(), stored["columns"], names or None)
    if declared.outcome.classes is not None:
        model.classes_ = np.array(declared.outcome.classes)
    model._restore(
        encoding,
        declared,
        np.array(stored["encoded_coefficients"]),
        np.array(stored["noise_deviations"]),
        Certificate.from_dict(stored["certificate"]),
        tuple(evidence_from_dict(kept) for kept in stored.get("evidence", ())),
    )
    return model


def _plain(value: Any) -> Any:
    """A parameter as a Python value: JSON does not know numpy's numbers."""
    return value.item() if isinstance(value, np.generic) else value


def _split_to_plain(inference: object) -> Any:
    return asdict(inference) if isinstance(inference, Split) else bool(inference)


def _split_from_plain(stored: Any) -> bool | Split:
    return Split(**stored) if isinstance(stored, dict) else bool(stored)


def read_model(path: Path) -> dict[str, Any]:
    """What `save` wrote, as plain values."""
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as problem:
        raise ParameterError(f"{path} is not a readable model ({problem}); expected a file written by save()") from None
    if not isinstance(stored, dict) or stored.get("format") != FORMAT:
        raise ParameterError(f"{path.name} is JSON but not a tacit model; expected a file written by save()")
    if stored["format_version"] > FORMAT_VERSION:
        raise ParameterError(f"{path.name} was written by a newer tacit; upgrade tacit to read it")
    return stored


def declaration_from_dict(stored: dict[str, Any]) -> Domain | Schema:
    """The declaration of a stored model."""
    if "schema" in stored:
        return Schema.from_dict(stored["schema"])
    domain = stored["domain"]
    classes = None if domain["classes"] is None else tuple(domain["classes"])
    return Domain(domain["norm"], domain["radius"], tuple(domain["target"]), classes)
