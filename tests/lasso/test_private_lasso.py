"""PrivateLasso as a citizen of scikit-learn, sparse from end to end."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.model_selection import cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from estimators_support import people, schema
from tacit import Approx, Domain, Ledger, PrivateLasso, load
from tacit.errors import BudgetExceeded, ParameterError
from tacit.privacy import ZCDP, Pure

pytestmark = pytest.mark.filterwarnings("ignore:at this budget the noise of a selection:UserWarning")
LARGE = Pure(1e5)
CLASSES = Domain("linf", classes=("bad", "good"))

TARGETS_ARE_CLIPPED = (
    "a fit that fails when one target is NaN or infinite tells everybody something about that row; "
    "such a target takes the middle of the declared bounds instead"
)


def forbidden_by_privacy(estimator: PrivateLasso) -> dict[str, str]:
    return {"check_supervised_y_no_nan": TARGETS_ARE_CLIPPED} if estimator.loss == "squared" else {}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(
    [PrivateLasso(), PrivateLasso(loss="logistic", fit_intercept=True)], expected_failed_checks=forbidden_by_privacy
)
def test_checks(estimator: Any, check: Any) -> None:
    check(estimator)


def reviews(n: int = 3000, p: int = 400) -> tuple[Any, Any]:
    """Words in reviews: two good words, two bad ones."""
    rng = np.random.default_rng(0)
    X = sp.csr_array((rng.random((n, p)) < 0.1).astype(float))
    y = np.where(X[:, [3, 7]].sum(axis=1) - X[:, [50, 60]].sum(axis=1) + 0.1 * rng.normal(size=n) > 0, "good", "bad")
    return X, y


def test_it_finds_the_words() -> None:
    X, y = reviews()
    model = PrivateLasso(loss="logistic", privacy=Approx(8.0, 1e-6), domain=CLASSES, steps=40).fit(X, y)
    table = model.coefficients()
    assert set(table["column"][:4]) == {3, 7, 50, 60}
    assert set(table["feature"][:4]) == {"x3", "x7", "x50", "x60"}
    named = model.coefficients([f"word {j}" for j in range(400)])
    assert set(named["feature"][:4]) == {"word 3", "word 7", "word 50", "word 60"}
    with pytest.raises(ParameterError, match="found 1 names; expected 400"):
        model.coefficients(["word"])
    assert set(model.support_) >= {3, 7, 50, 60}
    assert len(model.support_) <= 40
    assert np.abs(model.coef_).sum() <= 20 * (1 + 1e-12)
    assert np.array_equal(model.sparse_coef_.toarray(), model.coef_)
    assert model.score(X, y) > 0.6
    assert np.allclose(model.predict_proba(X).sum(axis=1), 1)
    assert is_classifier(model)
    assert not is_regressor(model)


@pytest.mark.parametrize("fit_intercept", [False, True])
def test_regression_in_the_users_units(fit_intercept: bool) -> None:
    rng = np.random.default_rng(1)
    X = rng.choice([0.0, 5.0], (2000, 30))
    y = 0.3 * X[:, 4] - 0.2 * X[:, 9] + 10
    domain = Domain("linf", radius=5.0, target=(8.0, 12.0))
    model = PrivateLasso(privacy=LARGE, domain=domain, radius=2.0, steps=200, fit_intercept=fit_intercept).fit(X, y)
    assert is_regressor(model)
    assert model.score(X, y) > 0.95
    assert np.allclose(model.predict(X), X @ model.coef_ + model.intercept_)
    assert set(model.support_) >= {4, 9}
    assert not hasattr(model, "decision_function")


def test_dense_and_sparse_rows_have_one_law_and_one_answer_without_noise() -> None:
    X, y = reviews()
    options: dict[str, Any] = {"loss": "logistic", "privacy": Pure(2.0**20), "domain": CLASSES, "steps": 12}
    quick = PrivateLasso(**options).fit(X, y)
    for other in (
        PrivateLasso(**options).fit(X.toarray(), y),
        PrivateLasso(constant_work=True, **options).fit(X, y),
        PrivateLasso(**options).fit(sp.coo_matrix(X), y),
    ):
        assert np.array_equal(other.coef_, quick.coef_)


def test_tables_and_schemas() -> None:
    frame = people(200)
    model = PrivateLasso(loss="logistic", domain=schema("binary"), privacy=3.0).fit(frame)
    assert set(model.predict(frame)) <= {"yes", "no"}
    real = PrivateLasso(domain=schema("real"), privacy=3.0).fit(people(200, "real"))
    assert np.all(np.isfinite(real.predict(people(10, "real"))))
    with pytest.raises(ParameterError, match="needs a target with min and max"):
        PrivateLasso(domain=schema("binary")).fit(frame)


def test_three_classes_share_the_budget() -> None:
    rng = np.random.default_rng(0)
    X = rng.choice([0.0, 1.0], (3000, 12))
    y = np.where(X[:, 0] > 0, "a", np.where(X[:, 1] > 0, "b", "c"))
    model = PrivateLasso(loss="logistic", privacy=ZCDP(30.0), domain=Domain("linf", classes=("a", "b", "c"))).fit(X, y)
    assert model.coef_.shape == (3, 12)
    assert model.decision_function(X).shape == (3000, 3)
    assert model.certificate_.guarantee.rho <= 30.0
    assert len(model.certificate_.releases) == 3
    assert model.score(X, y) > 0.6
    assert "class" in model.coefficients()


def test_the_certificate_says_what_was_charged() -> None:
    X, y = reviews(500)
    model = PrivateLasso(loss="logistic", privacy=Approx(1.0, 1e-6), domain=CLASSES).fit(X, y)
    guarantee = model.certificate_.guarantee
    assert isinstance(guarantee, ZCDP)
    assert 0.999 < guarantee.to_approx(1e-6).epsilon <= 1.0
    text = str(model.certificate_)
    assert "bounded-range" in text
    assert f"{model.steps_} steps" in text
    assert model.certificate_.private
    assert PrivateLasso(privacy=Pure(0.5), loss="logistic", domain=CLASSES).fit(X, y).certificate_.guarantee == Pure(
        0.5
    )
    assert not PrivateLasso(loss="logistic", domain=CLASSES, random_state=1).fit(X, y).certificate_.private


def test_labels_that_were_not_declared_are_named_public() -> None:
    X, y = reviews(500)
    assert "class labels" in str(PrivateLasso(loss="logistic").fit(X, y).certificate_)


def test_a_seed_repeats_a_fit_and_a_file_keeps_it(tmp_path: Path) -> None:
    X, y = reviews(500)
    model = PrivateLasso(loss="logistic", domain=CLASSES, random_state=5, path_privacy=Pure(0.1)).fit(X, y)
    again = clone(model).fit(X, y)
    assert np.array_equal(model.coef_, again.coef_)
    assert np.array_equal(model.loss_path_, again.loss_path_)
    assert model.loss_path_.shape[2] == 2
    model.save(tmp_path / "model.json")
    loaded = load(tmp_path / "model.json")
    assert isinstance(loaded, PrivateLasso)
    assert np.array_equal(loaded.predict(X), model.predict(X))
    assert np.array_equal(loaded.loss_path_, model.loss_path_)
    assert str(loaded.certificate_) == str(model.certificate_)
    assert loaded.coefficients().equals(model.coefficients())


def test_regressions_are_kept_in_files_too(tmp_path: Path) -> None:
    frame = pd.DataFrame({"height": [0.1, 0.2, 0.3], "weight": [0.4, 0.1, 0.1]})
    model = PrivateLasso(privacy=5.0).fit(frame, [0.1, 0.2, 0.3])
    model.save(tmp_path / "model.json")
    assert np.array_equal(load(tmp_path / "model.json").predict(frame), model.predict(frame))
    table = PrivateLasso(domain=schema("real"), privacy=3.0).fit(people(60, "real"))
    table.save(tmp_path / "table.json")
    assert np.array_equal(load(tmp_path / "table.json").predict(people(9, "real")), table.predict(people(9, "real")))


def test_an_account_is_charged(tmp_path: Path) -> None:
    X, y = reviews(300)
    account = Ledger(f"sqlite:///{tmp_path / 'ledger.db'}").open("reviews", limit=Pure(1.0))
    PrivateLasso(loss="logistic", domain=CLASSES, privacy=0.75, ledger=account).fit(X, y)
    with pytest.raises(BudgetExceeded):
        PrivateLasso(loss="logistic", domain=CLASSES, privacy=0.75, ledger=account).fit(X, y)


def test_a_fit_for_the_whole_of_an_approximate_limit_fits_an_empty_account(tmp_path: Path) -> None:
    X, y = reviews(500, 80)
    account = Ledger(tmp_path / "budget.db").open("reviews", limit=Approx(1.0, 1e-6))
    PrivateLasso(loss="logistic", domain=CLASSES, privacy=Approx(1.0, 1e-6), ledger=account).fit(X, y)
    assert account.spent.epsilon <= 1.0
    assert account.spent.delta <= 1e-6


def test_unpaid_refits_are_refused() -> None:
    X, y = reviews(60)
    with pytest.raises(ParameterError, match="one of many"):
        cross_val_score(PrivateLasso(loss="logistic", domain=CLASSES), X, y, cv=2, error_score="raise")


def test_cells_are_never_refused() -> None:
    X = np.array([[np.nan, 1.0], [np.inf, 0.5], [0.1, -np.inf]])
    PrivateLasso().fit(X, [0.0, np.nan, np.inf])
    PrivateLasso(loss="logistic", domain=CLASSES).fit(sp.csr_array(X), ["good", None, "unheard of"])


def test_a_hopeless_fit_says_so() -> None:
    X, y = reviews(60)
    with pytest.warns(UserWarning, match="60 rows can give to one of 400 features in 3 steps"):
        PrivateLasso(loss="logistic", domain=CLASSES, privacy=0.1, steps=3).fit(X, y)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"loss": "hinge"}, "'squared' or 'logistic'"),
        ({"schedule": "fast"}, "schedule must be one of 'stagewise'"),
        ({"steps": "many"}, "whole number or 'auto'"),
        ({"steps": 0}, "whole number from 1"),
        ({"radius": -1.0}, "radius must be a positive number"),
        ({"radius": "wide"}, "radius must be a positive number"),
        ({"column_moment": 2.0}, "column_moment"),
        ({"domain": "wide"}, "Domain or a Schema"),
        ({"ledger": "budget.db"}, r"Ledger\(url\)\.open"),
        ({"privacy": 0.0}, "epsilon"),
    ],
)
def test_bad_parameters(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        PrivateLasso(**options).fit(np.eye(3), [0.1, 0.2, 0.3])


def test_wide_rows() -> None:
    """A million columns: nothing dense of that size squared, and a handful of released numbers."""
    rng = np.random.default_rng(0)
    n, p = 400, 10**6
    X = sp.csr_array((np.ones(n * 5), (np.repeat(np.arange(n), 5), rng.integers(0, p, n * 5))), shape=(n, p))
    model = PrivateLasso(loss="logistic", privacy=Approx(1.0, 1e-6), domain=CLASSES, steps=20)
    model.fit(X, rng.choice(["bad", "good"], n))
    assert 1 <= len(model.support_) <= 20
    assert model.predict(X[:10]).shape == (10,)


def test_cells_that_are_not_negative_take_half_the_noise() -> None:
    X, y = reviews()
    options: dict[str, Any] = {"loss": "logistic", "privacy": Approx(1.0, 1e-6), "domain": CLASSES, "steps": 10}
    scales = {}
    for declared in (False, True):
        model = PrivateLasso(nonnegative=declared, **options).fit(X, y)
        scales[declared] = model.certificate_.releases[0]["noise"]["scale"]
    assert scales[True] == pytest.approx(scales[False] / 2)


def test_signs_are_taken_in_turn() -> None:
    """Ten steps of one weight each: five up, five down, whatever the rows say; some may cancel."""
    X, y = reviews()
    model = PrivateLasso(loss="logistic", privacy=LARGE, domain=CLASSES, steps=10, nonnegative=True).fit(X, y)
    assert set(model.support_) <= {3, 7, 50, 60}
    assert model.coef_.sum() == pytest.approx(0)
    assert 4 < np.abs(model.coef_).sum() <= 20 * (1 + 1e-12)
    assert model.score(X, y) > 0.6


def test_one_column_is_enough() -> None:
    """A step then has one candidate: the fit is public, and says what it charges all the same."""
    X = sp.csr_array(np.ones((30, 1)))
    model = PrivateLasso(privacy=Approx(1.0, 1e-6), nonnegative=True, steps=4).fit(X, np.ones(30))
    assert model.coef_.tolist() == [0.0]
    assert PrivateLasso(privacy=Approx(1.0, 1e-6), nonnegative=True).fit(X, np.ones(30)).steps_ >= 1


@pytest.mark.parametrize(
    ("options", "message"),
    [({"schedule": "uniform"}, "takes schedule='stagewise'"), ({"domain": schema()}, "needs a Domain")],
)
def test_nonnegative_needs_a_domain_and_equal_steps(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        PrivateLasso(nonnegative=True, **options).fit(np.ones((5, 2)), np.ones(5))
