"""A whole search by stability, measured on pairs of tables: it spends what it says, and broken ones are found."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from selection_support import LABELS
from tacit.audit import lower_bound
from tacit.domain import Geometry
from tacit.losses import Logistic
from tacit.mechanisms.choice import Wishes, plan_classifier
from tacit.mechanisms.problem import Shape
from tacit.mechanisms.release import Release
from tacit.mechanisms.selection.candidates import Candidate, parts_of
from tacit.mechanisms.selection.scores import Ramp
from tacit.mechanisms.selection.split import public_parts
from tacit.mechanisms.selection.stability_search import StabilitySearch
from tacit.noise import Entropy, SystemEntropy
from tacit.privacy import Pure
from tacit.rows import Rows, open_rows

TRAINING, VALIDATION = 8, 1
FIT, CHOICE = Pure(1.0), Pure(0.05)
STRONG, HEAVY = 5.0, 5000.0
"""λ of a candidate that learns something, and of one that stays near 0."""


def table(training: float, changed: int, label: int) -> Rows:
    """Rows of one feature: those that train pull right with this strength; one row pulls right or left with all."""
    X = np.full((TRAINING + VALIDATION, 1), training)
    y = np.ones(TRAINING + VALIDATION, dtype=int)
    X[changed], y[changed] = 1.0, label
    return open_rows(X, y, LABELS, Geometry(constant=None)).one_vs_rest(1)


def position(part: int) -> int:
    """Of a row that trains (part 0) or validates (part 1)."""
    return int(public_parts(TRAINING + VALIDATION, [TRAINING, VALIDATION])[part][0])


THROUGH_TRAINING = tuple(table(0.0, position(0), label) for label in (1, -1))
"""Nothing dampens the one row: every trained vector moves as far as it can."""
THROUGH_VALIDATION = tuple(table(1.0, position(1), label) for label in (1, -1))
"""The strong candidate is right about the validating row, or wrong."""


def candidate(l2: float) -> Candidate:
    return Candidate(
        f"l2={l2}", lambda shape, budget: plan_classifier(shape, Wishes(Logistic(), l2), budget, "output").mechanism
    )


def search(l2s: tuple[float, ...], kind: type[StabilitySearch] = StabilitySearch) -> StabilitySearch:
    whole = Shape.of(THROUGH_TRAINING[0])
    training, validation = (replace(whole, n=n) for n in (TRAINING, VALIDATION))
    return kind([candidate(l2) for l2 in l2s], Ramp(0.02), whole, training, validation, FIT, CHOICE)


class KeepsEverything(StabilitySearch):
    """Mutant: what was trained for the scores is released too."""

    def __call__(self, rows: Rows, entropy: Entropy) -> Release:
        training, _ = parts_of(rows, [self.training.n, self.validation.n])
        trained = [mechanism(training, entropy).theta for mechanism in self.trained]
        return Release(np.concatenate(trained), np.zeros(0), {"chosen": np.zeros(1)})


class TrustsItsScores(StabilitySearch):
    """Mutant: the scores get a thousandth of their noise."""

    def __call__(self, rows: Rows, entropy: Entropy) -> Release:
        training, validation = parts_of(rows, [self.training.n, self.validation.n])
        thetas = [mechanism(training, entropy).theta for mechanism in self.trained]
        trusting = replace(self.choice, budget=Pure(1000 * self.choice.epsilon))
        chosen = trusting(self.held_out(validation, thetas), entropy)
        return Release(self.final[chosen](rows, entropy).theta, np.zeros(1), {"chosen": np.array([float(chosen)])})


Score = Callable[[np.ndarray], np.ndarray]


def measured(audited: StabilitySearch, pair: tuple[Rows, ...], runs: int, score: Score) -> float:
    """A lower bound on what a search spends on a pair, at a false-alarm level of 1e-9; columns: index, released."""

    def once(rows: Rows) -> np.ndarray:
        release = audited(rows, SystemEntropy())
        return np.concatenate([release.statistics["chosen"], release.theta])

    return lower_bound(once, (pair[0], pair[1]), runs, 1 - 1e-9, score=score)


def assert_spends_at_most_its_charge(bound: float) -> None:
    assert bound <= FIT.epsilon + CHOICE.epsilon


def released(outputs: np.ndarray) -> np.ndarray:
    """What is released, less where the heavy candidate won."""
    return outputs[:, 1] - outputs[:, 0]


@pytest.mark.proof("validate-selection")
@pytest.mark.statistical
@pytest.mark.parametrize("pair", [THROUGH_TRAINING, THROUGH_VALIDATION], ids=["training", "validation"])
def test_a_search_spends_at_most_its_charge(pair: tuple[Rows, ...]) -> None:
    honest = search((STRONG, HEAVY))
    assert honest.charge == Pure(FIT.epsilon + CHOICE.epsilon)
    assert_spends_at_most_its_charge(measured(honest, pair, 400, released))


@pytest.mark.proof("validate-selection")
@pytest.mark.statistical
@pytest.mark.slow
def test_releasing_what_was_trained_is_found() -> None:
    """Twelve vectors of ε = 1 each for the price of one; the event is a large likelihood ratio."""
    mutant = search((STRONG,) * 12, KeepsEverything)
    reach = 0.4 * mutant.trained[0].facts[0].sensitivity.total

    def likely(outputs: np.ndarray) -> np.ndarray:
        return np.asarray(np.clip(outputs[:, 1:] / reach, -1, 1).sum(axis=1) > 3, dtype=float)

    with pytest.raises(AssertionError):
        assert_spends_at_most_its_charge(measured(mutant, THROUGH_TRAINING, 400, likely))


@pytest.mark.proof("validate-selection")
@pytest.mark.statistical
def test_scores_with_too_little_noise_are_found() -> None:
    mutant = search((STRONG, HEAVY), TrustsItsScores)
    with pytest.raises(AssertionError):
        assert_spends_at_most_its_charge(measured(mutant, THROUGH_VALIDATION, 400, lambda out: out[:, 0]))
