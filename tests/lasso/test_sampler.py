"""The sub-linear sampler has exactly the law of the exponential mechanism."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lasso_support import check_frequencies, mechanism, rows_of, small_table, transcript_law
from tacit.mechanisms.lasso import vertex_sampler
from tacit.mechanisms.lasso.vertex_sampler import VertexSampler
from tacit.noise import RecordedEntropy, SeededEntropy, SystemEntropy
from tacit.privacy import ZCDP

pytestmark = pytest.mark.proof("vertex-sampler-law")
DRAWS = 5_000
SCORES: dict[str, Any] = {
    "equal": np.zeros(5, dtype=np.int64),
    "spread": np.array([0, 300, -700, 1000, 40, -41]),
    "far apart": np.array([60_000, -60_500, 100, 0]),
    "many": np.arange(-40, 41) * 20,
    "one": np.array([900]),
}


def law_of(scores: Any, scale: float) -> dict[tuple[int, int], float]:
    merits = np.concatenate([-scores, scores]) / scale
    weights = np.exp(merits - merits.max())
    vertices = [(j, s) for s in (1, -1) for j in range(len(scores))]
    return dict(zip(vertices, weights / weights.sum(), strict=True))


def check_law(sampler: VertexSampler, scores: Any, scale: float, draws: int = DRAWS) -> None:
    entropy = SystemEntropy()
    check_frequencies(Counter(sampler.draw(entropy) for _ in range(draws)), law_of(scores, scale))


@pytest.mark.statistical
@pytest.mark.parametrize("scores", SCORES.values(), ids=SCORES)
def test_the_law_of_one_draw(scores: Any) -> None:
    check_law(VertexSampler(scores, 400.0), scores, 400.0)


@pytest.mark.statistical
def test_every_coin_by_balls(monkeypatch: pytest.MonkeyPatch) -> None:
    """The exact fall-back, which fast arithmetic almost never needs, has the same law."""
    monkeypatch.setattr(vertex_sampler, "COARSENESS", 1.0)
    check_law(VertexSampler(SCORES["spread"], 400.0), SCORES["spread"], 400.0, 2000)


@pytest.mark.statistical
def test_mutants_have_another_law(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = SCORES["spread"]

    class LowLevels(VertexSampler):
        def _level(self, given: Any) -> Any:
            return np.maximum(super()._level(given) - 1, 0)

    class TakesAll(VertexSampler):
        def _accepts(self, *anything: Any) -> bool:
            return True

    for mutant in (LowLevels(scores, 400.0), TakesAll(scores, 400.0), VertexSampler(scores, 800.0)):
        with pytest.raises(AssertionError):
            check_law(mutant, scores, 400.0)


def check_consistent(sampler: VertexSampler, scores: Any, scale: float) -> None:
    """Levels are bounds, weights are powers of the levels, sums are sums of weights, the total fits."""
    exact_levels = np.abs(scores) / scale / np.log(2)
    assert np.all(sampler._levels >= exact_levels)
    assert np.all(sampler._levels <= exact_levels + 1.001)
    weights = 2 ** np.maximum(sampler._levels - sampler._base, 0)
    blocks = [weights[i : i + 2**sampler._shift].sum() for i in range(0, len(scores), 2**sampler._shift)]
    assert np.array_equal(sampler._sums, blocks)
    assert sampler._sums.sum() <= 2**vertex_sampler.TOTAL_BITS


@settings(max_examples=60)
@given(st.data())
def test_updates_leave_what_a_new_sampler_has(data: st.DataObject) -> None:
    p = data.draw(st.integers(1, 70))
    reach = data.draw(st.sampled_from([10, 1000, 10**5]))
    change = st.tuples(st.integers(0, p - 1), st.integers(-reach, reach))
    scores = np.zeros(p, dtype=np.int64)
    sampler = VertexSampler(scores, 50.0)
    for batch in data.draw(st.lists(st.lists(change, min_size=1, max_size=9), max_size=12)):
        for feature, value in batch:
            scores[feature] = value
        sampler.update(np.array([feature for feature, _ in batch] + [batch[0][0]]))
        check_consistent(sampler, scores, 50.0)
        sampler.draw(SeededEntropy(1))
        check_consistent(sampler, scores, 50.0)


@pytest.mark.statistical
def test_the_law_after_rising_and_falling_tops() -> None:
    scores = np.zeros(9, dtype=np.int64)
    sampler = VertexSampler(scores, 10.0)
    for top in (5_000, 9_000, 120, 60):
        scores[:] = np.arange(9) * 2
        scores[4] = top
        sampler.update(np.arange(9))
        check_law(sampler, scores, 10.0, 2000)


def test_the_number_of_words_is_public() -> None:
    counts = set()
    for scores in SCORES.values():
        entropy = RecordedEntropy(SeededEntropy(3))
        VertexSampler(scores, 400.0).draw(entropy)
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
    check_law(VertexSampler(SCORES["spread"], 400.0), SCORES["spread"], 400.0, 2000)


@pytest.mark.statistical
@pytest.mark.proof("integer-vertex-scores")
@pytest.mark.parametrize("constant_work", [False, True])
@pytest.mark.parametrize(("loss", "schedule"), [("logistic", "stagewise"), ("squared", "frank-wolfe")])
def test_the_law_of_whole_transcripts(loss: str, schedule: str, constant_work: bool) -> None:
    """Fast and plain paths against the enumeration of 216 transcripts of three steps over six vertices."""
    X, y = small_table(4, 6, 3, loss)
    rows = rows_of(X, y, loss)
    fit = mechanism(rows, ZCDP(3.0), 3, loss=loss, schedule=schedule, constant_work=constant_work)
    law = transcript_law(X, y, fit.unit_scale, 3, loss=loss, schedule=schedule, radius=2.0, grain=fit.grain)
    entropy, counts = SystemEntropy(), Counter[Any]()
    for _ in range(300 if constant_work else 800):
        features, signs = fit.transcript(rows, entropy)
        counts[tuple(zip(features.tolist(), signs.tolist(), strict=True))] += 1
    check_frequencies(counts, law)
