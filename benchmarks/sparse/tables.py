"""Sparse tables with binary labels: real ones, split by seed, and planted ones."""

from __future__ import annotations

import gzip
import os
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

from benchmarks.data import Missing

Split = tuple[Any, Any, Any, Any]
"""(X, y) to fit and (X, y) to test."""

Signs = tuple[float, ...]
BOTH, POSITIVE = (-1.0, 1.0), (1.0,)


def reviews(seed: int) -> Split:
    """IMDB: which of 89,527 words a review holds. Seed 0: the published split; others: random halves."""
    X, y, train = _reviews()
    if seed:
        train = np.random.default_rng(seed).permutation(len(y)) < len(y) // 2
    return X[train], y[train], X[~train], y[~train]


def words() -> list[str]:
    """The names of IMDB's columns."""
    with gzip.open(_file("imdb/imdb_vocab.txt.gz"), "rt", encoding="utf-8") as file:
        return file.read().splitlines()


def all_reviews() -> tuple[Any, Any]:
    """All 50,000 reviews."""
    X, y, _ = _reviews()
    return X, y


def web_pages(seed: int) -> Split:
    """w8a: 300 binary features of web pages, 3 % positive; a random fifth is kept for the test, by seed."""
    X, y = _web_pages()
    order = np.random.default_rng(seed).permutation(len(y))
    test, train = order[: len(y) // 5], order[len(y) // 5 :]
    return X[train], y[train], X[test], y[test]


def molecules(seed: int) -> Split:
    """Dorothea: 800 molecules, 100,000 binary features, half of them random probes; the published split."""
    X = sp.load_npz(_file("sparse/dorothea_X.npz")).astype(float).tocsr()
    table = pd.read_parquet(_file("sparse/dorothea_y.parquet"))
    train, y = (table["split"] == "train").to_numpy(), table["y"].to_numpy()
    return X[train], y[train], X[~train], y[~train]


def wide_table(n: int = 20_000, p: int = 1_000_000, held: int = 100) -> tuple[Any, Any]:
    """n rows with `held` ones in p columns, labels from forty of them."""
    rng = np.random.default_rng(0)
    X = sp.csr_matrix((np.ones(n * held), (np.repeat(np.arange(n), held), rng.integers(0, p, n * held))), shape=(n, p))
    X.sum_duplicates()
    X.data[:] = 1.0
    return X, np.where(X[:, 20:60] @ rng.choice([-1.0, 1.0], 40) + 0.5 * rng.normal(size=n) > 0, 1, -1)


def planted(
    n: int, p: int, seed: int, held: int = 100, cells: Signs = BOTH, coefficients: Signs = BOTH
) -> tuple[Any, Any]:
    """y = ⟨x, θ*⟩ with |θ*_j| ∝ 1/j for j ≤ held, ‖θ*‖₁ = 1; rows hold 20 of 100 columns and 20 of p − 100 others.

    The least risk over ‖θ‖₁ ≤ 1 is 0, so the risk of a fit is its excess risk. A relevant column has mean square 0.2.
    `cells` and `coefficients` are the signs that they may have.
    """
    rng = np.random.default_rng(seed)
    relevant = rng.random((n, 100)).argpartition(20, axis=1)[:, :20]
    others = rng.integers(100, p, (n, 20)) if p > 100 else np.empty((n, 0), dtype=int)
    columns = np.hstack([relevant, others])
    X = sp.csr_array(
        (rng.choice(cells, columns.size), (np.repeat(np.arange(n), columns.shape[1]), columns.ravel())), shape=(n, p)
    )
    X.sum_duplicates()
    X.data = np.clip(X.data, -1, 1)
    theta = np.zeros(p)
    theta[:held] = rng.choice(coefficients, held) / np.arange(1, held + 1)
    theta /= np.abs(theta).sum()
    return X, X @ theta


@cache
def _reviews() -> tuple[Any, Any, Any]:
    X = sp.load_npz(_file("imdb/imdb_bow_counts.npz")).tocsr()
    X.data = np.ones(X.nnz)
    meta = pd.read_parquet(_file("imdb/imdb_meta.parquet"))
    return X, np.where(meta["label"] == 1, 1, -1), (meta["split"] == "train").to_numpy()


@cache
def _web_pages() -> tuple[Any, Any]:
    X = sp.load_npz(_file("sparse/w8a_X.npz")).astype(float).tocsr()
    return X, pd.read_parquet(_file("sparse/w8a_y.parquet"))["y"].to_numpy()


def _file(name: str) -> Path:
    path = Path(os.environ.get("TACIT_DATA", "")) / name
    if not path.exists():
        raise Missing(f"{name} is not on this machine; set TACIT_DATA to a directory that holds it")
    return path
