"""A look at the columns before a fit: one charge, two entries, kept with the model; off where it must be."""

import numpy as np
import pandas as pd
import pytest

import tacit
from tacit import (
    ZCDP,
    AccuracyFirst,
    Approx,
    Domain,
    Ledger,
    PrivateLinearSVC,
    PrivateLogisticRegression,
    PrivateRidge,
    PrivateSearch,
    Pure,
    Schema,
)
from tacit.errors import ParameterError
from tacit.mechanisms.centring import REGRESSION_CENTRING, Centring

LOOK = "centre and spread of the columns"
N = 3000
FEATURES = {
    "age": {"type": "number", "min": 0, "max": 100},
    "member": {"type": "flag"},
    "sector": {"type": "category", "values": ["farm", "shop", "office"], "other": True},
}
TARGETS = {
    "rich": {"name": "rich", "type": "binary", "positive": 1, "negative": 0},
    "party": {"name": "party", "type": "classes", "values": ["red", "green", "blue"]},
    "saved": {"name": "saved", "type": "real", "min": 0, "max": 50},
}
BUDGETS = [Pure(1.0), ZCDP(0.1), Approx(1.0, 1e-6)]


def frame(n=N):
    rng = np.random.default_rng(7)
    age = np.clip(rng.normal(30, 5, n), 0, 100)
    score = (age - 30) / 5 + rng.logistic(size=n)
    return pd.DataFrame(
        {
            "age": age,
            "member": rng.integers(0, 2, n),
            "sector": rng.choice(["farm", "shop", "office"], n, p=[0.1, 0.7, 0.2]),
            "rich": (score > 0).astype(int),
            "party": np.array(["red", "green", "blue"])[np.digitize(score, [-1, 1])],
            "saved": 20 + 2 * score,
        }
    )


def schema(target):
    return Schema.from_dict({"name": "people", "features": FEATURES, "target": TARGETS[target]})


def mechanisms(model):
    return [entry["mechanism"] for entry in model.certificate_.releases]


CASES = [
    (PrivateLogisticRegression, "rich"),
    (PrivateLinearSVC, "rich"),
    (PrivateLogisticRegression, "party"),
    (PrivateRidge, "saved"),
]


@pytest.mark.parametrize("budget", BUDGETS, ids=lambda b: type(b).__name__)
@pytest.mark.parametrize(("kind", "target"), CASES)
def test_one_charge_and_a_look_that_comes_once(kind, target, budget, tmp_path):
    account = Ledger(f"sqlite:///{tmp_path}/books.db").open("all", limit=budget)
    model = kind(privacy=budget, domain=schema(target), ledger=account).fit(frame())
    assert mechanisms(model).count(LOOK) == 1
    assert mechanisms(model)[0] == LOOK
    assert [entry.kind for entry in account.entries()].count("charge") == 1
    model.save(tmp_path / "model.json")
    again = tacit.load(tmp_path / "model.json")
    assert np.array_equal(again.predict(frame()), model.predict(frame()))
    assert np.array_equal(again.coef_, model.coef_)
    assert model.coef_.shape[-1] == 2 + 4
    assert LOOK not in str(model.summary())


def test_the_usual_level_has_no_coefficient_and_predictions_follow_the_rows():
    people = frame()
    model = PrivateLogisticRegression(privacy=100.0, domain=schema("rich")).fit(people)
    names = list(model.summary().to_frame().index)
    assert "sector=shop" not in names
    assert "sector=farm" in names
    assert model.coef_[0, 3] == 0  # age, member, farm, shop, …
    assert np.count_nonzero(model.coef_) == 5
    assert model.score(people, people["rich"]) > 0.65  # the best rule has 0.69
    plain = PrivateLogisticRegression(privacy=100.0, domain=schema("rich"), centre=False).fit(people)
    assert mechanisms(plain) == ["objective perturbation"]
    assert np.count_nonzero(plain.coef_) == 6


def test_where_no_look_is_taken():
    people, declared, ball = frame(), schema("rich"), Domain(radius=50.0, classes=(0, 1))
    off = {
        "asked": PrivateLogisticRegression(domain=declared, centre=False).fit(people),
        "no intercept": PrivateLogisticRegression(domain=declared, fit_intercept=False).fit(people),
        "baseline": PrivateLogisticRegression(domain=declared, mechanism="functional").fit(people),
        "intervals": PrivateLogisticRegression(domain=declared, inference=True).fit(people),
        "few rows": PrivateLogisticRegression(domain=declared).fit(frame(300)),
        "array": PrivateLogisticRegression(domain=ball).fit(people[["age"]], people["rich"]),
        "search": PrivateSearch(PrivateLogisticRegression(domain=declared), [{"l2": 0.1}]).fit(people),
    }
    assert {name: mechanisms(model).count(LOOK) for name, model in off.items()} == dict.fromkeys(off, 0)


def test_a_look_before_intervals_leaves_scores_linear():
    people = frame()
    model = PrivateRidge(privacy=5.0, domain=schema("saved"), centre=REGRESSION_CENTRING, inference=True).fit(people)
    assert mechanisms(model)[0] == LOOK
    onehot = np.column_stack([people["sector"] == level for level in ("farm", "shop", "office", "(other)")])
    raw = np.column_stack([people["age"], people["member"], onehot])
    np.testing.assert_allclose(raw @ model.coef_ + model.intercept_, model.predict(people), rtol=1e-9)
    ends = model.conf_int()
    assert np.all(ends["lower"] <= model._coefficients())
    scores = model.score_interval(people)
    assert np.all((scores["lower"] <= model.predict(people)) & (model.predict(people) <= scores["upper"]))


def test_searches_take_the_look_once_where_it_is_asked_for(tmp_path):
    people, declared = frame(), schema("rich")
    account = Ledger(f"sqlite:///{tmp_path}/books.db").open("all", limit=Pure(2.0))
    inner = PrivateLogisticRegression(privacy=1.0, domain=declared, centre=Centring(), ledger=account)
    search = PrivateSearch(inner, [{"l2": 0.01}, {"l2": 0.1}], select_privacy=0.3).fit(people)
    assert mechanisms(search).count(LOOK) == 1
    assert account.spent.epsilon == pytest.approx(1.3)
    first = AccuracyFirst(
        PrivateLogisticRegression(domain=declared, centre=Centring(), l2=0.05), excess_risk=0.2, max_privacy=5.0
    ).fit(people)
    assert mechanisms(first)[0] == LOOK
    assert first.loss_.total <= 5.0
    first.save(tmp_path / "model.json")
    assert np.array_equal(tacit.load(tmp_path / "model.json").predict(people), first.predict(people))


def test_mistakes_are_refused_before_the_charge(tmp_path):
    account = Ledger(f"sqlite:///{tmp_path}/books.db").open("all", limit=Pure(1.0))
    with pytest.raises(ParameterError, match="not known"):
        PrivateLogisticRegression(domain=schema("rich"), mechanism="magic", ledger=account).fit(frame())
    assert [entry.kind for entry in account.entries()].count("charge") == 0


@pytest.mark.parametrize("wrong", ["yes", 1, 0.1, None])
def test_what_is_no_wish_is_refused(wrong):
    with pytest.raises(ParameterError, match="centre must be"):
        PrivateLogisticRegression(domain=schema("rich"), centre=wrong).fit(frame(50))
