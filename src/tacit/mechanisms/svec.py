"""Symmetric matrices as vectors: svec keeps the diagonal and weighs what is above it.

With the weight √2 ‖svec(M)‖₂ = ‖M‖_F, so noise for a Frobenius sensitivity is drawn in d(d+1)/2 dimensions, not d².
"""

import math

import numpy as np

from tacit.arithmetic import Floats

ROOT_TWO = math.sqrt(2)


def svec_size(width: int) -> int:
    """d(d + 1)/2."""
    return width * (width + 1) // 2


def svec(matrix: Floats, off_diagonal: float = ROOT_TWO) -> Floats:
    """(diagonal, upper triangle row by row, times the weight of an off-diagonal entry) of a symmetric matrix."""
    above = np.triu_indices(len(matrix), 1)
    return np.concatenate([np.diag(matrix), off_diagonal * matrix[above]])


def smat(vectors: Floats, width: int, off_diagonal: float = ROOT_TWO) -> Floats:
    """The symmetric matrices whose svec the last axis holds."""
    rows, columns = np.triu_indices(width, 1)
    matrices = np.zeros((*vectors.shape[:-1], width, width))
    matrices[..., rows, columns] = matrices[..., columns, rows] = vectors[..., width:] / off_diagonal
    diagonal = np.arange(width)
    matrices[..., diagonal, diagonal] = vectors[..., :width]
    return matrices
