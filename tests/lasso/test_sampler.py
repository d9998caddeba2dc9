"""The sub-linear sampler has exactly the law of the exponential mechanism."""

import math
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lasso_support import UNITS, check_frequencies, mechanism, rows_of, small_table, transcript_law
from tacit.mechanisms.lasso import vertex_sampler
from tacit.mechanisms.lasso.candidates import BOTH_SIGNS, SIGNS_IN_TURN, Candidates
from tacit.mechanisms.lasso.vertex_sampler import Proposals, VertexSampler
from tacit.noise import RecordedEntropy, SeededEntropy, SystemEntropy
from tacit.privacy import ZCDP

pytestmark = pytest.mark.proof("vertex-sampler-law")
DRAWS = 5_000
BOTH = (1, -1)
SCORES: dict[str, Any] = {
    "equal": np.zeros(5, dtype=np.int64),
    "spread": np.array([0, 300, -700, 1000, 40, -41]),
    "far apart": np.array([60_000, -60_500, 100, 0]),
    "many": np.arange(-40, 41) * 20,
    "one": np.array([900]),
}


class Moving:
    """Scores that a test moves by hand."""

    def __init__(self, scores: Any) -> None:
        self.now = np.array(scores, dtype=np.int64)
        self.scores = self.now.copy()

    @property
    def drift(self) -> int:
        return int(np.abs(self.now - self.scores).max())

    def score(self, feature: int) -> int:
        return int(self.now[feature])

    def refresh(self) -> None:
        self.scores = self.now.copy()


def law_of(scores: Any, scale: float, signs: tuple[int, ...] = BOTH) -> dict[tuple[int, int], float]:
    merits = np.concatenate([-sign * np.asarray(scores) for sign in signs]) / scale
    weights = np.exp(merits - merits.max())
    vertices = [(j, s) for s in signs for j in range(len(scores))]
    return dict(zip(vertices, weights / weights.sum(), strict=True))


def check_law(sampler: VertexSampler, law: dict[tuple[int, int], float], draws: int = DRAWS) -> None:
    signs = tuple(sorted({sign for _, sign in law}, reverse=True))
    entropy = SystemEntropy()
    check_frequencies(Counter(sampler.draw(signs, entropy) for _ in range(draws)), law)


@pytest.mark.statistical
@pytest.mark.parametrize("signs", [BOTH, (1,), (-1,)])
@pytest.mark.parametrize("scores", SCORES.values(), ids=SCORES)
def test_the_law_of_one_draw(scores: Any, signs: tuple[int, ...]) -> None:
    check_law(VertexSampler(Moving(scores), 400.0), law_of(scores, 400.0, signs))


@pytest.mark.statistical
@pytest.mark.parametrize("signs", [BOTH, (-1,)])
def test_the_law_while_scores_move(signs: tuple[int, ...]) -> None:
    """By less than the room, where the table of proposals stays, and by more, up and down, where it is made anew."""
    state = Moving(SCORES["spread"])
    sampler = VertexSampler(state, 400.0)
    for change in (100, -60, 5_000, -20_000, 30, 19_000):
        state.now[[1, 3]] += change
        state.now[2] -= change // 2
        check_law(sampler, law_of(state.now, 400.0, signs), 2000)


@pytest.mark.statistical
@pytest.mark.parametrize("moved", [0, 100])
def test_every_coin_by_balls(monkeypatch: pytest.MonkeyPatch, moved: int) -> None:
    """The exact fall-back, which fast arithmetic almost never needs, has the same law."""
    monkeypatch.setattr(vertex_sampler, "COARSENESS", 1.0)
    state = Moving(SCORES["spread"])
    sampler = VertexSampler(state, 400.0)
    sampler.draw(BOTH, SystemEntropy())
    state.now += moved
    check_law(sampler, law_of(state.now, 400.0), 2000)


@pytest.mark.statistical
def test_mutants_have_another_law(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = SCORES["spread"]
    law = law_of(scores, 400.0)

    class TakesAll(VertexSampler):
        def _accepts(self, *anything: Any) -> bool:
            return True

    for mutant in (TakesAll(Moving(scores), 400.0), VertexSampler(Moving(scores), 800.0)):
        with pytest.raises(AssertionError):
            check_law(mutant, law)

    class SaysItStoodStill(Moving):
        drift = 0

    state = SaysItStoodStill(scores)
    forgetful = VertexSampler(state, 400.0)
    forgetful.draw(BOTH, SystemEntropy())
    state.now[5] -= 2_000
    with pytest.raises(AssertionError):
        check_law(forgetful, law_of(state.now, 400.0))

    of = Proposals.of

    def low(scores: Any, signs: Any, room: float, levels_per_unit: float) -> Proposals:
        return of(scores // 2, signs, 0.0, levels_per_unit)

    monkeypatch.setattr(Proposals, "of", low)
    with pytest.raises(AssertionError):
        check_law(VertexSampler(Moving(scores), 400.0), law)


def check_levels(scores: Any, signs: tuple[int, ...], scale: float, room: float) -> None:
    """Levels bound the weights of all scores within the room, and by less than a factor 2.01 more than that."""
    sampler = VertexSampler(Moving(scores), scale)
    table = Proposals.of(np.asarray(scores), signs, room, sampler._levels_per_unit)
    bounds = [
        (max(-sign * Fraction(int(score)) for sign in signs) + Fraction(room)) / Fraction(scale) for score in scores
    ]
    floor = max(bounds) - (vertex_sampler.TOTAL_BITS - len(scores).bit_length()) * math.log(2)
    for feature, bound in enumerate(bounds):
        start = int(table.ends[feature - 1]) if feature else 0
        for place in {start, int(table.ends[feature]) - 1}:
            found, level = table.find(place)
            assert found == feature
            assert level * math.log(2) >= bound * (1 - 1e-15)
            assert level * math.log(2) <= max(bound, floor) + math.log(2.01)
    assert int(table.ends[-1]) < 2 ** (vertex_sampler.TOTAL_BITS + 1)


@settings(max_examples=100)
@given(st.data())
def test_levels_are_bounds(data: st.DataObject) -> None:
    reach = data.draw(st.sampled_from([10, 10**4, 2**40]))
    scores = data.draw(st.lists(st.integers(-reach, reach), min_size=1, max_size=40))
    scale = data.draw(st.sampled_from([reach / 30, reach * 3.7]))
    signs = data.draw(st.sampled_from([BOTH, (1,), (-1,)]))
    check_levels(np.array(scores), signs, scale, data.draw(st.sampled_from([0.0, scale / 3])))


def test_the_number_of_words_is_public() -> None:
    counts = set()
    for scores in SCORES.values():
        entropy = RecordedEntropy(SeededEntropy(3))
        VertexSampler(Moving(scores), 400.0).draw(BOTH, entropy)
        counts.add((entropy.count, entropy.refinements))
    assert counts == {(2 * vertex_sampler.TRIES, 0)}


def test_constant_work_draws_a_public_number_of_words() -> None:
    counts = set()
    for seed in range(3):
        rows = rows_of(*small_table(seed, 40, 6, "logistic"))
        entropy = RecordedEntropy(SystemEntropy())
        mechanism(rows, ZCDP(0.5), 4, constant_work=True)(rows, entropy)
        counts.add(entropy.count)
    assert counts == {4 * 2 * 6}


def test_a_draw_goes_on_when_its_words_are_used_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vertex_sampler, "TRIES", 0)
    check_law(VertexSampler(Moving(SCORES["spread"]), 400.0), law_of(SCORES["spread"], 400.0), 2000)


@pytest.mark.statistical
@pytest.mark.proof("integer-vertex-scores")
@pytest.mark.parametrize("constant_work", [False, True])
@pytest.mark.parametrize(
    ("loss", "schedule", "candidates"),
    [
        ("logistic", "stagewise", BOTH_SIGNS),
        ("squared", "frank-wolfe", BOTH_SIGNS),
        ("logistic", "stagewise", SIGNS_IN_TURN),
    ],
)
def test_the_law_of_whole_transcripts(loss: str, schedule: str, candidates: Candidates, constant_work: bool) -> None:
    """Fast and plain paths against the enumeration of all transcripts of three steps over three features."""
    X, y = small_table(4, 6, 3, loss)
    rows = rows_of(X, y, loss)
    fit = mechanism(
        rows, ZCDP(3.0), 3, loss=loss, schedule=schedule, candidates=candidates, constant_work=constant_work
    )
    allowed = np.maximum(X, candidates.lowest_cell / UNITS)
    how: dict[str, Any] = {"loss": loss, "schedule": schedule, "radius": 2.0, "grain": fit.grain}
    law = transcript_law(allowed, y, fit.unit_scale, 3, candidates, **how)
    entropy, counts = SystemEntropy(), Counter[Any]()
    for _ in range(300 if constant_work else 800):
        features, signs = fit.transcript(rows, entropy)
        counts[tuple(zip(features.tolist(), signs.tolist(), strict=True))] += 1
    check_frequencies(counts, law)
