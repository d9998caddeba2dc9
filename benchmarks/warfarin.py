"""Warfarin doses: accuracy of private models, and how well a genotype is guessed from them (Wu et al. 2015, section 5).

For each mechanism and ε: mean squared error of √dose (mg/week) on a fifth of the patients, and the share of those
patients whose VKORC1 genotype is guessed from the model, their dose and their other attributes. The pictures follow
figures 1, 4, 5 and 7 of the paper. `python -m benchmarks.warfarin [--full]`
"""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from benchmarks.data import load
from tacit.attacks import invert
from tacit.domain import REGRESSION, Schema, table_encoding
from tacit.estimators import PrivateRidge, PrivateSearch

EPSILONS = (0.1, 0.2, 0.5, 1.0, 5.0)
SHARES = (0.1, 0.2, 0.4, 0.6, 0.8, 1.0)
CHUNK_EPSILON = 0.5
RADII = (0.5, 1.0, 2.0)
MECHANISMS = ("functional", "tuned", "output", "objective", "auto")
CATEGORIES = ["race", "cyp2c9", "vkorc1"]
NUMBERS = ["decade", "height", "weight", "amiodarone", "enzyme_inducer"]


def run(quick: bool = False) -> list[dict[str, Any]]:
    """One row per experiment, mechanism, ε and share of the training rows: means over random splits."""
    table, splits, trials = load("warfarin"), 8 if quick else 40, []
    patients = table.frame.dropna(subset=["vkorc1"]).fillna({"cyp2c9": "unknown"})
    for split in range(splits):
        order, fifth = np.random.default_rng(split).permutation(len(patients)), len(patients) // 5
        train, test = patients.iloc[order[fifth:]], patients.iloc[order[:fifth]]
        trials.append(
            _trial("epsilon", "non-private", np.inf, 1.0, _plain().fit(train, train["root_dose"]), train, test)
        )
        for epsilon in EPSILONS:
            trials += [
                _trial(
                    "epsilon", mechanism, epsilon, 1.0, _private(mechanism, epsilon, train, table.schema), train, test
                )
                for mechanism in MECHANISMS
            ]
        for share in SHARES:
            part = train.iloc[: int(share * len(train))]
            model = _private("tuned", CHUNK_EPSILON, part, table.schema)
            trials.append(_trial("share", "tuned", CHUNK_EPSILON, share, model, train, test))
    keys = ["experiment", "mechanism", "epsilon", "share"]
    groups = pd.DataFrame(trials).groupby(keys, sort=False)
    means = groups.mean().join(groups["inversion"].std().rename("inversion_sd")).reset_index()
    return [{key: _tidy(value) for key, value in row.items()} for row in means.to_dict("records")]


def _private(mechanism: str, epsilon: float, train: pd.DataFrame, schema: Schema) -> Any:
    """A private model; output perturbation with the paper's data-independent R = 1 and λ = √(d/nε), or tuned around it.

    Tuned: each candidate learns from its own part of the rows, as in the paper, so that the search costs ε in all.
    """
    width = table_encoding(schema, REGRESSION).width

    def published_l2(rows: float) -> float:
        return math.sqrt(width / (rows * epsilon))

    if mechanism == "tuned":
        part = len(train) / (len(RADII) + 1)
        candidates = [{"radius": radius, "l2": published_l2(part)} for radius in RADII]
        model = PrivateRidge(privacy=epsilon, domain=schema, mechanism="output")
        return PrivateSearch(model, candidates, select_privacy=epsilon, method="tuned").fit(train)
    rules = {"radius": 1.0, "l2": published_l2(len(train))} if mechanism == "output" else {}
    return PrivateRidge(privacy=epsilon, domain=schema, mechanism=mechanism, **rules).fit(train)


def _plain() -> Any:
    """Ordinary least squares on the same attributes."""
    columns = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), CATEGORIES), ("passthrough", NUMBERS))
    return make_pipeline(columns, LinearRegression())


def _trial(
    experiment: str, name: str, epsilon: float, share: float, model: Any, train: pd.DataFrame, test: pd.DataFrame
) -> dict[str, Any]:
    prior = train["vkorc1"].value_counts(normalize=True).to_dict()
    guesses = invert(model, test, hidden="vkorc1", prior=prior, outcome="root_dose")
    error = test["root_dose"] - model.predict(test.drop(columns="root_dose"))
    return {
        "experiment": experiment,
        "mechanism": name,
        "epsilon": epsilon,
        "share": share,
        "mse": float(np.mean(error**2)),
        "inversion": float(np.mean(guesses == test["vkorc1"])),
        "commonest": float(np.mean(test["vkorc1"] == max(prior, key=lambda value: prior[value]))),
    }


def _tidy(value: Any) -> Any:
    return round(value, 4) if isinstance(value, float) else value


def plot(rows: list[dict[str, Any]], directory: Path) -> None:
    """warfarin.png: error and inversion against ε, and against the number of training rows."""
    table = pd.DataFrame(rows)
    by_epsilon = table[table["experiment"] == "epsilon"].set_index("mechanism")
    by_share = table[table["experiment"] == "share"]
    figure = Figure(figsize=(11, 7.5), layout="constrained")
    (first, fourth), (fifth, seventh) = figure.subplots(2, 2)
    for axes, names in ((first, ("functional", "tuned", "output", "auto")), (fourth, ("objective", "output"))):
        _curves(axes, by_epsilon, names, "mse")
        axes.set(title="Error of √dose", ylabel="mean squared error", yscale="log")
        axes.set_ylim(top=5 * axes.get_ylim()[1])  # room for the legend
    fifth.axhline(by_epsilon["commonest"].iloc[0], color="grey", linestyle=":", label="commonest genotype")
    _curves(fifth, by_epsilon, MECHANISMS, "inversion")
    fifth.set(title="VKORC1 guessed from the model", ylabel="share of patients", ylim=(0.25, 0.75))
    seventh.plot(by_share["share"], by_share["mse"], "o-", color="C0", label="mean squared error")
    seventh.set(title=f"Tuned, ε = {CHUNK_EPSILON}: more rows", xlabel="share of the training rows", ylabel="error")
    twin = seventh.twinx()
    twin.plot(by_share["share"], by_share["inversion"], "s--", color="C3", label="VKORC1 guessed")
    twin.set(ylabel="share of patients", ylim=(0.25, 0.5))
    seventh.legend(loc="upper left", bbox_to_anchor=(0.3, 1.0))
    twin.legend(loc="upper left", bbox_to_anchor=(0.3, 0.9))
    figure.savefig(directory / "warfarin.png", dpi=68)


def _curves(axes: Any, table: pd.DataFrame, names: tuple[str, ...], quantity: str) -> None:
    for name in names:
        rows = table.loc[[name]]
        axes.plot(rows["epsilon"], rows[quantity], "o-", color=f"C{MECHANISMS.index(name)}", label=name)
    axes.axhline(table.loc["non-private", quantity], color="black", linestyle="--", label="non-private")
    axes.set(xlabel="ε", xscale="log")
    axes.set_xticks(EPSILONS, [f"{epsilon:g}" for epsilon in EPSILONS])
    axes.minorticks_off()
    axes.legend(ncols=2)


if __name__ == "__main__":
    found = run(quick="--full" not in sys.argv)
    print(pd.DataFrame(found).to_string(index=False))
