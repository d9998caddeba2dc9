"""scikit-learn's own checks of an estimator, and what its users do with one."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from sklearn.base import clone, is_regressor
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import parametrize_with_checks

from estimators_support import CASES, people, schema
from tacit import (
    Domain,
    PrivateHuberRegressor,
    PrivateLinearSVC,
    PrivateLogisticRegression,
    PrivatePoissonRegressor,
    PrivateRidge,
)
from tacit.errors import ParameterError, SchemaError

CHECKED = [
    PrivateRidge(),
    PrivateHuberRegressor(),
    PrivatePoissonRegressor(),
    PrivateLogisticRegression(),
    PrivateLinearSVC(),
    PrivateLinearSVC(loss="hinge"),
]

TARGETS_ARE_CLIPPED = (
    "a fit that fails when one target is NaN or infinite tells everybody something about that row; "
    "such a target takes the middle of the declared bounds instead"
)


def forbidden_by_privacy(estimator: object) -> dict[str, str]:
    """Checks that a private estimator must not pass, and why."""
    return {"check_supervised_y_no_nan": TARGETS_ARE_CLIPPED} if is_regressor(estimator) else {}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(CHECKED, expected_failed_checks=forbidden_by_privacy)
def test_checks(estimator: Any, check: Any) -> None:
    check(estimator)


def test_cells_are_never_refused() -> None:
    """The tags that switch checks off are true: NaN, infinity and text in a cell or a target are no errors."""
    X = np.array([[np.nan, 1.0], [np.inf, 0.5], [0.1, -np.inf]])
    PrivateRidge().fit(X, [0.0, np.nan, np.inf])
    PrivateLogisticRegression(domain=Domain(classes=("a", "b"))).fit(X, ["a", None, "unheard of"])
    PrivateLogisticRegression(domain=Domain(classes=(0, 1))).fit([["x", 1.0], [{}, 0.5]], [0, np.nan])


def test_clone_and_parameters() -> None:
    model = PrivateLogisticRegression(privacy=0.5, l2=0.01, domain=Domain(radius=3.0))
    copy = clone(model).set_params(privacy=2.0)
    assert model.privacy == 0.5
    assert copy.get_params() | {"privacy": 0.5} == model.get_params()


def test_pipeline_and_feature_names() -> None:
    frame = pd.DataFrame({"height": [0.1, 0.2, 0.3, 0.4], "weight": [0.4, 0.1, 0.1, 0.2]})
    chain = make_pipeline(FunctionTransformer(lambda X: X / 2), PrivateRidge()).fit(frame, [0.1, 0.2, 0.3, 0.4])
    assert list(chain[-1].feature_names_in_) == ["height", "weight"]
    assert "weight" in str(chain[-1].summary())
    with pytest.raises(ValueError, match="feature names"):
        chain[-1].predict(frame.rename(columns={"weight": "width"}))


@pytest.mark.parametrize(("kind", "options", "target"), CASES.values(), ids=CASES)
@pytest.mark.parametrize("convert", [pl.from_pandas, pa.Table.from_pandas], ids=["polars", "pyarrow"])
def test_tables_of_every_kind_are_one(kind: Any, options: dict[str, Any], target: str, convert: Any) -> None:
    """The same rows in pandas, polars and pyarrow give the same bits from the same seed, and the same predictions."""
    frame = people(target=target).infer_objects()
    fitted = [kind(domain=schema(target), random_state=3, **options).fit(table) for table in (frame, convert(frame))]
    assert np.array_equal(fitted[0].encoded_coef_, fitted[1].encoded_coef_)
    assert np.array_equal(fitted[0].predict(frame), fitted[1].predict(convert(frame)))
    assert list(fitted[0].feature_names_in_) == ["age", "sector", "member"]


def test_sparse_rows_are_dense_rows() -> None:
    rng = np.random.default_rng(0)
    X = rng.random((200, 12)) * (rng.random((200, 12)) < 0.2)
    y = rng.integers(0, 2, 200)
    for kind in (PrivateRidge, PrivateLogisticRegression, PrivateLinearSVC):
        dense, sparse = (kind(random_state=1, privacy=3.0).fit(A, y) for A in (X, scipy.sparse.csr_array(X)))
        assert np.allclose(dense.encoded_coef_, sparse.encoded_coef_, atol=1e-6)
        assert np.allclose(dense.predict(X), sparse.predict(scipy.sparse.coo_array(X)), atol=1e-5)


def test_coefficients_are_in_the_users_units() -> None:
    """Without clipping, X·coef + intercept is what `predict` says."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (500, 3)) * 50
    y = X @ [0.02, -0.01, 0.0] + 3
    model = PrivateRidge(privacy=100.0, domain=Domain(radius=90.0, target=(0, 6))).fit(X, y)
    assert np.allclose(model.predict(X), X @ model.coef_ + model.intercept_)
    assert model.score(X, y) > 0.8


def test_more_than_two_classes() -> None:
    X, y = load_iris(return_X_y=True)
    model = PrivateLogisticRegression(privacy=300.0, domain=Domain(radius=11.0, classes=(0, 1, 2))).fit(X, y)
    assert model.coef_.shape == (3, 4)
    assert model.decision_function(X).shape == (150, 3)
    assert np.allclose(model.predict_proba(X).sum(axis=1), 1)
    assert model.score(X, y) > 0.6


def test_one_class_in_the_rows() -> None:
    X = np.eye(3)
    with pytest.raises(ParameterError, match=r"domain=Domain\(classes="):
        PrivateLogisticRegression().fit(X, [1, 1, 1])
    declared = PrivateLogisticRegression(domain=Domain(classes=(0, 1))).fit(X, [1, 1, 1])
    assert list(declared.classes_) == [0, 1]


@pytest.mark.parametrize(("kind", "options", "target"), CASES.values(), ids=CASES)
def test_one_row(kind: Any, options: dict[str, Any], target: str) -> None:
    frame = people(1, target)
    model = kind(domain=schema(target), **options).fit(frame)
    assert np.all(np.isfinite(model.coef_))
    assert len(model.predict(frame)) == 1


def test_declared_number_of_rows() -> None:
    with pytest.raises(SchemaError, match=r"found 60 rows; expected 61"):
        PrivateRidge(domain=schema("real", rows=61)).fit(people(target="real"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"privacy": 0.0}, "epsilon"),
        ({"privacy": "much"}, "privacy|budget|number"),
        ({"l2": -1.0}, "l2 must be a positive number"),
        ({"l2": True}, "l2 must be a positive number"),
        ({"radius": float("nan")}, "radius must be a positive number"),
        ({"mechanism": "magic"}, "expected one of 'auto'"),
        ({"domain": "wide"}, "domain must be a Domain or a Schema"),
        ({"ledger": "budget.db"}, r"Ledger\(url\)\.open"),
    ],
)
def test_bad_parameters(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        PrivateRidge(**options).fit(np.eye(3), [0.1, 0.2, 0.3])


def test_wrong_kind_of_target() -> None:
    with pytest.raises(ParameterError, match="needs type binary or classes"):
        PrivateLogisticRegression(domain=schema("real")).fit(people(target="real"))
    with pytest.raises(ParameterError, match="needs a target with min and max"):
        PrivateRidge(domain=schema("binary")).fit(people())
    with pytest.raises(ParameterError, match="'huber' or 'hinge'"):
        PrivateLinearSVC(loss="square").fit(np.eye(2), [0, 1])
