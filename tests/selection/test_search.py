"""PrivateSearch: every method, one charge, one certificate, scikit-learn's checks."""

import json
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import parametrize_with_checks

from estimators_support import people, schema
from tacit import (
    ZCDP,
    Approx,
    Domain,
    Ledger,
    PrivateLinearSVC,
    PrivateLogisticRegression,
    PrivateRidge,
    PrivateSearch,
    Pure,
)
from tacit.errors import BudgetExceeded, ParameterError
from tacit.estimators.search_methods import METHODS
from tacit.losses import Squared
from tacit.mechanisms.selection.scores import CappedLoss, DeclaredScore, Ramp
from tacit.privacy import compose, side_by_side

CANDIDATES = [{"l2": 0.05}, {"l2": 0.5}]
COSTS = {
    "stability": 3.0,
    "split-data": 2.0,
    "tuned": 2.0,
    "split-budget": 2.0,
    "random": 1.0,
    "random-stopping": 4.0,
    "liu-talwar": 6.0,
}


def logistic(**options: Any) -> PrivateLogisticRegression:
    return PrivateLogisticRegression(privacy=1.0, domain=Domain(classes=(0, 1)), radius=2.0, **options)


def table(n: int = 300) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (n, 3)) / 2
    return X, (X[:, 0] > 0).astype(int)


def test_every_method_is_priced_here() -> None:
    assert set(COSTS) == set(METHODS)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_releases_one_winner_for_one_price(method: str) -> None:
    search = PrivateSearch(logistic(), CANDIDATES, select_privacy=2.0, method=method).fit(*table())
    assert search.certificate_.guarantee == Pure(COSTS[method])
    assert search.best_params_ == CANDIDATES[search.best_index_]
    assert search.best_estimator_.l2 == search.best_params_["l2"]
    assert search.predict(table()[0]).shape == (300,)
    assert search.predict_proba(table()[0]).shape == (300, 2)
    assert search.decision_function(table()[0]).shape == (300,)
    assert 0 <= search.score(*table()) <= 1
    assert method in str(search.certificate_)
    json.loads(search.certificate_.to_json())
    assert "PrivateLogisticRegression" in str(search.best_estimator_.summary())


@pytest.mark.parametrize("method", ["stability", "split-data", "split-budget", "random"])
@pytest.mark.parametrize("privacy", [ZCDP(0.3), Approx(1.0, 1e-6)], ids=["zcdp", "approx"])
def test_other_currencies(method: str, privacy: Any) -> None:
    model = logistic().set_params(privacy=privacy)
    search = PrivateSearch(model, CANDIDATES, select_privacy=Pure(0.5), method=method).fit(*table())
    whole = search.certificate_.guarantee
    if method == "stability":
        assert whole == compose(privacy, Pure(0.5))
    else:
        assert whole == (privacy if method == "random" else side_by_side(privacy, Pure(0.5)))


def test_a_search_finds_the_better_candidate() -> None:
    """λ = 100 forgets everything; with a generous budget the choice is never in doubt."""
    X, y = table(4000)
    for method in ("stability", "split-data", "split-budget"):
        model = logistic().set_params(privacy=20.0)
        search = PrivateSearch(model, [{"l2": 100.0}, {"l2": 0.1}], select_privacy=2000.0, method=method).fit(X, y)
        assert search.best_index_ == 1
        assert search.score(X, y) > 0.8


def test_a_wide_grid_is_compared_on_its_own_scales() -> None:
    model = logistic().set_params(radius=None)
    wide = PrivateSearch(model, [{"l2": 0.0001}, {"l2": 0.1}, {"l2": 10.0}]).fit(*table(4000))
    assert "in units of what a row moves" in " ".join(str(wide.certificate_).split())
    narrow = PrivateSearch(model, CANDIDATES).fit(*table(4000))
    assert "in units of what a row moves" not in " ".join(str(narrow.certificate_).split())


def test_regression_and_tables() -> None:
    frame = people(400, target="real")
    for mechanism in ("output", "objective"):
        model = PrivateRidge(domain=schema("real"), mechanism=mechanism, radius=1.0)
        search = PrivateSearch(model, CANDIDATES).fit(frame)
        assert search.predict(frame).shape == (400,)
        assert not hasattr(search, "predict_proba")
    machine = PrivateSearch(PrivateLinearSVC(domain=schema()), [{"l2": 0.5}, {"loss": "hinge"}]).fit(people(400))
    assert set(machine.classes_) == {"yes", "no"}


def test_unstable_mechanisms_are_refused_before_a_row_is_read() -> None:
    model = PrivateRidge(domain=schema("real"), mechanism="covariance")
    with pytest.raises(ParameterError, match="does not declare how far one row moves"):
        PrivateSearch(model, CANDIDATES).fit(people(100, target="real"))
    PrivateSearch(model, CANDIDATES, method="split-data").fit(people(100, target="real"))


def test_the_whole_is_charged_once_and_before(tmp_path: Any) -> None:
    account = Ledger(f"sqlite:///{tmp_path}/book.db").open("people", limit=Pure(3.5))
    search = PrivateSearch(logistic(ledger=account), CANDIDATES, select_privacy=2.0)
    search.fit(*table())
    assert [entry.kind for entry in account.entries()].count("charge") == 1
    assert account.spent.epsilon == 3.0
    with pytest.raises(BudgetExceeded):
        search.set_params(candidates=[{"l2": 0.7}, {"l2": 0.8}]).fit(*table())


def test_a_seed_is_reproducible_and_not_private() -> None:
    first, second = (PrivateSearch(logistic(random_state=5), CANDIDATES).fit(*table()) for _ in range(2))
    assert np.array_equal(first.best_estimator_.encoded_coef_, second.best_estimator_.encoded_coef_)
    assert not first.certificate_.private


def test_scores_of_ones_own_and_a_bar() -> None:
    own = DeclaredScore(lambda s, y: np.maximum(0, 1 - y * s), limit=2.0, lipschitz=1.0, name="cut hinge")
    search = PrivateSearch(logistic(), CANDIDATES, scoring=own, progress=True).fit(*table())
    assert "cut hinge" in str(search.certificate_)
    assert "width 0.5" in str(PrivateSearch(logistic(), CANDIDATES, scoring=Ramp(0.5)).fit(*table()).certificate_)


@pytest.mark.proof("random-stopping")
@pytest.mark.parametrize("method", ["random-stopping", "liu-talwar"])
def test_the_number_of_tries_stays_hidden(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[int] = []

    def bar(items: Any, **_: Any) -> Any:
        shown.append(len(items))
        return items

    monkeypatch.setattr("rich.progress.track", bar)
    PrivateSearch(logistic(), CANDIDATES, method="stability", progress=True).fit(*table())
    assert shown == [2]
    PrivateSearch(logistic(), CANDIDATES, method=method, progress=True).fit(*table())
    assert shown == [2]


@pytest.mark.proof("score-constants")
def test_a_squared_error_is_bounded_for_every_target_there_is() -> None:
    with pytest.raises(ParameterError, match="target_bound >= 1"):
        CappedLoss(Squared(0.01), 2.0)


@pytest.mark.parametrize("count", [13, 22])
def test_shares_of_a_budget_fit_it(count: int) -> None:
    settings = [{"l2": 0.1 + k} for k in range(count)]
    search = PrivateSearch(logistic(), settings, method="split-budget").fit(*table())
    fit = search.certificate_.releases[-1]["charge"]["epsilon"]
    assert count * Fraction(fit) <= 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "grid"}, "expected one of 'stability'"),
        ({"candidates": []}, "candidates is empty"),
        ({"candidates": [{"privacy": 2.0}]}, "must not change privacy"),
        ({"candidates": [{"depth": 2}]}, "no parameter depth"),
        ({"estimator": 3}, "private linear model"),
        ({"validation": 1.5}, "share of the rows"),
        ({"select_privacy": "much"}, "privacy|budget|number"),
        ({"method": "tuned", "candidates": [{"radius": None}]}, "needs a radius"),
        ({"method": "random-stopping", "select_privacy": ZCDP(1.0)}, "offered for pure"),
        ({"method": "split-data", "candidates": CANDIDATES * 200}, "too few"),
        ({"estimator": PrivateLogisticRegression(inference=True)}, "buys no intervals"),
    ],
)
def test_bad_parameters(options: dict[str, Any], message: str) -> None:
    search = PrivateSearch(**{"estimator": logistic(), "candidates": CANDIDATES, **options})
    with pytest.raises(ParameterError, match=message):
        search.fit(*table())


def test_three_classes_are_refused() -> None:
    with pytest.raises(ParameterError, match="two classes"):
        PrivateSearch(PrivateLogisticRegression(domain=schema("classes")), CANDIDATES).fit(people(60, "classes"))


def test_the_guard_points_here() -> None:
    X, y = table(60)
    with pytest.raises(ValueError, match=r"tacit\.PrivateSearch"):
        GridSearchCV(logistic(), {"l2": [0.1, 1.0]}, cv=2, error_score="raise").fit(X, y)


def test_clone_and_parameters() -> None:
    search = PrivateSearch(logistic(), CANDIDATES, select_privacy=0.5)
    assert clone(search).get_params()["select_privacy"] == 0.5
    assert search.set_params(estimator__l2=0.3).estimator.l2 == 0.3


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks([PrivateSearch(PrivateLogisticRegression(random_state=0), CANDIDATES)])
def test_checks(estimator: Any, check: Any) -> None:
    check(estimator)
