"""Small tables, estimators and accounts for the tests of estimators."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd

from tacit import PrivateLinearSVC, PrivateLogisticRegression, PrivateRidge, Schema
from tacit.estimators.base import PrivateLinearModel
from tacit.noise import RecordedEntropy, SystemEntropy

FEATURES: dict[str, Any] = {
    "age": {"type": "number", "min": 0, "max": 100, "missing": 40},
    "sector": {"type": "category", "values": ["farm", "shop", "office"], "other": True},
    "member": {"type": "flag", "positive": "yes", "negative": "no"},
}
TARGETS: dict[str, dict[str, Any]] = {
    "binary": {"name": "rich", "type": "binary", "positive": "yes", "negative": "no"},
    "classes": {"name": "rich", "type": "classes", "values": ["no", "maybe", "yes"]},
    "real": {"name": "rich", "type": "real", "min": -3, "max": 7},
}


def schema(target: str = "binary", **more: Any) -> Schema:
    return Schema.from_dict(
        {"name": "people", "unit": "one person", "features": FEATURES, "target": TARGETS[target], **more}
    )


def people(n: int = 60, target: str = "binary", seed: int = 0) -> pd.DataFrame:
    """A table of declared cells, held as objects so that any cell may be replaced by anything."""
    rng = np.random.default_rng(seed)
    outcomes = {
        "binary": lambda: rng.choice(["yes", "no"], n),
        "classes": lambda: rng.choice(["no", "maybe", "yes"], n),
        "real": lambda: rng.uniform(-3, 7, n),
    }
    columns = {
        "age": rng.uniform(0, 100, n),
        "sector": rng.choice(["farm", "shop", "office", "sea"], n),
        "member": rng.choice(["yes", "no"], n),
        "rich": outcomes[target](),
    }
    return pd.DataFrame({name: np.array(column.tolist(), dtype=object) for name, column in columns.items()})


CASES: dict[str, tuple[type[PrivateLinearModel], dict[str, Any], str]] = {
    "logistic": (PrivateLogisticRegression, {}, "binary"),
    "logistic, three classes": (PrivateLogisticRegression, {}, "classes"),
    "logistic, output": (PrivateLogisticRegression, {"mechanism": "output"}, "binary"),
    "svc": (PrivateLinearSVC, {}, "binary"),
    "ridge": (PrivateRidge, {}, "real"),
    "ridge, centred": (PrivateRidge, {"mechanism": "centred"}, "real"),
}


@contextmanager
def counted_words() -> Iterator[RecordedEntropy]:
    """Fits inside take their randomness from a recorder, so that words can be counted afterwards."""
    recorder = RecordedEntropy(SystemEntropy())
    with patch("tacit.estimators.base.entropy_of", lambda _: recorder):
        yield recorder
