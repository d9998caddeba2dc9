"""The picture of docs/penalised-intervals.md: private and non-private intervals for the same coefficients.

`python -m benchmarks.coefficient_plot docs/images/coefficient-intervals.png` (needs the Adult table, see `data`).
"""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
from scipy.special import expit

from benchmarks import data
from tacit import ZCDP, PrivateLogisticRegression, Pure, Schema
from tacit.domain import Geometry, table_encoding
from tacit.rows import linear_scores

L2 = 0.001
SCHEMA = Schema.from_dict(
    {
        "name": "adult, five numbers",
        "unit": "one person, one row",
        "features": {
            "age, decades": {"type": "number", "min": 1.7, "max": 9},
            "education, years": {"type": "number", "min": 1, "max": 16},
            "hours a week, tens": {"type": "number", "min": 0, "max": 10},
            "capital gain, 10,000": {"type": "number", "min": 0, "max": 10, "reference": 0},
            "capital loss, 1,000": {"type": "number", "min": 0, "max": 5, "reference": 0},
        },
        "target": {"name": "income", "type": "binary", "positive": ">50K", "negative": "<=50K"},
    }
)


def table() -> pd.DataFrame:
    """Adult in units that make coefficients comparable."""
    frame = data.load("adult").frame
    columns = {
        "age, decades": frame["age"] / 10,
        "education, years": frame["education-num"],
        "hours a week, tens": frame["hours-per-week"] / 10,
        "capital gain, 10,000": frame["capital-gain"] / 10_000,
        "capital loss, 1,000": frame["capital-loss"] / 1_000,
        "income": frame["income"],
    }
    return pd.DataFrame(columns)


def not_private(frame: pd.DataFrame) -> pd.DataFrame:
    """Sandwich intervals for the same regularised minimum, in the same units. NOT PRIVATE."""
    geometry = Geometry(clip=None)
    encoding = table_encoding(SCHEMA, geometry)
    X = linear_scores(frame, np.eye(encoding.width), SCHEMA, geometry)
    y = np.where(frame["income"] == ">50K", 1.0, -1.0)
    theta, identity = np.zeros(X.shape[1]), np.eye(X.shape[1])
    for _ in range(50):
        miss = expit(-y * (X @ theta))
        hessian = (X * (miss * (1 - miss))[:, None]).T @ X / len(y) + L2 * identity
        theta = theta - np.linalg.solve(hessian, -(X.T @ (y * miss)) / len(y) + L2 * theta)
    scores = (X * (miss**2)[:, None]).T @ X / len(y) - L2**2 * np.outer(theta, theta)
    loads = encoding.linear_map()[0] @ np.linalg.inv(hessian)
    half = 1.96 * np.sqrt(np.einsum("ij,jk,ik->i", loads, scores, loads) / len(y))
    middle = np.append(*encoding.decode(theta))
    return pd.DataFrame(
        {"lower": middle - half, "upper": middle + half}, index=[*encoding.feature_names, "(intercept)"]
    )


def main(path: str) -> None:
    """Fit, print the intervals, draw them."""
    import matplotlib.pyplot as plt

    frame = table()
    found = {"not private": not_private(frame)}
    for label, budget in (("ρ = 0.5 (zCDP)", ZCDP(0.5)), ("ε = 1", Pure(1.0)), ("ε = 0.3", Pure(0.3))):
        model = PrivateLogisticRegression(privacy=budget, domain=SCHEMA, l2=L2, inference=True).fit(frame)
        found[label] = model.conf_int()
        print(model.summary(), "\n")
    figure, axis = plt.subplots(figsize=(7.2, 3.6))
    for k, (label, ends) in enumerate(found.items()):
        kept = ends.drop("(intercept)")
        place = np.arange(len(kept)) + 0.18 * (k - 1.5)
        middle = kept.mean(axis=1)
        half = (kept["upper"] - kept["lower"]) / 2
        colour = ("black", "#38761d", "#0b5394", "#cc4125")[k]
        axis.errorbar(middle, place, xerr=half, fmt="o", markersize=3.5, capsize=3, color=colour, label=label)
    axis.set_yticks(np.arange(len(kept)), kept.index)
    axis.invert_yaxis()
    axis.axvline(0, color="grey", linewidth=0.8)
    axis.set_xlabel("log-odds of an income above 50,000 for one unit more; 95 % intervals")
    axis.legend(frameon=False, fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=90)
    print(pd.concat(found, axis=1).round(3).to_string())


if __name__ == "__main__":
    main(sys.argv[1])
