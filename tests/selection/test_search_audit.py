"""A whole search by stability, measured on pairs of tables: it spends what it says, and broken ones are found."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from tacit.audit import lower_bound
from tacit.audit.search_cases import HEAVY, STRONG, index_and_release, search_pair, small_search
from tacit.mechanisms.release import Release
from tacit.mechanisms.selection.candidates import parts_of
from tacit.mechanisms.selection.stability_search import StabilitySearch
from tacit.noise import Entropy
from tacit.privacy import Pure
from tacit.rows import Rows

FIT, CHOICE = Pure(1.0), Pure(0.05)
TRAINS, VALIDATES = 0, 1


def mutated(kind: type[StabilitySearch], *l2s: float) -> StabilitySearch:
    honest = small_search(l2s, FIT, CHOICE)
    return kind(**{name: getattr(honest, name) for name in honest.__dataclass_fields__})


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


def measured(search: StabilitySearch, part: int, score: Score) -> float:
    """A lower bound on what a search spends when a row of this part changes, at a false-alarm level of 1e-9."""
    return lower_bound(partial(index_and_release, search), search_pair(part), 400, 1 - 1e-9, score=score)


def assert_spends_at_most_its_charge(bound: float) -> None:
    assert bound <= FIT.epsilon + CHOICE.epsilon


@pytest.mark.proof("validate-selection")
@pytest.mark.statistical
@pytest.mark.parametrize("part", [TRAINS, VALIDATES], ids=["trains", "validates"])
def test_a_search_spends_at_most_its_charge(part: int) -> None:
    honest = small_search((STRONG, HEAVY), FIT, CHOICE)
    assert honest.charge == Pure(FIT.epsilon + CHOICE.epsilon)
    assert_spends_at_most_its_charge(measured(honest, part, lambda out: np.sign(out[:, 1]) - out[:, 0]))


@pytest.mark.proof("validate-selection")
@pytest.mark.statistical
@pytest.mark.slow
def test_releasing_what_was_trained_is_found() -> None:
    """Twelve vectors of ε = 1 each for the price of one; the event is a large likelihood ratio."""
    mutant = mutated(KeepsEverything, *(STRONG,) * 12)
    reach = 0.4 * mutant.trained[0].facts[0].sensitivity.total

    def likely(outputs: np.ndarray) -> np.ndarray:
        return np.asarray(np.clip(outputs[:, 1:] / reach, -1, 1).sum(axis=1) > 3, dtype=float)

    with pytest.raises(AssertionError):
        assert_spends_at_most_its_charge(measured(mutant, TRAINS, likely))


@pytest.mark.proof("validate-selection")
@pytest.mark.statistical
def test_scores_with_too_little_noise_are_found() -> None:
    mutant = mutated(TrustsItsScores, STRONG, HEAVY)
    with pytest.raises(AssertionError):
        assert_spends_at_most_its_charge(measured(mutant, VALIDATES, lambda out: out[:, 0]))
