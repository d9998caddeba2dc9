"""Model inversion (Fredrikson et al. 2014): guess a hidden attribute from the others, the outcome and the model.

    guess = argmax_v  prior(v) · p(outcome | model's answer for the row with v filled in)

with the model's own probabilities for a classifier, and a normal error of the model's accuracy for a regression. It is
optimal for whoever knows no more than that. Differential privacy does not prevent it: what the model says about a
population, it says about everyone in it.
"""

import math
from collections.abc import Mapping
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp

from tacit.arithmetic import Floats
from tacit.attacks.candidates import Columns, checked_prior, filled
from tacit.errors import ParameterError


def invert(
    model: Any,
    rows: Any,
    *,
    hidden: Columns,
    prior: Mapping[Any, float],
    outcome: str | ArrayLike,
    deviation: float | None = None,
) -> NDArray[Any]:
    """The likeliest value of `hidden` for each row.

    model: anything fitted with `predict`, or `predict_proba` and `classes_`: scikit-learn's models, pipelines, tacit's.
    rows: the known attributes, as the model takes them; a column for the hidden one is overwritten or added.
    hidden: its column; a tuple of columns for an attribute that was one-hot encoded, with tuples as values.
    prior: value ↦ probability; the guess is one of these values. `Bins(...).prior(...)` makes one for a number.
    outcome: name of the outcome's column in rows, or the outcomes themselves.
    deviation: standard deviation of a regression's errors; None estimates it from the rows.
    """
    values, shares = checked_prior(prior)
    known, outcomes = _split(rows, outcome)
    if hasattr(model, "predict_proba"):
        fits = _class_likelihoods(model, known, hidden, values, outcomes)
    else:
        answers = np.column_stack([np.ravel(model.predict(filled(known, hidden, value))) for value in values])
        errors = np.asarray(outcomes, dtype=float)[:, None] - answers
        fits = _normal_likelihoods(errors, deviation or _estimated_deviation(errors, shares))
    with np.errstate(divide="ignore"):
        best = np.argmax(fits + np.log(shares), axis=1)
    guesses = np.empty(len(values), dtype=object)
    guesses[:] = values
    chosen = guesses[best]
    return chosen if isinstance(values[0], tuple) else np.array(chosen.tolist())


def _split(rows: Any, outcome: str | ArrayLike) -> tuple[Any, NDArray[Any]]:
    if not isinstance(outcome, str):
        return rows, np.asarray(outcome)
    frame = nw.from_native(rows, eager_only=True)
    if outcome not in frame.columns:
        raise ParameterError(f"rows have no column {outcome!r}; expected the outcome there. Pass the outcomes instead.")
    return frame.drop(outcome).to_native(), np.asarray(frame[outcome].to_numpy())


def _class_likelihoods(
    model: Any, known: Any, hidden: Columns, values: list[Any], outcomes: NDArray[Any]
) -> NDArray[np.float64]:
    classes = np.asarray(model.classes_)
    places = np.argmax(classes[None, :] == outcomes[:, None], axis=1)
    if not np.all(classes[places] == outcomes):
        raise ParameterError(f"outcomes must be among the model's classes {classes.tolist()}")
    people = np.arange(len(outcomes))
    chances = [model.predict_proba(filled(known, hidden, value))[people, places] for value in values]
    return np.asarray(np.log(np.maximum(np.column_stack(chances), 1e-300)))


def _normal_likelihoods(errors: Floats, deviation: float) -> Floats:
    return np.asarray(-0.5 * (errors / deviation) ** 2 - math.log(deviation))


def _estimated_deviation(errors: Floats, shares: Floats) -> float:
    """Maximum likelihood of the mixture over the hidden values: what the attacker can know without seeing them."""

    def misfit(log_deviation: float) -> float:
        with np.errstate(divide="ignore"):
            terms = _normal_likelihoods(errors, math.exp(log_deviation)) + np.log(shares)
        return -float(np.mean(logsumexp(terms, axis=1)))

    typical = math.log(max(float(np.sqrt(np.mean(errors**2))), 1e-12))
    found = minimize_scalar(misfit, bounds=(typical - 6, typical + 1), method="bounded")
    return math.exp(float(found.x))
