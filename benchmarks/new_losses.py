"""Huber regression against ridge under gross outliers; Poisson regression against scikit-learn's on doctor visits.

`python -m benchmarks new_losses`. Huber: mean squared error on the rows that are no outliers, 5 % of the targets
replaced by numbers between 20 and 50 (one side), or by such numbers of either sign (both sides). Ordinary errors have
deviation 1, so that 1 is the least possible. Poisson: the RAND health insurance experiment as shipped with statsmodels,
counts of outpatient visits, share of the deviance explained (D²) on all rows and on held-out rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sklearn.linear_model import HuberRegressor, PoissonRegressor
from sklearn.metrics import d2_tweedie_score
from sklearn.preprocessing import StandardScaler

from tacit import Approx, PrivateHuberRegressor, PrivatePoissonRegressor, PrivateRidge, Pure, Schema

ROWS, COLUMNS, OUTLIERS = 20_000, 10, 0.05
BUDGETS = (Pure(1.0), Approx(1.0, 1e-6))
VISITS = {
    "lncoins": 5, "idp": 1, "lpi": 8, "fmde": 9, "physlm": 1, "disea": 60, "hlthg": 1, "hlthf": 1, "hlthp": 1,
}  # fmt: skip
LARGEST_COUNT = 20

Record = dict[str, Any]


def run(quick: bool = True) -> list[Record]:
    """One record a setting: the private model, what it is compared with, and their ratio."""
    few, many = (5, 50) if quick else (50, 200)
    huber = [_huber(budget, both, few) for budget in BUDGETS for both in (False, True)]
    return [*huber, *(_poisson(budget, held_out, many) for budget in BUDGETS for held_out in (False, True))]


def _huber(budget: Pure | Approx, both: bool, runs: int) -> Record:
    generator = np.random.default_rng(1)
    names = [f"x{column}" for column in range(COLUMNS)]
    table = pd.DataFrame(generator.uniform(-1, 1, (ROWS, COLUMNS)), columns=names)
    clean = table @ np.linspace(-2, 2, COLUMNS) + 1.0 + generator.normal(size=ROWS)
    wrong = generator.random(ROWS) < OUTLIERS
    signs = generator.choice([-1, 1], ROWS) if both else 1
    table["y"] = np.where(wrong, signs * generator.uniform(20, 50, ROWS), clean)
    features = {name: {"type": "number", "min": -1, "max": 1} for name in names}
    target = {"name": "y", "type": "real", "min": -50, "max": 50}
    schema = Schema.from_dict({"name": "outliers", "features": features, "target": target})

    def error(model: Any) -> float:
        fits = (model(privacy=budget, domain=schema).fit(table).predict(table) for _ in range(runs))
        return float(np.mean([np.mean((fit - clean)[~wrong] ** 2) for fit in fits]))

    usual = HuberRegressor().fit(table[names], table["y"]).predict(table[names])
    ours, ridge = error(PrivateHuberRegressor), error(PrivateRidge)
    return {
        "what": f"Huber, outliers on {'both sides' if both else 'one side'}",
        "budget": str(budget),
        "measure": "mean squared error on clean rows",
        "private": ours,
        "PrivateRidge": ridge,
        "scikit-learn, not private": float(np.mean((usual - clean)[~wrong] ** 2)),
        "ratio": ours / ridge,
    }


def _poisson(budget: Pure | Approx, held_out: bool, runs: int) -> Record:
    import statsmodels.api as sm

    table = sm.datasets.randhie.load_pandas().data
    features = {name: {"type": "number", "min": 0, "max": most} for name, most in VISITS.items()}
    target = {"name": "mdvis", "type": "real", "min": 0, "max": LARGEST_COUNT}
    schema = Schema.from_dict({"name": "doctor visits", "features": features, "target": target})
    found = []
    for seed in range(runs):
        order = np.random.default_rng(seed).permutation(len(table))
        train, test = (order[len(order) // 5 :], order[: len(order) // 5]) if held_out else (order, order)
        fitted = PrivatePoissonRegressor(privacy=budget, domain=schema).fit(table.iloc[train])
        scaler = StandardScaler().fit(table[list(VISITS)].iloc[train])
        usual = PoissonRegressor(alpha=1e-9, max_iter=1000)
        usual.fit(scaler.transform(table[list(VISITS)].iloc[train]), table["mdvis"].iloc[train])
        expected = usual.predict(scaler.transform(table[list(VISITS)].iloc[test]))
        rows = table.iloc[test]
        found.append((fitted.score(rows, rows["mdvis"]), d2_tweedie_score(rows["mdvis"], expected, power=1)))
    ours, best = np.mean(found, axis=0)
    return {
        "what": f"Poisson, doctor visits, {'a fifth of the rows held out' if held_out else 'all rows'}",
        "budget": str(budget),
        "measure": "deviance explained (D²)",
        "private": float(ours),
        "PrivateRidge": "",
        "scikit-learn, not private": float(best),
        "ratio": float(ours / best),
    }
