"""The fits on record: estimator × mechanism × currency × way in. Public interface only, so that rooms may move."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
import pyarrow as pa
from scipy import sparse
from typer.testing import CliRunner

import tacit
from tacit import (
    ZCDP,
    AccuracyFirst,
    Approx,
    Domain,
    Ledger,
    PrivateHistogram,
    PrivateLasso,
    PrivateLinearSVC,
    PrivateLogisticRegression,
    PrivateRidge,
    PrivateSearch,
    Pure,
    Schema,
)

SEED = 20261116
ROWS = 400
CURRENCIES = {"pure": Pure(2.0), "zcdp": ZCDP(0.5), "approx": Approx(2.0, 1e-6)}
UNIT_BALL = Domain(radius=2.0)
FEATURES = {
    "age": {"type": "number", "min": 0, "max": 100, "missing": 40},
    "sector": {"type": "category", "values": ["farm", "shop", "office"], "other": True},
    "member": {"type": "flag", "positive": "yes", "negative": "no"},
}
TARGETS = {
    "rich": {"name": "rich", "type": "binary", "positive": "yes", "negative": "no"},
    "party": {"name": "party", "type": "classes", "values": ["red", "green", "blue"]},
    "saved": {"name": "saved", "type": "real", "min": -3, "max": 7},
}
MODELS = {"ridge": PrivateRidge, "logistic": PrivateLogisticRegression, "svc": PrivateLinearSVC}


@dataclass(frozen=True)
class Case:
    """One fit: the file it is recorded in, its name there, and how to make it."""

    file: str
    name: str
    fit: Callable[[], Any]


def numbers() -> np.ndarray:
    """Rows that partly lie outside the ball, so that clipping is on record too."""
    return np.random.default_rng(SEED).normal(size=(ROWS, 5)) / 1.5


def outcomes(kind: str) -> np.ndarray:
    scores = numbers() @ [1.0, -0.5, 0.25, 0.0, 0.5]
    return {"real": np.tanh(scores), "two": scores > 0, "three": np.digitize(scores, [-0.5, 0.5])}[kind]


def people() -> pd.DataFrame:
    """A table with cells of every declared kind, some missing, some unknown."""
    rng = np.random.default_rng(SEED)
    ages = [None if age > 98 else round(age, 2) for age in rng.uniform(0, 110, ROWS).tolist()]
    return pd.DataFrame(
        {
            "age": ages,
            "sector": rng.choice(["farm", "shop", "office", "sea"], ROWS),
            "member": rng.choice(["yes", "no"], ROWS),
            "rich": rng.choice(["yes", "no"], ROWS),
            "party": rng.choice(["red", "green", "blue"], ROWS),
            "saved": [round(value, 3) for value in rng.uniform(-3, 7, ROWS).tolist()],
        }
    )


def schema(target: str) -> Schema:
    return Schema.from_dict({"name": "people", "unit": "one person", "features": FEATURES, "target": TARGETS[target]})


def on_array(model: str, kind: str, **parameters: Any) -> Any:
    return MODELS[model](domain=UNIT_BALL, random_state=SEED, **parameters).fit(numbers(), outcomes(kind))


def on_table(model: str, target: str, table: Any, **parameters: Any) -> Any:
    return MODELS[model](domain=schema(target), random_state=SEED, **parameters).fit(table)


def with_account(fit: Callable[..., Any], *limits: Any) -> Any:
    """A fit that is paid from a fresh account, under a key of ours so that the certificate repeats."""
    with TemporaryDirectory() as folder:
        return fit(ledger=Ledger(f"{folder}/golden.db").open("golden", limit=limits[0]).keyed("job"))


def by_command(target: str, *command: str) -> Any:
    """A fit of the command line on a CSV file, with a stream in place of the operating system's entropy."""
    stream = np.random.default_rng(SEED)
    with TemporaryDirectory() as folder, patch("os.urandom", stream.bytes):
        table, declared, model = (Path(folder, name) for name in ("people.csv", "people.json", "model.json"))
        people().to_csv(table, index=False)
        declared.write_text(json.dumps(schema(target).to_dict()), encoding="utf-8")
        words = [command[0], str(table), "--schema", str(declared), *command[1:], "--out", str(model)]
        from tacit.cli import app

        done = CliRunner().invoke(app, words)
        assert done.exit_code == 0, done.output
        return tacit.load(model)


def cases() -> Iterator[Case]:
    yield from _regressions()
    yield from _classifications()
    yield from _sparse_models()
    yield from _searches()
    yield from _densities()
    yield from _commands()


def _regressions() -> Iterator[Case]:
    def ridge(name: str, fit: Callable[[], Any]) -> Case:
        return Case("ridge", name, fit)

    for currency, budget in CURRENCIES.items():
        for mechanism in ("auto", "output", "objective", "covariance", "centred"):
            yield ridge(
                f"{mechanism}, {currency}, array",
                lambda m=mechanism, b=budget: on_array("ridge", "real", privacy=b, mechanism=m),
            )
        yield ridge(
            f"intervals, {currency}, array",
            lambda b=budget: on_array("ridge", "real", privacy=b, inference=True),
        )
    yield ridge("functional, pure, array", lambda: on_array("ridge", "real", privacy=2.0, mechanism="functional"))
    yield ridge(
        "l2 and radius, no intercept, approx, sparse",
        lambda: PrivateRidge(
            privacy=CURRENCIES["approx"], domain=UNIT_BALL, l2=0.01, radius=3.0, fit_intercept=False, random_state=SEED
        ).fit(sparse.csr_array(numbers()), outcomes("real")),
    )
    yield ridge("auto, zcdp, pandas and schema", lambda: on_table("ridge", "saved", people(), privacy=ZCDP(0.5)))
    yield ridge("account, approx, array", lambda: with_account(_paid_ridge, Approx(3.0, 1e-5)))


def _paid_ridge(**parameters: Any) -> Any:
    return on_array("ridge", "real", privacy=CURRENCIES["approx"], **parameters)


def _classifications() -> Iterator[Case]:
    for model in ("logistic", "svc"):
        for currency, budget in CURRENCIES.items():
            for mechanism in ("auto", "output", "objective"):
                yield Case(
                    model,
                    f"{mechanism}, {currency}, array",
                    lambda k=model, m=mechanism, b=budget: on_array(k, "two", privacy=b, mechanism=m),
                )
    yield from (
        Case("logistic", name, fit)
        for name, fit in (
            ("functional, pure, array", lambda: on_array("logistic", "two", privacy=2.0, mechanism="functional")),
            ("three classes, pure, array", lambda: on_array("logistic", "three", privacy=2.0)),
            ("three classes, approx, array", lambda: on_array("logistic", "three", privacy=CURRENCIES["approx"])),
            ("intervals, pure, array", lambda: on_array("logistic", "two", privacy=2.0, inference=True)),
            (
                "radius, output, zcdp, sparse",
                lambda: PrivateLogisticRegression(
                    privacy=ZCDP(0.5), domain=UNIT_BALL, radius=2.0, mechanism="output", random_state=SEED
                ).fit(sparse.csr_array(numbers()), outcomes("two")),
            ),
            ("auto, pure, pandas and schema", lambda: on_table("logistic", "rich", people(), privacy=2.0)),
            ("auto, pure, polars and schema", lambda: on_table("logistic", "rich", _polars(), privacy=2.0)),
            (
                "auto, pure, pyarrow and schema",
                lambda: on_table("logistic", "rich", pa.Table.from_pandas(people()), privacy=2.0),
            ),
            ("three classes, pure, pandas and schema", lambda: on_table("logistic", "party", people(), privacy=2.0)),
            (
                "intervals, approx, pandas and schema",
                lambda: on_table("logistic", "rich", people(), privacy=CURRENCIES["approx"], inference=True),
            ),
            ("account, pure, array", lambda: with_account(_paid_logistic, Pure(3.0))),
        )
    )
    yield Case("svc", "hinge, pure, array", lambda: on_array("svc", "two", privacy=2.0, loss="hinge"))
    yield Case("svc", "three classes, zcdp, array", lambda: on_array("svc", "three", privacy=ZCDP(0.5)))
    yield Case("svc", "auto, pure, pyarrow", lambda: on_table("svc", "rich", pa.Table.from_pandas(people())))
    yield Case("svc", "intervals, zcdp, array", lambda: on_array("svc", "two", privacy=ZCDP(0.5), inference=True))


def _paid_logistic(**parameters: Any) -> Any:
    declared = Domain(radius=2.0, classes=(False, True))  # an account lets no label be read before its charge
    model = PrivateLogisticRegression(privacy=2.0, domain=declared, random_state=SEED, **parameters)
    return model.fit(numbers(), outcomes("two"))


def _polars() -> Any:
    import polars

    return polars.from_pandas(people())


def _sparse_models() -> Iterator[Case]:
    def lasso(name: str, kind: str = "real", **parameters: Any) -> Case:
        model = PrivateLasso(random_state=SEED, **parameters)
        return Case("lasso", name, lambda: model.fit(numbers(), outcomes(kind)))

    for currency, budget in CURRENCIES.items():
        yield lasso(f"squared, {currency}, array", privacy=budget)
        yield lasso(f"logistic, {currency}, array", "two", privacy=budget, loss="logistic")
    yield lasso("three classes, approx, array", "three", privacy=Approx(2.0, 1e-6), loss="logistic")
    yield lasso("loss path, zcdp, array", privacy=ZCDP(0.5), path_privacy=ZCDP(0.1), steps=10)
    yield lasso("constant work, intercept, zcdp", privacy=ZCDP(0.5), constant_work=True, fit_intercept=True)
    yield Case(
        "lasso",
        "nonnegative, zcdp, sparse",
        lambda: PrivateLasso(privacy=ZCDP(0.5), nonnegative=True, random_state=SEED).fit(
            sparse.csr_array(np.abs(numbers()).round()), outcomes("real")
        ),
    )
    yield Case(
        "lasso",
        "squared, approx, pandas and schema",
        lambda: PrivateLasso(privacy=Approx(2.0, 1e-6), domain=schema("saved"), random_state=SEED).fit(people()),
    )
    yield Case("lasso", "account, zcdp, array", lambda: with_account(_paid_lasso, ZCDP(1.0)))


def _paid_lasso(**parameters: Any) -> Any:
    return PrivateLasso(privacy=ZCDP(0.5), random_state=SEED, **parameters).fit(numbers(), outcomes("real"))


def _searches() -> Iterator[Case]:
    candidates = [{"l2": 0.01}, {"l2": 0.1}]
    for method in ("stability", "split-data", "tuned", "split-budget", "random", "random-stopping", "liu-talwar"):
        model = PrivateLogisticRegression(privacy=2.0, domain=UNIT_BALL, radius=2.0, random_state=SEED)
        yield Case(
            "search",
            f"{method}, pure, array",
            lambda e=model, m=method: PrivateSearch(e, candidates, select_privacy=1.0, method=m).fit(
                numbers(), outcomes("two")
            ),
        )
    yield Case("search", "stability, account, zcdp, pandas", lambda: with_account(_paid_search, ZCDP(1.0)))
    for method, budget in (("noise-reduction", 20.0), ("doubling", 40.0), ("brownian", Approx(20.0, 1e-6))):
        yield Case(
            "accuracy_first", f"{method}, array", lambda m=method, b=budget: _accurate(0.05, max_privacy=b, method=m)
        )
    yield Case("accuracy_first", "not met, array", lambda: _accurate(0.05, max_privacy=4.0))
    yield Case("accuracy_first", "account, array", lambda: with_account(_paid_accuracy, Pure(30.0)))


def _paid_search(**parameters: Any) -> Any:
    model = PrivateRidge(
        privacy=ZCDP(0.5), domain=schema("saved"), mechanism="objective", random_state=SEED, **parameters
    )
    return PrivateSearch(model, [{"l2": 0.05}, {"l2": 0.5}], select_privacy=ZCDP(0.1)).fit(people())


def _accurate(excess_risk: float, ledger: Any = None, **parameters: Any) -> Any:
    model = PrivateRidge(domain=UNIT_BALL, radius=1.0, l2=0.05, ledger=ledger, random_state=SEED)
    return AccuracyFirst(model, excess_risk=excess_risk, **parameters).fit(numbers(), outcomes("real"))


def _paid_accuracy(ledger: Any) -> Any:
    return _accurate(0.05, max_privacy=20.0, ledger=ledger)


def _densities() -> Iterator[Case]:
    def histogram(name: str, columns: Any, *arguments: Any, **parameters: Any) -> Case:
        model = PrivateHistogram(*arguments, low=-1, high=1, random_state=SEED, **parameters)
        return Case("histogram", name, lambda: model.fit(numbers()[:, columns]))

    for currency, budget in CURRENCIES.items():
        yield histogram(f"one width, {currency}, array", 0, 0.25, privacy=budget)
    yield histogram("chosen width, pure, array", 0, [0.1, 0.5], privacy=1.0, select_privacy=1.0)
    yield histogram("two axes, zcdp, array", [0, 1], 0.5, privacy=ZCDP(0.5))
    yield Case(
        "histogram",
        "one column, account, pandas",
        lambda: with_account(
            lambda ledger: PrivateHistogram(10.0, low=0, high=100, ledger=ledger, random_state=SEED).fit(
                people()[["age"]]
            ),
            2.0,
        ),
    )


def _commands() -> Iterator[Case]:
    commands = {
        "fit ridge": ("saved", "fit", "--model", "ridge", "--epsilon", "2", "--delta", "1e-6"),
        "fit logistic, intervals": ("rich", "fit", "--model", "logistic", "--epsilon", "2", "--intervals"),
        "fit svm, three classes": ("party", "fit", "--model", "svm", "--rho", "0.5"),
        "tune": (
            *("rich", "tune", "--model", "logistic", "--l2", "0.01", "--l2", "0.1"),
            *("--epsilon", "2", "--select-epsilon", "1"),
        ),
        "accuracy-first": (
            *("saved", "accuracy-first", "--model", "ridge", "--radius", "1", "--l2", "0.05"),
            *("--excess-risk", "0.1", "--max-epsilon", "50"),
        ),
    }
    for name, words in commands.items():
        yield Case("command_line", f"{name}, csv", lambda w=words: by_command(*w))
