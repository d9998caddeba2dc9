"""Who trains and who validates: by position alone, and every row once."""

import numpy as np
import pytest
import scipy.sparse

from selection_support import LABELS, classified, random_table
from tacit.domain import CLASSIFICATION
from tacit.errors import ParameterError
from tacit.mechanisms.selection.split import public_parts, validation_size
from tacit.privacy import ZCDP, Approx, Pure, side_by_side
from tacit.rows import Rows, open_rows
from tacit.rows.parts import PickedRows


def sums(rows: Rows) -> tuple[np.ndarray, float]:
    return rows.total(lambda X, y: (np.asarray(X.sum(axis=0)).ravel(), float(y @ np.arange(len(y)))))


@pytest.mark.proof("disjoint-parts")
@pytest.mark.parametrize(("n", "sizes"), [(10, [3, 4, 3]), (1000, [800, 200]), (7, [1])])
def test_parts_are_disjoint_and_the_same_every_time(n: int, sizes: list[int]) -> None:
    parts = public_parts(n, sizes)
    together = np.concatenate(parts)
    assert [len(part) for part in parts] == sizes
    assert len(set(together.tolist())) == len(together)
    assert together.min() >= 0
    assert together.max() < n
    for part, again in zip(parts, public_parts(n, sizes), strict=True):
        assert np.all(np.diff(part) > 0)
        assert np.array_equal(part, again)


def test_a_sorted_table_is_spread_over_the_parts() -> None:
    training, validation = public_parts(1000, [800, 200])
    assert 300 < np.mean(validation) < 700
    assert 400 < np.mean(training) < 600


@pytest.mark.parametrize("share", [0.0, 1.0, -1.0, float("nan")])
def test_shares_are_checked(share: float) -> None:
    with pytest.raises(ParameterError, match="share of the rows"):
        validation_size(10, share)
    with pytest.raises(ParameterError, match="at least two rows"):
        validation_size(1, 0.5)
    with pytest.raises(ParameterError, match="too few"):
        public_parts(3, [2, 2])


@pytest.mark.proof("disjoint-parts")
def test_a_row_of_one_part_leaves_the_others_bit_for_bit() -> None:
    X, y = random_table(500)
    first, second = public_parts(500, [400, 100])
    changed = X.copy()
    changed[second[3]] = 77.0
    before, after = classified(X, y), classified(changed, y)
    assert np.array_equal(sums(before.part(first))[0], sums(after.part(first))[0])
    assert not np.array_equal(sums(before.part(second))[0], sums(after.part(second))[0])


def test_a_part_is_the_rows_at_its_positions_in_every_storage() -> None:
    X, y = random_table(5000)
    (positions,) = public_parts(5000, [1234])
    expected = sums(classified(X[positions], y[positions]))
    sparse = open_rows(scipy.sparse.csr_array(X), y, LABELS, CLASSIFICATION).one_vs_rest(1)
    dense = classified(X, y)
    for part in (dense.part(positions), sparse.part(positions)):
        assert part.n == 1234
        assert np.allclose(sums(part)[0], expected[0])
    for whole in (dense, sparse):
        streamed = Rows(PickedRows(whole._source, positions), whole._targets[positions])
        assert np.allclose(sums(streamed)[0], expected[0])


def assert_covers(charge: object, first: Pure | ZCDP | Approx, second: Pure | ZCDP | Approx) -> None:
    """The charge implies either loss, at a δ of 1e-3."""
    for loss in (first, second):
        assert charge.to_approx(1e-3).epsilon >= loss.to_approx(1e-3).epsilon  # type: ignore[attr-defined]


@pytest.mark.proof("disjoint-parts")
def test_the_larger_loss_is_charged_in_every_currency() -> None:
    losses = [Pure(0.5), Pure(1.0), ZCDP(0.1), ZCDP(2.0), Approx(0.3, 1e-6), Approx(2.0, 1e-4)]
    for first in losses:
        for second in losses:
            if {type(first), type(second)} != {ZCDP, Approx}:
                assert_covers(side_by_side(first, second), first, second)
    assert side_by_side(Pure(1.0), Pure(2.0)) == Pure(2.0)
    assert side_by_side(Approx(1.0, 1e-5), Pure(2.0)) == Approx(2.0, 1e-5)
    with pytest.raises(AssertionError):
        assert_covers(Pure(0.5), Pure(0.5), Pure(1.0))
    with pytest.raises(ParameterError, match="needs a δ"):
        side_by_side(ZCDP(1.0), Approx(1.0, 1e-6))
