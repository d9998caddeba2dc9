"""Selection measured from outside: indices of worst-case scores, words of whole searches, laws of stopping."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from noise_support import assert_counts
from selection_support import classified, random_table, recorder
from tacit.audit import Batches, lower_bound, pair_loss
from tacit.losses import Logistic
from tacit.mechanisms.choice import FitRequest, plan_fit
from tacit.mechanisms.problem import Shape
from tacit.mechanisms.release import Release
from tacit.mechanisms.selection.candidates import Candidate, chosen_release, parts_of
from tacit.mechanisms.selection.noisy_choice import (
    ExponentialChoice,
    NoisyChoice,
    NormalisedChoice,
    kind_of_choice,
    shortfalls,
)
from tacit.mechanisms.selection.random_stopping import Geometric, Logarithmic
from tacit.mechanisms.selection.scores import Ramp
from tacit.mechanisms.selection.stability_search import StabilitySearch
from tacit.noise import Entropy, RecordedEntropy, ReplayedEntropy, SystemEntropy
from tacit.privacy import Approx, Pure
from tacit.rows import Rows

EPSILON = 1.0
MOVES = (0.1, 0.02, 0.05, 0.001)
"""How far one row moves each score: a hundredfold range, as over a grid of λ."""


def choice(k: int, kind: type[NoisyChoice] = NoisyChoice, epsilon: float = EPSILON) -> NoisyChoice:
    return kind(MOVES[:k], 0.0, Pure(epsilon), "choice", ())


def rivals(scores: np.ndarray, k: int) -> list[np.ndarray]:
    """All neighbours of a score vector at the corners of what one row can move."""
    return [scores + np.array(signs) * MOVES[:k] for signs in product((-1, 1), repeat=k)]


def close_scores(k: int) -> list[np.ndarray]:
    """Ties, leads of one or several moves, and scores at random."""
    leads = [np.eye(k)[i] * lead for i in range(k) for lead in (0.0, 0.05, 0.3, 1.0)]
    return [*leads, *(np.random.default_rng().uniform(0, 0.3, k) for _ in range(10))]


def exact_loss(law: Callable[[np.ndarray], np.ndarray], k: int) -> float:
    """The largest log ratio over all outcomes and all such pairs, from the exact law of the index."""
    return max(
        pair_loss.largest_log_ratio(law(scores), law(rival))
        for scores in close_scores(k)
        for rival in rivals(scores, k)
    )


def race(means: Sequence[float]) -> Callable[[np.ndarray], np.ndarray]:
    """The law of argmax q_i + Exp(mean_i)."""
    return lambda scores: pair_loss.noisy_maximum_law(scores, means)


def assert_private(loss: float) -> None:
    assert loss <= EPSILON * (1 + 1e-9)


def own_only(spreads: Sequence[float]) -> list[float]:
    return [2 * spread / EPSILON for spread in spreads]


def others_only(spreads: Sequence[float]) -> list[float]:
    return [max(s for j, s in enumerate(spreads) if j != i) / EPSILON for i in range(len(spreads))]


def on_average(spreads: Sequence[float]) -> list[float]:
    return [(spread + float(np.mean(spreads))) / EPSILON for spread in spreads]


def halved(spreads: Sequence[float]) -> list[float]:
    return [s / 2 for s in choice(len(spreads)).scales]


@pytest.mark.proof("validate-selection")
@pytest.mark.parametrize("k", [2, 3, 4])
def test_the_exact_law_of_the_index_loses_epsilon_and_no_more(k: int) -> None:
    honest = choice(k).scales
    assert honest[0] == pytest.approx((MOVES[0] + max(MOVES[1:k])) / EPSILON)
    assert honest[1:] == pytest.approx([(move + MOVES[0]) / EPSILON for move in MOVES[1:k]])
    loss = exact_loss(race(honest), k)
    assert_private(loss)
    assert loss >= 0.95 * EPSILON
    for mutant in (own_only, others_only, on_average, halved):
        with pytest.raises(AssertionError):
            assert_private(exact_loss(race(mutant(MOVES[:k])), k))


def normalised(mean: float, k: int) -> Callable[[np.ndarray], np.ndarray]:
    """The law of argmax −b_i + Exp(mean)."""

    def law(scores: np.ndarray) -> np.ndarray:
        behind = [float(each) for each in shortfalls(scores, MOVES[:k])]
        return pair_loss.noisy_maximum_law(-np.array(behind), [mean] * k)

    return law


def by_own_move(mean: float, k: int) -> Callable[[np.ndarray], np.ndarray]:
    """Mutant: how far a candidate is behind, in units of what a row moves this candidate alone."""

    def law(scores: np.ndarray) -> np.ndarray:
        behind = (scores[None, :] - scores[:, None]) / np.array(MOVES[:k])[:, None]
        return pair_loss.noisy_maximum_law(-behind.max(axis=1), [mean] * k)

    return law


@pytest.mark.proof("validate-selection")
@pytest.mark.parametrize("k", [3, 4])
def test_normalised_scores_lose_at_most_epsilon(k: int) -> None:
    honest = choice(k, NormalisedChoice)
    assert honest.scales == pytest.approx([2 / EPSILON] * k)
    assert_private(exact_loss(normalised(honest.scales[0], k), k))
    for mutant in (normalised(honest.scales[0] / 2, k), by_own_move(honest.scales[0], k)):
        with pytest.raises(AssertionError):
            assert_private(exact_loss(mutant, k))


def test_how_far_a_candidate_is_behind() -> None:
    assert shortfalls(np.array([0.5, 0.25, 0.0]), (0.25, 0.25, 0.75)) == [0, Fraction(1, 2), Fraction(1, 2)]
    assert shortfalls(np.array([math.nan, math.inf]), (1.0, 1.0))[1] == 0


def test_unequal_moves_are_normalised() -> None:
    assert kind_of_choice((0.1, 0.1, 0.002)) is NoisyChoice
    assert kind_of_choice((0.1, 0.0009)) is NoisyChoice
    assert kind_of_choice((0.1, 0.01, 0.0009)) is NormalisedChoice


def test_equal_moves_get_equal_noise() -> None:
    equal = NoisyChoice((0.1, 0.1, 0.1), 0.0, Pure(2.0), "choice", ())
    assert equal.scales == pytest.approx([0.1] * 3)
    law = pair_loss.noisy_maximum_law([0.0, 0.2, 0.1], equal.scales)
    assert law == pytest.approx(pair_loss.permute_and_flip_law([0.0, 0.2, 0.1], 0.1))
    assert NoisyChoice((0.1,), 0.0, Pure(1.0), "choice", ())(np.array([3.0]), SystemEntropy()) == 0


def shares(chooser: Callable[[np.ndarray, Entropy], int], scores: np.ndarray, runs: int) -> np.ndarray:
    entropy = SystemEntropy()
    return np.bincount([chooser(scores, entropy) for _ in range(runs)], minlength=len(scores))


@pytest.mark.proof("validate-selection")
@pytest.mark.statistical
def test_the_index_has_its_law() -> None:
    """The law of one choice is not that of the other."""
    scores = np.array([0.0, 0.05, 0.02, 0.06])
    kinds = choice(4), choice(4, NormalisedChoice)
    laws = race(kinds[0].scales)(scores), normalised(kinds[1].scales[0], 4)(scores)
    drawn = [shares(kind, scores, 4_000) for kind in kinds]
    for counts, law, other in zip(drawn, laws, reversed(laws), strict=True):
        assert_counts(counts, law)
        with pytest.raises(AssertionError):
            assert_counts(counts, other)


def worst_scores(k: int) -> tuple[np.ndarray, np.ndarray]:
    """One row takes from the lead of the first candidate and gives to each of the others, or the other way round."""
    up = np.array(MOVES[:k]) / 2
    up[0] = -up[0]
    leading = np.zeros(k)
    leading[0] = MOVES[0]
    return leading + up, leading - up


def measured(chooser: NoisyChoice, k: int, runs: int) -> float:
    """A lower bound on what the event 'not the first' gives away, at a false-alarm level of 1e-9."""
    entropy = SystemEntropy()

    def sample(scores: np.ndarray, count: int) -> np.ndarray:
        return np.array([[chooser(scores, entropy)] for _ in range(count)], dtype=float)

    return lower_bound(
        Batches(sample), worst_scores(k), runs, 1 - 1e-9, score=lambda out: (out[:, 0] > 0).astype(float)
    )


@pytest.mark.proof("validate-selection")
@pytest.mark.statistical
@pytest.mark.parametrize("k", [2, 4])
def test_the_index_spends_what_it_says_and_too_little_noise_is_caught(k: int) -> None:
    for kind in (NoisyChoice, NormalisedChoice, ExponentialChoice):
        assert_private(measured(choice(k, kind), k, 4_000))
    with pytest.raises(AssertionError):
        assert_private(measured(choice(k, epsilon=3 * EPSILON), k, 4_000))


def test_a_choice_gives_its_delta_back() -> None:
    assert replace(choice(3), budget=Approx(1.0, 1e-6)).charge == Pure(1.0)


def search_over(rows: Rows, l2s: tuple[float, ...] = (0.1, 0.5, 1.0)) -> StabilitySearch:
    def candidate(l2: float) -> Candidate:
        return Candidate(
            f"l2={l2}",
            lambda shape, budget: plan_fit(shape, FitRequest(Logistic(), l2), budget, "auto").mechanism,
        )

    whole, m = Shape.of(rows), rows.n // 5
    return StabilitySearch(
        [candidate(l2) for l2 in l2s],
        Ramp(),
        whole,
        replace(whole, n=rows.n - m),
        replace(whole, n=m),
        Pure(1.0),
        Pure(1.0),
    )


class ReleasesTheTrained(StabilitySearch):
    """Mutant: the winner is released as it was trained for its score."""

    def __call__(self, rows: Rows, entropy: Entropy) -> Release:
        training, validation = parts_of(rows, [self.training.n, self.validation.n])
        releases = [mechanism(training, entropy) for mechanism in self.trained]
        chosen = self.choice(self.held_out(validation, [r.theta for r in releases]), entropy)
        return chosen_release(releases[chosen], chosen)


class ReusesTheNoise(StabilitySearch):
    """Mutant: the final fit replays the noise that the winner was scored with."""

    def __call__(self, rows: Rows, entropy: Entropy) -> Release:
        training, validation = parts_of(rows, [self.training.n, self.validation.n])
        tapes = [RecordedEntropy(entropy) for _ in self.trained]
        releases = [mechanism(training, tape) for mechanism, tape in zip(self.trained, tapes, strict=True)]
        chosen = self.choice(self.held_out(validation, [r.theta for r in releases]), entropy)
        return chosen_release(self.final[chosen](rows, tapes[chosen].replay()), chosen)


class AllWords:
    """Keeps the words of both channels in the order they were asked for."""

    private = False
    source = "recorded, NOT PRIVATE"

    def __init__(self) -> None:
        self.batches: list[np.ndarray] = []

    def words(self, count: int) -> np.ndarray:
        self.batches.append(SystemEntropy().words(count))
        return self.batches[-1]

    def more(self) -> int:
        return SystemEntropy().more()


def assert_fresh_final_fit(search: StabilitySearch, rows: Rows) -> None:
    """What is released is the winner's mechanism on all rows, run on words drawn after those of training and choice."""
    tape = AllWords()
    release = search(rows, tape)
    chosen = int(release.statistics["chosen"][0])
    training = rows.part(np.arange(search.training.n))
    used = recorder()
    for mechanism in search.trained:
        mechanism(training, used)
    before = used.count + len(search.candidates)
    words = np.concatenate(tape.batches)
    assert len(words) > before
    again = search.final[chosen](rows, ReplayedEntropy(words[before:]))
    assert np.array_equal(again.theta, release.theta)


@pytest.mark.proof("validate-selection")
def test_the_final_fit_uses_words_of_its_own() -> None:
    rows = classified(*random_table(100))
    honest = search_over(rows)
    assert_fresh_final_fit(honest, rows)
    for mutant in (ReleasesTheTrained, ReusesTheNoise):
        broken = mutant(**{name: getattr(honest, name) for name in honest.__dataclass_fields__})
        with pytest.raises(AssertionError):
            assert_fresh_final_fit(broken, rows)


def test_only_the_winner_leaves() -> None:
    rows = classified(*random_table(100))
    release = search_over(rows)(rows, SystemEntropy())
    assert set(release.statistics) == {"chosen"}
    assert release.theta.shape == (rows.width,)


def test_the_number_of_words_is_public() -> None:
    """It may depend on the winner, whose final fit has the mechanism of its own λ: the winner is released."""
    counts: dict[float, set[int]] = {}
    for scale in (0.0, 1.0, 100.0) * 4:
        X, y = random_table(100)
        entropy = recorder()
        rows = classified(X * scale, y)
        release = search_over(rows)(rows, entropy)
        counts.setdefault(float(release.statistics["chosen"][0]), set()).add(entropy.count)
    assert all(len(words) == 1 for words in counts.values())


def law_of(stopping: Geometric | Logarithmic, most: int = 4000) -> np.ndarray:
    """P(K = 1), P(K = 2), …"""
    gamma, tries = float(stopping.stop), np.arange(1, most)
    weights = (1 - gamma) ** tries / (tries if isinstance(stopping, Logarithmic) else 1)
    return weights / weights.sum()


def generating(stopping: Geometric | Logarithmic, t: np.ndarray) -> np.ndarray:
    """E t^K."""
    gamma = float(stopping.stop)
    if isinstance(stopping, Logarithmic):
        return np.asarray(np.log1p(-(1 - gamma) * t) / math.log(gamma))
    return np.asarray(gamma * t / (1 - (1 - gamma) * t))


def best_of_many(stopping: Geometric | Logarithmic, middle: float, top: float) -> np.ndarray:
    """The law of the best of K draws when one draw is in the middle or at the top with these probabilities."""
    return np.diff(generating(stopping, np.array([0.0, 1 - middle - top, 1 - top, 1.0])))


def assert_loss(stopping: Geometric | Logarithmic, factor: float, epsilon: float = 0.5) -> None:
    """Neighbours at the ends of what ε allows: the middle becomes likelier, the top less likely."""
    shrink = math.exp(-epsilon)
    for top in (1e-3, 0.03, 0.3):
        for middle in (1e-6, 1e-3, 0.1):
            one = best_of_many(stopping, middle * shrink, top)
            other = best_of_many(stopping, middle, top * shrink)
            assert np.abs(np.log(one / other)).max() <= factor * epsilon + 1e-6


@pytest.mark.proof("random-stopping")
def test_the_best_of_many_costs_two_or_three() -> None:
    rare = Fraction(1, 100_000)
    assert_loss(Geometric(rare), Geometric(rare).factor)
    assert_loss(Logarithmic(rare), Logarithmic(rare).factor)
    with pytest.raises(AssertionError):
        assert_loss(Geometric(rare), 2.5)
    with pytest.raises(AssertionError):
        assert_loss(Logarithmic(rare), 1.5)


@pytest.mark.proof("random-stopping")
@pytest.mark.statistical
@pytest.mark.parametrize("kind", [Geometric, Logarithmic])
def test_the_number_of_tries_has_its_law(kind: Any) -> None:
    stopping, entropy, runs = kind(Fraction(1, 5)), SystemEntropy(), 4000
    drawn = np.array([stopping(entropy) for _ in range(runs)])
    for tries, probability in enumerate(law_of(stopping)[:4], start=1):
        hits = int(np.sum(drawn == tries))
        assert binom.ppf(1e-10, runs, probability) <= hits <= binom.isf(1e-10, runs, probability)
