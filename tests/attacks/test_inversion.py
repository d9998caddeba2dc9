"""Inversion on models whose answer is known, and on every kind of model and table it takes."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.stats import norm
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from tacit.attacks import Bins, invert
from tacit.domain import Schema
from tacit.errors import ParameterError
from tacit.estimators import PrivateLogisticRegression, PrivateRidge

GENERATOR = np.random.default_rng()


class KnownModel:
    """dose = gene + age, with errors of standard deviation ½."""

    def predict(self, rows):
        return np.asarray(rows["gene"] + rows["age"], dtype=float)


def people(n, gene_shares=(0.5, 0.5)):
    gene = GENERATOR.choice([0.0, 1.0], n, p=gene_shares)
    age = GENERATOR.uniform(-1, 1, n)
    return pd.DataFrame({"gene": gene, "age": age, "dose": gene + age + GENERATOR.normal(0, 0.5, n)})


@pytest.mark.statistical
def test_the_accuracy_is_that_of_the_best_guess():
    """Two equally likely normals one unit apart, deviation ½: right with probability Φ(1)."""
    table = people(20_000)
    guesses = invert(KnownModel(), table, hidden="gene", prior={0.0: 1, 1.0: 1}, outcome="dose")
    assert np.mean(guesses == table["gene"]) == pytest.approx(norm.cdf(1), abs=6 * 0.5 / np.sqrt(20_000))


def test_the_guess_is_the_maximum_of_prior_times_likelihood():
    """With prior π the boundary between 0 and 1 lies at ½ + σ² log(π₀/π₁)."""
    residual = np.linspace(-1, 2, 301)
    table = pd.DataFrame({"age": np.zeros(301), "dose": residual})
    guesses = invert(KnownModel(), table, hidden="gene", prior={0.0: 0.9, 1.0: 0.1}, outcome="dose", deviation=0.5)
    boundary = 0.5 + 0.25 * np.log(9)
    assert np.array_equal(guesses, (residual > boundary).astype(float))


def test_a_value_of_prior_zero_is_never_guessed():
    guesses = invert(KnownModel(), people(50), hidden="gene", prior={0.0: 1.0, 1.0: 0.0}, outcome="dose")
    assert set(guesses) == {0.0}


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_tables_keep_the_true_value_out_of_the_guess(frame):
    table = people(200)
    spoiled = table.assign(gene=np.nan)
    arguments = {"hidden": "gene", "prior": {0.0: 0.5, 1.0: 0.5}, "outcome": "dose"}
    honest = invert(KnownModel(), frame(table.to_dict("list")), **arguments)
    assert np.array_equal(honest, invert(KnownModel(), frame(spoiled.to_dict("list")), **arguments))


@pytest.mark.statistical
def test_scikit_learn_regressions_pipelines_and_one_hot_columns():
    kind = GENERATOR.integers(0, 3, 3000)
    X = np.column_stack([np.eye(3)[kind], GENERATOR.normal(size=3000)])
    y = X @ [3.0, 0.0, -3.0, 1.0] + GENERATOR.normal(0, 0.3, 3000)
    prior = {tuple(row): 1 / 3 for row in np.eye(3).tolist()}
    for model in (LinearRegression(), make_pipeline(StandardScaler(), LinearRegression())):
        guesses = invert(model.fit(X, y), X, hidden=(0, 1, 2), prior=prior, outcome=y)
        assert np.mean([np.argmax(guess) == k for guess, k in zip(guesses, kind, strict=True)]) > 0.98


@pytest.mark.statistical
def test_classifiers_are_inverted_by_their_probabilities():
    secret = GENERATOR.integers(0, 2, 4000)
    X = np.column_stack([secret, GENERATOR.normal(size=4000)]).astype(float)
    y = np.where(GENERATOR.random(4000) < np.where(secret == 1, 0.9, 0.1), "yes", "no")
    model = LogisticRegression(C=100).fit(X, y)
    guesses = invert(model, X, hidden=0, prior={0.0: 0.5, 1.0: 0.5}, outcome=y)
    assert np.array_equal(guesses == 1, y == "yes")
    private = PrivateLogisticRegression(privacy=10.0).fit(X / 4, (y == "yes").astype(int))
    assert (
        np.mean(invert(private, X / 4, hidden=0, prior={0.0: 0.5, 0.25: 0.5}, outcome=y == "yes") * 4 == secret) > 0.8
    )


@pytest.mark.statistical
def test_private_models_with_a_schema_are_inverted_too():
    table = people(4000).assign(gene=lambda t: np.where(t["gene"] == 1, "G", "A"))
    schema = Schema.from_dict(
        {
            "name": "doses",
            "features": {
                "gene": {"type": "category", "values": ["A", "G"]},
                "age": {"type": "number", "min": -1, "max": 1},
            },
            "target": {"name": "dose", "type": "real", "min": -3, "max": 4},
        }
    )
    model = PrivateRidge(privacy=10.0, domain=schema).fit(table)
    guesses = invert(model, table, hidden="gene", prior={"A": 0.5, "G": 0.5}, outcome="dose")
    assert np.mean(guesses == table["gene"]) > 0.8


@pytest.mark.statistical
def test_a_hidden_number_is_guessed_by_intervals():
    bins = Bins((-1.0, -0.5, 0.0, 0.5, 1.0))
    X = GENERATOR.uniform(-1, 1, (2000, 2))
    y = X @ [5.0, 1.0] + GENERATOR.normal(0, 0.2, 2000)
    guesses = invert(LinearRegression().fit(X, y), X, hidden=0, prior=bins.prior(X[:, 0]), outcome=y)
    assert np.mean(guesses == bins.middle(X[:, 0])) > 0.8
    assert sum(bins.prior(X[:, 0]).values()) == pytest.approx(1)
    assert bins.middle([-7, 0.1, 7]).tolist() == [-0.75, 0.25, 0.75]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"prior": {0.0: 1.0}}, "prior"),
        ({"prior": {0.0: -1.0, 1.0: 2.0}}, "prior"),
        ({"outcome": "weight"}, "weight"),
        ({"hidden": ("gene", "age")}, "hidden"),
    ],
)
def test_what_cannot_be_inverted_is_explained(wrong, message):
    arguments = {"hidden": "gene", "prior": {0.0: 0.5, 1.0: 0.5}, "outcome": "dose", **wrong}
    if isinstance(arguments["hidden"], tuple):
        arguments["prior"] = {(0.0,): 0.5, (1.0,): 0.5}
    with pytest.raises(ParameterError, match=message):
        invert(KnownModel(), people(10), **arguments)


def test_an_outcome_that_is_no_class_is_explained():
    model = LogisticRegression().fit([[0.0], [1.0]], ["no", "yes"])
    with pytest.raises(ParameterError, match="classes"):
        invert(model, np.zeros((1, 1)), hidden=0, prior={0.0: 0.5, 1.0: 0.5}, outcome=["maybe"])
