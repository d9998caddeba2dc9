"""Rows can be summed, not seen: clipped blocks of private rows behind one verb, `total`."""

from tacit.rows.door import linear_scores, open_rows, seal
from tacit.rows.frames import FrameTable, table_to_come
from tacit.rows.parts import Positions
from tacit.rows.points import Places, Points, SealedPoints, open_points, seal_points
from tacit.rows.rows import Block, Kernel, Rows
from tacit.rows.schedule import dense_block_rows
from tacit.rows.sealed import SealedRows
from tacit.rows.sources import Reader, Source
from tacit.rows.summation import summation_error

__all__ = [
    "Block",
    "FrameTable",
    "Kernel",
    "Places",
    "Points",
    "Positions",
    "Reader",
    "Rows",
    "SealedPoints",
    "SealedRows",
    "Source",
    "dense_block_rows",
    "linear_scores",
    "open_points",
    "open_rows",
    "seal",
    "seal_points",
    "summation_error",
    "table_to_come",
]
