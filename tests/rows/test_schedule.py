from hypothesis import given
from hypothesis import strategies as st

from tacit.rows.schedule import LARGEST_BLOCK_FLOATS, MOST_LANES, dense_block_rows, lanes, sparse_block_rows


@given(rows=st.integers(1, 5000), block=st.integers(1, 6000))
def test_lanes_hold_every_row_once_in_order(rows: int, block: int) -> None:
    split = lanes(rows, block)
    blocks = [pair for lane in split for pair in lane]
    assert [row for start, stop in blocks for row in range(start, stop)] == list(range(rows))
    assert all(0 < stop - start <= block for start, stop in blocks)
    assert 1 <= len(split) <= MOST_LANES
    assert all(split)
    sizes = [len(lane) for lane in split]
    assert max(sizes) - min(sizes) <= 1


@given(width=st.integers(1, 2_000_000))
def test_blocks_fit_in_memory_and_hold_rows(width: int) -> None:
    rows = dense_block_rows(width)
    assert rows >= 16
    assert rows == 16 or rows * width <= LARGEST_BLOCK_FLOATS
    assert 4096 <= sparse_block_rows(width) <= 65536
