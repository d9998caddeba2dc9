"""AccuracyFirst as users meet it."""

import matplotlib
import numpy as np
import pytest
from sklearn.base import clone

from tacit import (
    ZCDP,
    AccuracyFirst,
    Approx,
    Domain,
    Ledger,
    PrivateLinearSVC,
    PrivateLogisticRegression,
    PrivateRidge,
    Pure,
    load,
)
from tacit.errors import BudgetExceeded, ParameterError
from tacit.mechanisms.accuracy.search import Outcome

matplotlib.use("agg")
N = 4000


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(5)
    X = rng.uniform(-1, 1, size=(N, 3)) / np.sqrt(3)
    score = X @ [1.0, -1.0, 0.5]
    return X, np.clip(score, -1, 1), np.where(score + 0.1 * rng.normal(size=N) > 0, 1, 0)


MODELS = {
    "ridge": PrivateRidge(l2=0.02, radius=1.5),
    "ridge by output": PrivateRidge(l2=0.02, radius=1.5, mechanism="output"),
    "ridge by covariance": PrivateRidge(l2=0.02, radius=1.5, mechanism="covariance", fit_intercept=False),
    "logistic": PrivateLogisticRegression(l2=0.05, domain=Domain(classes=(0, 1))),
    "svm": PrivateLinearSVC(l2=0.05, radius=2.0, domain=Domain(classes=(0, 1))),
}


def target(name, data):
    return data[1] if name.startswith("ridge") else data[2]


@pytest.mark.parametrize("name", list(MODELS))
def test_a_search_finds_a_model_and_says_what_it_paid(name, data):
    X, y = data[0], target(name, data)
    search = AccuracyFirst(MODELS[name], excess_risk=0.08, failure=0.1, max_privacy=60.0).fit(X, y)
    if not search.met_:
        assert search.loss_.total == pytest.approx(search.trace_["total"].iloc[-1])
        return
    assert search.loss_.total <= 60
    assert search.predict(X[:5]).shape == (5,)
    assert np.isfinite(search.score(X, y))
    assert search.trace_["accepted"].tolist() == [False] * (len(search.trace_) - 1) + [True]
    assert search.trace_["total"].iloc[-1] == search.loss_.total
    assert search.certificate_.guarantee == search.loss_
    assert search.best_estimator_.certificate_ is search.certificate_
    assert "ex post" in str(search.certificate_)
    assert "ex post" in str(search.summary())
    assert "could be" in search.certificate_.choice


@pytest.mark.parametrize(
    ("method", "calibration", "most"),
    [
        ("brownian", "tight", Approx(60.0, 1e-6)),
        ("doubling", "tight", Pure(400.0)),
        ("theory", "tight", 4000.0),
        ("noise-reduction", "published", 4000.0),
        ("doubling", "published", 4000.0),
        ("theory", "published", 4000.0),
    ],
)
@pytest.mark.parametrize("name", ["ridge", "logistic"])
def test_every_method_runs(name, method, calibration, most, data):
    search = AccuracyFirst(
        MODELS[name], excess_risk=0.08, max_privacy=most, method=method, calibration=calibration, levels=40
    ).fit(data[0], target(name, data))
    assert search.loss_.delta == (1e-6 if method == "brownian" else 0)
    assert search.met_ == hasattr(search, "best_estimator_")
    tests = [release for release in search.certificate_.releases if "test of accuracy" in release["mechanism"]]
    assert [test["charge"]["epsilon"] for test in tests] == ([] if method == "theory" else [search.loss_.test])
    assert all(("AboveThreshold" in test["mechanism"]) == (method != "doubling") for test in tests)


def test_a_model_can_be_saved_and_comes_back_with_its_certificate(data, tmp_path):
    search = AccuracyFirst(MODELS["ridge"], excess_risk=0.3, max_privacy=60.0, method="theory").fit(*data[:2])
    search.best_estimator_.save(tmp_path / "model.json")
    back = load(tmp_path / "model.json")
    assert back.certificate_.guarantee == search.loss_
    assert np.array_equal(back.predict(data[0][:9]), search.predict(data[0][:9]))


def test_the_ledger_reserves_the_most_and_keeps_what_was_paid(data, tmp_path):
    account = Ledger(f"sqlite:///{tmp_path / 'budget.db'}").open("table", limit=Pure(100.0))
    model = clone(MODELS["logistic"]).set_params(ledger=account)
    search = AccuracyFirst(model, excess_risk=0.08, max_privacy=60.0).fit(data[0], data[2])
    assert account.spent.epsilon == pytest.approx(search.loss_.total, abs=1e-6)
    assert "account 'table'" in search.certificate_.ledger
    poor = Ledger(f"sqlite:///{tmp_path / 'poor.db'}").open("table", limit=Pure(0.01))
    with pytest.raises(BudgetExceeded):
        AccuracyFirst(model.set_params(ledger=poor), excess_risk=0.08, max_privacy=60.0).fit(data[0], data[2])
    assert poor.spent.epsilon == 0


def test_nothing_is_predicted_when_nothing_was_found(data, monkeypatch):
    search = AccuracyFirst(MODELS["logistic"], excess_risk=0.08, max_privacy=4000.0, method="theory")
    assert search.fit(data[0], data[2]).met_
    end = "tacit.mechanisms.accuracy.search.AccuracySearch.__call__"
    monkeypatch.setattr(end, lambda self, rows, entropy: Outcome(None, None, self.paid(len(self.hypotheses.costs) - 1)))
    search.fit(data[0], data[2])
    assert not search.met_
    assert not hasattr(search, "best_estimator_")
    with pytest.raises(ParameterError, match="none was released"):
        search.predict(data[0])


def test_the_picture_shows_every_level_tried(data):
    search = AccuracyFirst(MODELS["ridge"], excess_risk=0.08, max_privacy=60.0).fit(*data[:2])
    ax = search.plot()
    assert len(ax.patches) == 2 * len(search.trace_)


def test_a_seeded_search_is_reproducible_and_says_so(data):
    model = clone(MODELS["ridge"]).set_params(random_state=3)
    first, second = (AccuracyFirst(model, excess_risk=0.08, max_privacy=60.0).fit(*data[:2]) for _ in range(2))
    assert first.loss_ == second.loss_
    assert not first.certificate_.private
    assert clone(first).get_params()["excess_risk"] == 0.08


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"estimator": 3}, "private linear model"),
        ({"excess_risk": 0.0}, "excess_risk"),
        ({"failure": 0.7}, "failure"),
        ({"max_privacy": ZCDP(1.0)}, "max_privacy"),
        ({"max_privacy": Approx(1.0, 1e-6)}, "brownian"),
        ({"method": "brownian"}, "Approx"),
        ({"method": "guess"}, "not offered"),
        ({"calibration": "loose"}, "not offered"),
        ({"noise": "pink"}, "noise"),
        ({"levels": 1}, "levels"),
        ({"estimator": PrivateRidge(mechanism="objective")}, "mechanism"),
        ({"estimator": PrivateLogisticRegression(mechanism="covariance")}, "mechanism"),
        ({"estimator": PrivateLogisticRegression(inference=True)}, "intervals"),
        ({"estimator": PrivateLinearSVC(loss="hinge")}, "smooth"),
        ({"estimator": PrivateLogisticRegression(domain=Domain(classes=(0, 1, 2)))}, "two classes"),
    ],
)
def test_requests_that_make_no_sense_are_refused(changes, message, data):
    settings = {"estimator": PrivateLogisticRegression(domain=Domain(classes=(0, 1))), "max_privacy": 60.0}
    arguments = {**settings, **changes}
    with pytest.raises(ParameterError, match=message):
        AccuracyFirst(arguments.pop("estimator"), **arguments).fit(data[0], data[2])


@pytest.mark.parametrize("parameters", [{"excess_risk": "little"}, {"failure": None}, {"excess_risk": True}])
def test_what_is_no_number_is_refused(parameters):
    with pytest.raises(ParameterError, match="must be a number"):
        AccuracyFirst(PrivateRidge(), **parameters).fit(np.zeros((5, 2)), np.zeros(5))


def test_public_parameters_that_ask_for_much_are_met_or_refused_in_our_own_words():
    """Five rows and a tiny excess risk once led a root finder out of its bracket."""
    X, y = np.zeros((5, 2)), np.zeros(5)
    ridge = PrivateRidge(radius=0.5)
    search = AccuracyFirst(ridge, excess_risk=0.001, max_privacy=Approx(1e4, 1e-6), method="brownian").fit(X, y)
    assert search.loss_.delta <= 1e-6
    with pytest.raises(ParameterError, match="max_privacy"):
        AccuracyFirst(ridge, excess_risk=0.001, max_privacy=Approx(0.01, 1e-6), method="brownian").fit(X, y)
