"""Many fits on the same rows: refused without an account, charged with one."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import BaggingClassifier, VotingClassifier
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import IterativeImputer
from sklearn.linear_model import RANSACRegressor
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from tacit import Domain, Ledger, PrivateLogisticRegression, PrivateRidge, Pure
from tacit.errors import BudgetExceeded, ParameterError
from tacit.ledger import Account

X = np.random.default_rng(0).normal(size=(60, 3)) / 4
Y = np.array([0, 1, 2] * 20)
GRID = {"l2": [0.01, 0.1]}
DECLARED = Domain(classes=(0, 1, 2))


@pytest.fixture
def account(tmp_path: Path) -> Account:
    return Ledger(tmp_path / "budget.db").open("rows", limit=Pure(100.0))


REFITS: dict[str, Callable[[Any], Any]] = {
    "grid search": lambda model: GridSearchCV(model, GRID, cv=2, error_score="raise").fit(X, Y),
    "grid search of a pipeline": lambda model: GridSearchCV(
        make_pipeline(FunctionTransformer(), model), {"privatelogisticregression__l2": [0.1]}, error_score="raise"
    ).fit(X, Y),
    "cross validation": lambda model: cross_val_score(model, X, Y, cv=2, error_score="raise"),
    "bagging": lambda model: BaggingClassifier(model, 2).fit(X, Y),
    "voting": lambda model: VotingClassifier([("one", model)]).fit(X, Y),
    "one against the rest": lambda model: OneVsRestClassifier(model).fit(X, Y),
    "calibration": lambda model: CalibratedClassifierCV(model, cv=2).fit(X, Y),
}


def test_robust_regression_and_imputation_are_refits_too() -> None:
    for refit in (RANSACRegressor(PrivateRidge(), min_samples=5), IterativeImputer(PrivateRidge())):
        with pytest.raises(ParameterError, match="Pass ledger=account"):
            refit.fit(np.where(X > 0.6, np.nan, X) if isinstance(refit, IterativeImputer) else X, X[:, 0])


@pytest.mark.parametrize("refit", REFITS.values(), ids=REFITS)
def test_refused_without_an_account(refit: Callable[[Any], Any]) -> None:
    with pytest.raises(ParameterError, match="Pass ledger=account"):
        refit(PrivateLogisticRegression())


@pytest.mark.parametrize("refit", REFITS.values(), ids=REFITS)
def test_every_fit_is_charged(refit: Callable[[Any], Any], account: Account) -> None:
    classes = (0, 1) if refit is REFITS["one against the rest"] else (0, 1, 2)
    refit(PrivateLogisticRegression(privacy=1.0, domain=Domain(classes=classes), ledger=account))
    assert charges(account) >= 1
    assert account.spent.epsilon == pytest.approx(charges(account))


def test_grid_search_is_charged_once_a_fit(account: Account) -> None:
    search = GridSearchCV(
        PrivateLogisticRegression(privacy=1.0, domain=DECLARED, ledger=account), GRID, cv=3, error_score="raise"
    )
    search.fit(X, Y)
    assert charges(account) == 2 * 3 + 1
    assert account.spent.epsilon == pytest.approx(7.0)


@pytest.mark.slow
def test_other_processes_are_noticed_and_charged(account: Account) -> None:
    with pytest.raises(ParameterError, match="Pass ledger=account"):
        GridSearchCV(PrivateLogisticRegression(), GRID, cv=2, n_jobs=2, error_score="raise").fit(X, Y)
    model = PrivateLogisticRegression(privacy=1.0, domain=DECLARED, ledger=account)
    GridSearchCV(model, GRID, cv=2, n_jobs=2, error_score="raise").fit(X, Y)
    assert charges(account) == 2 * 2 + 1


def test_an_account_ends_a_search(tmp_path: Path) -> None:
    small = Ledger(tmp_path / "budget.db").open("rows", limit=Pure(2.5))
    with pytest.raises(BudgetExceeded):
        GridSearchCV(PrivateLogisticRegression(domain=DECLARED, ledger=small), GRID, cv=2, error_score="raise").fit(
            X, Y
        )
    assert small.spent.epsilon == pytest.approx(2.0)


def test_single_fits_inside_wrappers_are_fine() -> None:
    make_pipeline(FunctionTransformer(), PrivateLogisticRegression()).fit(X, Y)
    TransformedTargetRegressor(PrivateRidge(), func=np.negative, inverse_func=np.negative).fit(X, X[:, 0])


def charges(account: Account) -> int:
    return sum(event.kind == "charge" for event in account.entries())
