"""Symmetric matrices as vectors: svec keeps the diagonal and multiplies what is above it by √2.

‖svec(M)‖₂ = ‖M‖_F, so noise for a Frobenius sensitivity is drawn in d(d+1)/2 dimensions instead of d².
"""

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

ROOT_TWO = math.sqrt(2)


def svec_size(width: int) -> int:
    """d(d + 1)/2."""
    return width * (width + 1) // 2


def svec(matrix: Floats) -> Floats:
    """(diagonal, √2 × upper triangle row by row) of a symmetric matrix."""
    above = np.triu_indices(len(matrix), 1)
    return np.concatenate([np.diag(matrix), ROOT_TWO * matrix[above]])


def smat(vectors: Floats, width: int) -> Floats:
    """The symmetric matrices whose svec the last axis holds."""
    rows, columns = np.triu_indices(width, 1)
    matrices = np.zeros((*vectors.shape[:-1], width, width))
    matrices[..., rows, columns] = matrices[..., columns, rows] = vectors[..., width:] / ROOT_TWO
    diagonal = np.arange(width)
    matrices[..., diagonal, diagonal] = vectors[..., :width]
    return matrices
