"""The one type of every array of numbers."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
"""Vectors, matrices and blocks of rows in binary64."""
