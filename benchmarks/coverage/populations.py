"""Tables as populations: declared columns, rows in the library's own encoding with baselines, ordinary coefficients.

Columns are written as name:min:max or name:min:max:reference (number), name (flag), name=level (category with a
baseline). Bounds are public constants from the documentation of the tables. TUNED: the recipe's constants were chosen
on these. The others chose nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pandas as pd

from benchmarks import data
from tacit import Schema
from tacit.domain import Geometry, table_encoding
from tacit.mechanisms.problem import Shape
from tacit.rows import linear_scores

Floats = np.ndarray

GEOMETRY = Geometry(clip=None, baselines=True)
COIN = "coin"
ADULT = "age:17:90 education:1:16 hours:1:99 male married white private native gain:0:1e5:0 loss:0:5e3:0"
BANK = "age:15:100 balance:-1e4:1e4:0 day:1:31 campaign:0:20:0 previous:0:20:0 duration:0:2e3 "
BANK += "housing loan married cellular"
MAGIC = "fLength:0:350 fWidth:0:260 fSize:1.5:5.5 fConc:0:1 fConc1:0:1"
COLUMNS = {
    "adult5": " ".join(ADULT.split()[:5]),
    "adult5+coin": " ".join(ADULT.split()[:5]) + f" {COIN}",
    "adult10": ADULT,
    "adult10 tight": ADULT.replace("gain:0:1e5", "gain:0:2e4"),
    "adultmix": "age:17:90 education:1:16 hours:1:99 male relationship=Husband workclass=Private race=White",
    "bank5": " ".join(BANK.split()[:5]),
    "bank10": BANK,
    "bank10+coin": f"{BANK} {COIN}",
    "bankmix": "age:15:100 duration:0:2e3 campaign:0:20:0 housing loan "
    "job=blue-collar marital=married education=secondary",
    "magic5": MAGIC,
    "mothers": "educ:0:20 age:20:36 agefstm:14:34 kids:2:12:2 nonmomi:-50:200:20 black hispan samesex boy1st multi2nd",
    "health": "lncoins:0:5 lpi:0:8 fmde:0:9 disea:0:60 idp physlm hlthg hlthf",
    "marriages": "rate_marriage:1:5 age:17:43 yrs_married:0:24 children:0:6 religious:1:4 educ:9:20",
    "happiness": "educ:0:20 prestige:10:90 female black occattend regattend",
    "methods": "age:15:50 educ:0:20 children:0:14:0 electric tv bicycle urban protest catholic",
    "wives": "husage:18:75 huseduc:0:18 age:18:70 educ:0:18 nwifeinc:0:150 kidlt6 kidge6 black hispanic husunion",
    "colleges": "phsrank:0:100 exper:0:180 stotal:-4:4 female black hispanic south",
}
TUNED = ("adult", "bank", "magic")


@dataclass(frozen=True, eq=False)
class Population:
    """Rows times labels, how they are told in the user's units, the coefficients without a penalty and their moments.

    coin: the column that is tossed anew in every sample and has no effect, or None.
    """

    name: str
    shape: Shape
    rows: Floats
    units: Floats
    names: tuple[str, ...]
    truth: Floats
    coin: int | None

    def of(self, n: int) -> Shape:
        """The public facts of a sample."""
        return replace(self.shape, n=n)

    def sample(self, n: int, rng: np.random.Generator) -> Floats:
        """n rows drawn with replacement."""
        rows = self.rows[rng.integers(0, len(self.rows), n)]
        if self.coin is not None:
            rows[:, self.coin] *= rng.choice([-1.0, 1.0], n)
        return rows


@cache
def population(name: str) -> Population:
    """The named table as a population."""
    frame, positive = _frame(name.split("+")[0])
    frame = frame.assign(**{COIN: np.arange(len(frame)) % 2, "outcome": positive.astype(int)})
    schema = _schema(name, frame)
    encoding = table_encoding(schema, GEOMETRY)
    X = linear_scores(frame, np.eye(encoding.width), schema, GEOMETRY)
    rows = X * np.where(positive, 1.0, -1.0)[:, None]
    matrix, names = encoding.linear_map()[0], (*encoding.feature_names, "(intercept)")
    shown = np.flatnonzero(np.any(matrix != 0, axis=1))
    coin = names.index(COIN) if COIN in names else None
    truth = _ordinary(rows if coin is None else rows * (np.arange(rows.shape[1]) != coin))
    facts = (encoding.norms, encoding.max_nonzeros, 4096, encoding.constant, encoding.typical_norm)
    shape = Shape(len(rows), encoding.width, *facts)
    return Population(name, shape, rows, matrix[shown], tuple(names[i] for i in shown), truth, coin)


def _schema(name: str, frame: pd.DataFrame) -> Schema:
    features = {}
    for column in COLUMNS[name].split():
        label, _, baseline = column.partition("=")
        label, *limits = label.split(":")
        if baseline:
            levels = sorted(set(frame[label].astype(str)))  # the documented levels: all of them occur
            features[label] = {"type": "category", "values": levels, "baseline": baseline}
        elif limits:
            keys = ("min", "max", "reference")
            features[label] = {"type": "number"} | dict(zip(keys, map(float, limits), strict=False))
        else:
            features[label] = {"type": "flag", "positive": 1, "negative": 0}
    target = {"name": "outcome", "type": "binary", "positive": 1, "negative": 0}
    return Schema.from_dict({"name": name, "features": features, "target": target})


def _ordinary(rows: Floats) -> Floats:
    """Maximum likelihood by Newton's method; a column of zeros keeps the coefficient 0."""
    theta = np.zeros(rows.shape[1])
    for _ in range(50):
        gradient, hessian, _ = moments(rows, theta)
        theta = theta - np.linalg.lstsq(hessian, gradient, rcond=1e-14)[0]
        if np.linalg.norm(gradient) < 1e-12:
            break
    return theta


def moments(rows: Floats, theta: Floats, ball: float = np.inf) -> tuple[Floats, Floats, Floats]:
    """(mean gradient, Hessian, score covariance) at θ, the matrices of rows pulled into the ball."""
    miss, n = 1 / (1 + np.exp(rows @ theta)), len(rows)
    pulled = np.minimum(1.0, ball**2 / np.einsum("ij,ij->i", rows, rows))
    hessian = (rows.T * (miss * (1 - miss) * pulled)) @ rows / n
    return -(miss @ rows) / n, hessian, (rows.T * (miss**2 * pulled)) @ rows / n


def _frame(name: str) -> tuple[pd.DataFrame, pd.Series]:
    """(columns, which rows are positive)."""
    for start, load in FRAMES.items():
        if name.startswith(start):
            return load()
    raise data.Missing(f"no table of the name {name}")


def _adult() -> tuple[pd.DataFrame, pd.Series]:
    f = data.load("adult").frame
    numbers = {"education": f["education-num"], "hours": f["hours-per-week"], "gain": f["capital-gain"]}
    flags = {"male": f["sex"] == "Male", "married": f["marital-status"] == "Married-civ-spouse"}
    flags |= {"white": f["race"] == "White", "private": f["workclass"] == "Private"}
    flags["native"] = f["native-country"] == "United-States"
    return f.assign(**numbers, loss=f["capital-loss"], **_ones(flags)), f["income"] == ">50K"


def _bank() -> tuple[pd.DataFrame, pd.Series]:
    f = data.load("bank").frame
    flags = {"housing": f["housing"] == "yes", "loan": f["loan"] == "yes", "cellular": f["contact"] == "cellular"}
    return f.assign(**_ones(flags | {"married": f["marital"] == "married"}), marital=f["marital"]), f["y"] == "yes"


def _magic() -> tuple[pd.DataFrame, pd.Series]:
    f = data.load("magic").frame
    return f, f["class"] == "g"


def _survey(name: str, outcome: str, columns: str) -> tuple[pd.DataFrame, pd.Series]:
    used = [column.split(":")[0] for column in COLUMNS[columns].split()]
    f = data.survey(name)[[*used, outcome]].dropna().reset_index(drop=True)
    return f, f[outcome] == 1


def _statsmodels(name: str, outcome: str) -> tuple[pd.DataFrame, pd.Series]:
    import statsmodels.api as sm

    f = getattr(sm.datasets, name).load_pandas().data.reset_index(drop=True)
    return f, f[outcome] > 0


def _ones(flags: dict[str, pd.Series]) -> dict[str, pd.Series]:
    return {name: flag.astype(int) for name, flag in flags.items()}


FRAMES = {
    "adult": _adult,
    "bank": _bank,
    "magic": _magic,
    "mothers": lambda: _survey("labsup", "worked", "mothers"),
    "health": lambda: _statsmodels("randhie", "mdvis"),
    "marriages": lambda: _statsmodels("fair", "affairs"),
    "happiness": lambda: _survey("happiness", "vhappy", "happiness"),
    "methods": lambda: _survey("fertil2", "usemeth", "methods"),
    "wives": lambda: _survey("cps91", "inlf", "wives"),
    "colleges": lambda: _survey("twoyear", "BA", "colleges"),
}
