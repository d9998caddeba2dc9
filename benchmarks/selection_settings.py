"""How a search by stability should be set up, judged on tables that the figure of `selection` does not show.

    smallest of ten values of λ, in equal ratios up to 1    0.001, 0.0001
    share of ε that the fit gets, the choice the rest       0.5, 0.75
    width of the ramp that scores the candidates            1, 2, 4, 8
    noise of the choice     one size for all candidates, a size for each, or scores normalised by what a row moves

Every candidate is trained for its score and fitted on all rows. The law of the choice given the scores is known
exactly, so the expected area under the ROC curve is a sum over the candidates, without the chance of the choice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks import data, parts
from benchmarks.selection import Fold, Record, folds_of
from tacit import Pure
from tacit.audit.pair_loss import noisy_maximum_law
from tacit.estimators.search_methods import METHODS
from tacit.mechanisms.release import Mechanism
from tacit.mechanisms.selection.candidates import parts_of
from tacit.mechanisms.selection.noisy_choice import NoisyChoice, shortfalls
from tacit.mechanisms.selection.scores import Ramp
from tacit.mechanisms.selection.stability_search import StabilitySearch
from tacit.noise import SystemEntropy

FOLDS = {"pensions": 5, "loans": 5, "bank": 2, "kdd99": 1}
"""Tables, and how many of ten folds."""
QUICK = ("pensions", "loans")
EPSILONS = (0.3, 1.0, 3.0)
SMALLEST = (0.001, 0.0001)
FIT_SHARES = (0.5, 0.75)
WIDTHS = (1.0, 2.0, 4.0, 8.0)
SETTING = ("smallest λ", "share of the fit", "ramp", "noise")


def run(quick: bool = True) -> list[Record]:
    """One record a table and setting: expected AUC at every ε and on average, and that of a candidate at random."""
    records: list[Record] = []
    for name, folds in FOLDS.items():
        if quick and name not in QUICK:
            continue
        try:
            cells = _measured(name, 1) if quick else _kept(name, folds)
        except data.Missing as reason:
            print(f"selection settings: {name} left out: {reason}")
            continue
        settings = dict.fromkeys(tuple(cell[key] for key in SETTING) for cell in cells)
        records += [_record(name, cells, setting) for setting in settings]
    return records


def one_size(choice: NoisyChoice, scores: np.ndarray) -> np.ndarray:
    """The law of the choice if everyone got the noise of the most sensitive candidate."""
    return noisy_maximum_law(scores, [2 * max(choice.spreads) / choice.epsilon] * len(scores))


def own_size(choice: NoisyChoice, scores: np.ndarray) -> np.ndarray:
    """The law of the choice with noise for each candidate's own sensitivity."""
    own = NoisyChoice(choice.moves, choice.rounding, choice.budget, choice.name, choice.theorems)
    return noisy_maximum_law(scores, own.scales)


def normalised(choice: NoisyChoice, scores: np.ndarray) -> np.ndarray:
    """The law of the choice among normalised scores."""
    behind = np.array([float(each) for each in shortfalls(scores, choice.spreads)])
    return noisy_maximum_law(-behind, [2 / choice.epsilon] * len(scores))


NOISES: dict[str, Callable[[NoisyChoice, np.ndarray], np.ndarray]] = {
    "one size": one_size,
    "own size": own_size,
    "normalised": normalised,
}


def _kept(name: str, folds: int) -> list[Record]:
    return parts.once("selection_settings", name, lambda: _measured(name, folds))


def _measured(name: str, folds: int) -> list[Record]:
    return [cell for fold in folds_of(name, 100, folds) for epsilon in EPSILONS for cell in _cells(fold, epsilon)]


def _cells(fold: Fold, epsilon: float) -> Iterator[Record]:
    for smallest in SMALLEST:
        lambdas = tuple(float(l2) for l2 in np.geomspace(smallest, 1.0, 10))
        by_lot: Any = METHODS["random"](fold.request(Pure(epsilon), Pure(epsilon), lambdas))
        lot = float(np.mean(_aucs(fold, by_lot.trained)))
        for share in FIT_SHARES:
            fit, choice = Pure(share * epsilon), Pure((1 - share) * epsilon)
            search: Any = METHODS["stability"](fold.request(fit, choice, lambdas))
            for width, noise, auc in _expected(fold, search):
                setting = dict(zip(SETTING, (smallest, share, width, noise), strict=True))
                yield {**setting, "epsilon": epsilon, "auc": auc, "lot": lot}


def _expected(fold: Fold, search: StabilitySearch) -> Iterator[tuple[float, str, float]]:
    """(width, noise, expected AUC) for one training of the candidates and one final fit of each."""
    training, validation = parts_of(fold.rows, [search.training.n, search.validation.n])
    thetas = [mechanism(training, SystemEntropy()).theta for mechanism in search.trained]
    aucs = _aucs(fold, search.final)
    for width in WIDTHS:
        scored = replace(search, score=Ramp(width))
        scores = scored.held_out(validation, thetas)
        for noise, law in NOISES.items():
            yield width, noise, float(law(scored.choice, scores) @ aucs)


def _aucs(fold: Fold, mechanisms: Sequence[Mechanism]) -> np.ndarray:
    return np.array([fold.auc(mechanism(fold.rows, SystemEntropy()).theta) for mechanism in mechanisms])


def _record(name: str, cells: list[Record], setting: tuple[Any, ...]) -> Record:
    mine = [cell for cell in cells if tuple(cell[key] for key in SETTING) == setting]
    at = {f"ε = {e:g}": float(np.mean([c["auc"] for c in mine if c["epsilon"] == e])) for e in EPSILONS}
    means = {"mean": float(np.mean(list(at.values()))), "at random": float(np.mean([c["lot"] for c in mine]))}
    return {"table": name, **dict(zip(SETTING, setting, strict=True)), **at, **means}
