"""Rows can be summed, not seen: clipped blocks of private rows behind one verb, `total`."""

from tacit.rows.door import linear_scores, open_rows
from tacit.rows.parts import Positions
from tacit.rows.points import Places, Points, open_points
from tacit.rows.rows import Block, Kernel, Rows
from tacit.rows.sources import Reader, Source
from tacit.rows.summation import summation_error

__all__ = [
    "Block",
    "Kernel",
    "Places",
    "Points",
    "Positions",
    "Reader",
    "Rows",
    "Source",
    "linear_scores",
    "open_points",
    "open_rows",
    "summation_error",
]
