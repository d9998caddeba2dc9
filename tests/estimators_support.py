"""Small tables, estimators and accounts for the tests of estimators."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd

from tacit import (
    AccuracyFirst,
    PrivateHistogram,
    PrivateHuberRegressor,
    PrivateLasso,
    PrivateLinearSVC,
    PrivateLogisticRegression,
    PrivatePoissonRegressor,
    PrivateRidge,
    PrivateSearch,
    Schema,
)
from tacit.estimators.linear import PrivateLinearModel
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
    "count": {"name": "rich", "type": "real", "min": 0, "max": 12},
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
        "count": lambda: rng.poisson(2.0, n),
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
    "huber": (PrivateHuberRegressor, {"threshold": 0.5}, "real"),
    "poisson": (PrivatePoissonRegressor, {}, "count"),
}


@contextmanager
def counted_words() -> Iterator[RecordedEntropy]:
    """Fits inside take their randomness from a recorder, so that words can be counted afterwards."""
    recorder = RecordedEntropy(SystemEntropy())
    with patch("tacit.estimators.pipeline.entropy_of", lambda _: recorder):
        yield recorder


@dataclass(frozen=True)
class Fitted:
    """One estimator of every kind: how it is made for a declaration, the target it wants, what of it is released."""

    name: str
    make: Callable[..., Any]
    target: str
    released: tuple[str, ...]

    def table(self) -> pd.DataFrame:
        frame = people(target=self.target)
        return frame[["age"]] if self.name == "histogram" else frame

    def fit(self, **options: Any) -> Any:
        return self.make(schema(self.target), **options).fit(self.table())

    def check_same(self, model: Any, other: Any) -> None:
        """The same bits and the same certificate."""
        for name in self.released:
            one, two = getattr(model, name), getattr(other, name)
            assert one.equals(two) if isinstance(one, pd.DataFrame) else np.array_equal(one, two), name
        assert model.certificate_ == other.certificate_
        assert str(model.certificate_) == str(other.certificate_)

    def __str__(self) -> str:
        return self.name


LINEAR = ("coef_", "intercept_", "encoded_coef_")


def _accurate(domain: Any, excess_risk: float, most: float, options: Any) -> AccuracyFirst:
    model = PrivateRidge(domain=domain, radius=1.0, l2=0.5, **options)
    return AccuracyFirst(model, excess_risk=excess_risk, max_privacy=most)


EVERY = [
    Fitted("ridge", lambda d, **o: PrivateRidge(domain=d, **o), "real", LINEAR),
    Fitted("ridge, intervals", lambda d, **o: PrivateRidge(domain=d, inference=True, **o), "real", LINEAR),
    Fitted("huber", lambda d, **o: PrivateHuberRegressor(domain=d, **o), "real", LINEAR),
    Fitted("poisson", lambda d, **o: PrivatePoissonRegressor(domain=d, **o), "count", LINEAR),
    Fitted("logistic", lambda d, **o: PrivateLogisticRegression(domain=d, **o), "binary", LINEAR),
    Fitted(
        "logistic, intervals",
        lambda d, **o: PrivateLogisticRegression(domain=d, inference=True, **o),
        "classes",
        LINEAR,
    ),
    Fitted("svc", lambda d, **o: PrivateLinearSVC(domain=d, loss="hinge", **o), "binary", LINEAR),
    Fitted(
        "lasso",
        lambda d, **o: PrivateLasso(domain=d, privacy=9.0, path_privacy=1.0, steps=3, **o),
        "real",
        (*LINEAR, "loss_path_", "support_", "steps_"),
    ),
    Fitted(
        "lasso, classes",
        lambda d, **o: PrivateLasso(domain=d, loss="logistic", privacy=99.0, steps=3, **o),
        "classes",
        LINEAR,
    ),
    Fitted(
        "search",
        lambda d, **o: PrivateSearch(PrivateLogisticRegression(domain=d, **o), {"l2": [0.1, 1.0]}),
        "binary",
        ("best_index_",),
    ),
    Fitted("accuracy first", lambda d, **o: _accurate(d, 0.5, 500.0, o), "real", ("met_", "loss_", "trace_")),
    Fitted("accuracy first, dear", lambda d, **o: _accurate(d, 0.05, 40.0, o), "real", ("met_", "loss_", "trace_")),
    Fitted(
        "histogram",
        lambda d, **o: PrivateHistogram([20.0, 50.0], low=0, high=100, select_privacy=1.0, **o),
        "real",
        ("counts_", "density_", "bin_width_"),
    ),
]
