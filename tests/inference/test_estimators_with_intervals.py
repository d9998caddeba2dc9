"""Estimators that buy intervals are still scikit-learn's, read any table, refuse no cell and pay a ledger once."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.utils.estimator_checks import parametrize_with_checks

from tacit import Domain, Ledger, PrivateLinearSVC, PrivateLogisticRegression, PrivateRidge, Pure, Schema

SCHEMA = Schema.from_dict(
    {
        "name": "people",
        "unit": "one person",
        "features": {
            "age": {"type": "number", "min": 0, "max": 100},
            "town": {"type": "category", "values": ["a", "b", "c"]},
        },
        "target": {"name": "bought", "type": "binary", "positive": 1, "negative": 0},
    }
)


def private_reasons(estimator):
    refusal = "a refusal that depends on one target would tell something about its row"
    return {"check_supervised_y_no_nan": refusal} if isinstance(estimator, PrivateRidge) else {}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(
    [PrivateRidge(inference=True), PrivateLogisticRegression(inference=True), PrivateLinearSVC(inference=True)],
    expected_failed_checks=private_reasons,
)
def test_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("model", [PrivateLogisticRegression, PrivateLinearSVC])
def test_no_cell_is_refused(model):
    X = np.array([[np.nan, 1.0], [np.inf, 0.5], [0.1, -np.inf]])
    fitted = model(domain=Domain(classes=("a", "b")), inference=True).fit(X, ["a", None, "unheard of"])
    assert not np.isnan(fitted.conf_int().to_numpy()).any()
    assert np.isfinite(fitted.coef_).all()


def test_a_table_with_categories_has_named_intervals():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.uniform(0, 100, 500), "town": rng.choice(["a", "b", "c"], 500)})
    frame["bought"] = (frame["age"] > 50).astype(int)
    model = PrivateLogisticRegression(domain=SCHEMA, inference=True, l2=0.01).fit(frame)
    ends = model.conf_int()
    assert list(ends.index) == list(model.summary().to_frame().index)
    assert "age" in ends.index
    assert ends.loc["age", "lower"] > 0
    assert model.score_interval(frame.drop(columns="bought").head(4)).shape == (4, 2)


def test_scores_of_unclipped_rows_are_linear_in_the_row():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"age": rng.uniform(0, 100, 300), "town": rng.choice(["a", "b", "c"], 300)})
    model = PrivateLogisticRegression(domain=SCHEMA, inference=True).fit(frame, rng.integers(0, 2, 300))
    far = pd.DataFrame({"age": [0.0, 50.0, 100.0], "town": ["a", "a", "a"]})
    low, middle, high = model.decision_function(far)
    assert low + high == pytest.approx(2 * middle)
    slope = model.coef_[0, list(model.conf_int().index).index("age")]
    assert high - low == pytest.approx(100 * slope)


def test_sparse_rows_have_intervals():
    rng = np.random.default_rng(2)
    X = scipy.sparse.random_array((400, 6), density=0.3, rng=rng, format="csr")
    model = PrivateLogisticRegression(domain=Domain(classes=(0, 1)), inference=True).fit(X, rng.integers(0, 2, 400))
    assert (model.conf_int()["upper"] > model.conf_int()["lower"]).all()


def test_an_account_pays_once_for_the_fit_and_nothing_for_intervals(tmp_path):
    rng = np.random.default_rng(3)
    X, y = rng.uniform(-0.5, 0.5, (200, 2)), rng.integers(0, 2, 200)
    account = Ledger(f"sqlite:///{tmp_path / 'budget.db'}").open("people", limit=Pure(1.0))
    model = PrivateLogisticRegression(privacy=1.0, domain=Domain(classes=(0, 1)), inference=True, ledger=account)
    model.fit(X, y)
    spent = account.spent
    for level in (0.5, 0.9, 0.99):
        model.conf_int(level)
        model.score_interval(X[:3], level)
    assert account.spent == spent
    assert spent.epsilon <= 1.0
