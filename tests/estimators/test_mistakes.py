"""Mistakes that anybody makes get an answer that says what to write."""

import inspect
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import tacit
from tacit import Domain, PrivateHistogram, PrivateLogisticRegression, PrivateRidge, PrivateSearch
from tacit.errors import ParameterError
from tacit.estimators import ESTIMATORS

X = np.random.default_rng(0).normal(size=(40, 2)) / 3
Y = np.arange(40) % 2
MODEL = PrivateLogisticRegression(domain=Domain(classes=(0, 1)))


@pytest.mark.parametrize("kind", ESTIMATORS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize(("word", "answer"), [("epsilon", "privacy=1.0"), ("delta", "Approx"), ("rho", "ZCDP")])
def test_a_budget_by_another_name(kind: Any, word: str, answer: str) -> None:
    with pytest.raises(
        ParameterError, match=rf"{kind.__name__} has no parameter {word}: write privacy=.*{answer}|{answer}"
    ):
        kind(**{word: 1.0})
    with pytest.raises(TypeError, match="unexpected keyword"):
        kind(PrivateRidge(), flavour=1) if "estimator" in kind._get_param_names() else kind(flavour=1)


@pytest.mark.parametrize("kind", ESTIMATORS, ids=lambda kind: kind.__name__)
def test_the_answer_leaves_introspection_alone(kind: Any) -> None:
    parameters = list(inspect.signature(kind).parameters)
    assert sorted(parameters) == kind._get_param_names()
    model = kind(PrivateRidge(l2=0.1)) if "estimator" in parameters else kind()
    assert repr(clone(model)) == repr(model)


@pytest.mark.parametrize("seed", [-1, np.int64(-5), 0.5, "seed"])
def test_seeds_that_are_none(seed: Any) -> None:
    with pytest.raises(ParameterError, match="random_state must be None"):
        PrivateRidge(random_state=seed).fit(X, X[:, 0])
    with pytest.raises(ParameterError, match="random_state must be None"):
        PrivateHistogram(random_state=seed).fit(X[:, 0])


def test_a_grid_is_every_combination() -> None:
    search = PrivateSearch(MODEL, {"l2": [0.01, 0.1], "radius": (1.0, 2.0)}, method="random").fit(X, Y)
    assert search.best_params_ in [{"l2": a, "radius": b} for a in (0.01, 0.1) for b in (1.0, 2.0)]
    assert "4 candidates" in search.certificate_.choice
    fixed = PrivateSearch(MODEL, {"l2": np.array([0.01, 0.1]), "mechanism": "output"}, method="random").fit(X, Y)
    assert fixed.best_params_["mechanism"] == "output"


@pytest.mark.parametrize("candidates", [{}, [], {"l2": []}, [0.1, 0.2], 3, "l2", [("l2", 0.1)], None])
def test_candidates_that_are_none(candidates: Any) -> None:
    with pytest.raises(ParameterError, match=r"candidates .*\{'l2': \[0.01, 0.1\]\}"):
        PrivateSearch(MODEL, candidates).fit(X, Y)


def test_parameters_that_no_file_can_hold_are_refused_before_a_charge(tmp_path: Any) -> None:
    account = tacit.Ledger(tmp_path / "budget.db").open("rows", limit=5.0)
    histogram = PrivateHistogram(range(1, 3), low=0, high=9, select_privacy=1.0, ledger=account)
    with pytest.raises(ParameterError, match="bin_widths holds a range, which a model file cannot"):
        histogram.fit(X[:, 0])
    assert account.spent.epsilon == 0
