"""Membership: was this person's row in the training table?

Each trial splits a pool of rows into members and others at random, half and half, trains on the members and scores
everybody. A member and another person are then exchangeable but for one replaced row, so under (ε, δ)-privacy the curve
of any score stays below `largest_true_positive`, on average over trials.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from tacit.arithmetic import Floats
from tacit.attacks.roc import Roc
from tacit.errors import ParameterError
from tacit.noise import Entropy, SystemEntropy


@dataclass(frozen=True)
class LossThreshold:
    """Yeom et al. (2018): who has a small loss was a member."""


@dataclass(frozen=True)
class LikelihoodRatio:
    """Carlini et al. (2022): compare a person's loss with what it is in shadow models trained with and without them."""

    shadows: int = 32


@dataclass(frozen=True)
class Trials:
    """Scores (high speaks for membership) and the truth: one row per trained model, one column per person."""

    scores: Floats
    members: NDArray[np.bool_]

    @property
    def roc(self) -> Roc:
        """The curve over all trials and persons."""
        return Roc.of(self.scores[self.members], self.scores[~self.members])


def membership(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    attack: LossThreshold | LikelihoodRatio | None = None,
    trials: int = 16,
    entropy: Entropy | None = None,
) -> Trials:
    """Train `estimator` on random halves of the pool (X, y) and guess who was in them; attack None: LossThreshold.

    X: an array with one row per person; y: outcomes. Any scikit-learn classifier with `predict_proba`, or regression.
    """
    X, y, entropy = np.asarray(X), np.asarray(y), entropy or SystemEntropy()
    if trials < 1:
        raise ParameterError(f"trials must be at least 1, got {trials!r}")
    members, fits = _train(estimator, X, y, trials, entropy)
    match attack:
        case None | LossThreshold():
            return Trials(fits, members)
        case LikelihoodRatio(shadows):
            if shadows < 4:
                raise ParameterError(f"a likelihood ratio needs at least 4 shadow models, got {shadows!r}")
            return Trials(_log_ratio(fits, *_train(estimator, X, y, shadows, entropy)), members)


def _train(estimator: Any, X: Any, y: NDArray[Any], count: int, entropy: Entropy) -> tuple[NDArray[np.bool_], Floats]:
    """(members, goodness of fit): one row per model."""
    people = len(y)
    members = np.zeros((count, people), dtype=bool)
    fits = np.empty((count, people))
    for trial in range(count):
        inside = np.argsort(entropy.words(people), kind="stable")[: people // 2]
        members[trial, inside] = True
        fits[trial] = goodness(clone(estimator).fit(X[inside], y[inside]), X, y)
    return members, fits


def goodness(model: Any, X: Any, y: NDArray[Any]) -> Floats:
    """How well a model fits each person: log odds of the true class, or minus the log of the squared error."""
    if not hasattr(model, "predict_proba"):
        return np.asarray(-np.log((np.ravel(model.predict(X)) - y) ** 2 + 1e-12))
    places = np.searchsorted(np.asarray(model.classes_), y)
    chance = np.clip(model.predict_proba(X)[np.arange(len(y)), places], 1e-12, 1 - 1e-12)
    return np.asarray(np.log(chance) - np.log1p(-chance))


def _log_ratio(fits: Floats, shadow_members: NDArray[np.bool_], shadow_fits: Floats) -> Floats:
    """log N(fit; in) − log N(fit; out), normal laws fitted to each person's shadow models, one spread for all."""
    centres = []
    for inside in (shadow_members, ~shadow_members):
        seen = np.maximum(inside.sum(axis=0), 1)
        centres.append(np.where(inside, shadow_fits, 0.0).sum(axis=0) / seen)
    residual = shadow_fits - np.where(shadow_members, centres[0], centres[1])
    variance = np.maximum(np.var(residual, axis=0), 1e-12)
    return np.asarray(((fits - centres[1]) ** 2 - (fits - centres[0]) ** 2) / (2 * variance))
