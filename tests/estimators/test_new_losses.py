"""Huber and Poisson regression: what they are for, and every way through the house that the other models have."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import PoissonRegressor

from tacit import (
    AccuracyFirst,
    Approx,
    Domain,
    Ledger,
    PrivateHuberRegressor,
    PrivatePoissonRegressor,
    PrivateRidge,
    PrivateSearch,
    Schema,
    load,
)
from tacit.errors import BudgetExceeded, ParameterError

N = 20_000
SLOPES = np.array([2.0, -1.0, 0.5])
FEATURES = {f"x{i}": {"type": "number", "min": -1, "max": 1} for i in range(3)}


def declared(low: float, high: float) -> Schema:
    target = {"name": "y", "type": "real", "min": low, "max": high}
    return Schema.from_dict({"name": "made", "features": FEATURES, "target": target})


def rows(seed: int = 0) -> pd.DataFrame:
    return pd.DataFrame(np.random.default_rng(seed).uniform(-1, 1, (N, 3)), columns=list(FEATURES))


def with_outliers() -> tuple[pd.DataFrame, np.ndarray]:
    table, generator = rows(), np.random.default_rng(1)
    table["y"] = table @ SLOPES + generator.normal(size=N)
    wrong = generator.random(N) < 0.05
    table.loc[wrong, "y"] = generator.uniform(40, 50, wrong.sum())
    return table, wrong


def with_counts() -> pd.DataFrame:
    table = rows()
    table["y"] = np.random.default_rng(2).poisson(np.exp(0.5 + table @ SLOPES / 2))
    return table


def test_outliers_hardly_move_a_huber_regression() -> None:
    table, wrong = with_outliers()

    def error(model: PrivateRidge | PrivateHuberRegressor) -> float:
        residuals = model.fit(table).predict(table) - table["y"]
        return float(np.mean(residuals[~wrong] ** 2))

    common = {"privacy": Approx(1.0, 1e-6), "domain": declared(-50, 50)}
    assert error(PrivateHuberRegressor(**common)) <= 0.5 * error(PrivateRidge(**common))


def test_a_threshold_is_in_the_units_of_the_target() -> None:
    assert PrivateHuberRegressor(domain=declared(-50, 50))._loss().threshold == pytest.approx(0.05)
    assert PrivateHuberRegressor(threshold=5.0, domain=declared(-50, 50))._loss().threshold == pytest.approx(0.1)
    for threshold in (0.0, -1.0, 1000.0, "small"):
        with pytest.raises(ParameterError, match="threshold"):
            PrivateHuberRegressor(threshold=threshold, domain=declared(-50, 50)).fit(with_outliers()[0])


def test_poisson_coefficients_are_logarithms_of_rates() -> None:
    table = with_counts()
    model = PrivatePoissonRegressor(privacy=20.0, domain=declared(0, 40), usual_rate=2.0).fit(table)
    usual = PoissonRegressor(alpha=0.0).fit(table[list(FEATURES)], table["y"])
    np.testing.assert_allclose(model.coef_, usual.coef_, atol=0.15)
    assert model.intercept_ == pytest.approx(usual.intercept_, abs=0.1)
    assert model.score(table, table["y"]) >= 0.95 * usual.score(table[list(FEATURES)], table["y"])
    rates = np.exp(model.intercept_ + table[list(FEATURES)] @ model.coef_)
    exponential = np.isclose(model.predict(table), rates, rtol=1e-9)
    assert np.mean(exponential[rates < 7.9]) > 0.7  # the others are rows that were clipped
    assert not np.any(exponential[rates > 8.1])


def test_counts_start_at_zero_and_rates_are_in_order() -> None:
    with pytest.raises(ParameterError, match="min 0"):
        PrivatePoissonRegressor(domain=declared(-1, 40)).fit(with_counts())
    with pytest.raises(ParameterError, match="usual_rate"):
        PrivatePoissonRegressor(domain=declared(0, 40), usual_rate=20.0, linear_above=10.0).fit(with_counts())
    with pytest.raises(ParameterError, match="Domain or a Schema"):
        PrivatePoissonRegressor(domain="people").fit(with_counts())


MODELS = {
    "huber": (PrivateHuberRegressor(domain=declared(-50, 50)), with_outliers()[0]),
    "poisson": (PrivatePoissonRegressor(domain=declared(0, 40)), with_counts()),
}


@pytest.mark.parametrize(("model", "table"), MODELS.values(), ids=MODELS)
def test_intervals_hold_what_was_released(model, table, tmp_path) -> None:
    fitted = model.set_params(privacy=5.0, inference=True).fit(table)
    bounds = fitted.conf_int()
    released = np.append(fitted.coef_, fitted.intercept_)
    assert np.all((bounds["lower"] < released) & (released < bounds["upper"]))
    assert np.all(bounds["upper"] - bounds["lower"] < 3.0)
    scores = fitted.score_interval(table.head())
    middle = table.head()[list(FEATURES)] @ fitted.coef_ + fitted.intercept_
    np.testing.assert_allclose(scores.mean(axis=1), middle, rtol=1e-9)
    fitted.save(tmp_path / "model.json")
    np.testing.assert_array_equal(load(tmp_path / "model.json").predict(table), fitted.predict(table))
    pd.testing.assert_frame_equal(load(tmp_path / "model.json").conf_int(), bounds)
    model.set_params(privacy=1.0, inference=False)


@pytest.mark.parametrize(("model", "table"), MODELS.values(), ids=MODELS)
def test_searches_take_them(model, table) -> None:
    search = PrivateSearch(model, [{"l2": 0.001}, {"l2": 10.0}], select_privacy=1.0, method="split-data").fit(table)
    assert search.best_params_ == {"l2": 0.001}
    found = AccuracyFirst(model.set_params(l2=0.01, radius=1.0), excess_risk=0.3, max_privacy=20.0).fit(table)
    assert found.met_
    model.set_params(l2=None, radius=None)


@pytest.mark.parametrize(("model", "table"), MODELS.values(), ids=MODELS)
def test_an_account_pays_for_them_and_refuses(model, table, tmp_path) -> None:
    account = Ledger(tmp_path / "budget.db").open("made", limit=1.5)
    model.set_params(ledger=account).fit(table)
    with pytest.raises(BudgetExceeded):
        model.fit(table)
    model.set_params(ledger=None)


def test_arrays_and_defaults() -> None:
    X = np.random.default_rng(0).uniform(-0.5, 0.5, (500, 2))
    assert PrivatePoissonRegressor().fit(X, np.arange(500) % 4).predict(X).shape == (500,)
    assert PrivateHuberRegressor(domain=Domain(target=(0.0, 9.0))).fit(X, np.arange(500) % 4).predict(X).shape == (500,)
