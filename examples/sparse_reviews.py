"""Which words make a review good? A private sparse model on made-up reviews: 8,000 texts, 20,000 words.

Run with:  python examples/sparse_reviews.py
"""

import numpy as np
import scipy.sparse as sp

from tacit import Approx, Domain, PrivateLasso

GOOD, BAD = range(100, 105), range(200, 205)


def reviews(n: int = 8_000, words: int = 20_000) -> tuple[sp.csr_array, np.ndarray]:
    """Each review holds some fifty words, frequent ones more often; ten of the words tell what it thinks."""
    rng = np.random.default_rng(0)
    columns = (words ** rng.random((n, 50))).astype(int) - 1
    telling = rng.random((n, 10)) < 0.3
    rows = np.concatenate([np.repeat(np.arange(n), 50), np.nonzero(telling)[0]])
    columns = np.concatenate([columns.ravel(), np.r_[GOOD, BAD][np.nonzero(telling)[1]]])
    X = sp.csr_array((np.ones(rows.size), (rows, columns)), shape=(n, words))
    X.data[:] = 1.0
    opinion = telling[:, :5].sum(axis=1) - telling[:, 5:].sum(axis=1) + 0.5 * rng.normal(size=n)
    return X, np.where(opinion > 0, "good", "bad")


def main() -> None:
    X, y = reviews()
    # Public: a cell says whether a word occurs (0 or 1, hence never negative), and the two labels.
    domain = Domain("linf", classes=("bad", "good"))
    model = PrivateLasso(loss="logistic", privacy=Approx(1.0, 1e-6), domain=domain, nonnegative=True)
    model.fit(X[:6_000], y[:6_000])
    print(f"{model.steps_} steps chose {len(model.support_)} of {X.shape[1]:,} words")
    words = [f"word {number}" for number in range(X.shape[1])]
    print(model.coefficients(words).head(12).to_string(index=False))
    print(f"accuracy on 2,000 other reviews: {model.score(X[6_000:], y[6_000:]):.3f}")
    print(model.certificate_)


if __name__ == "__main__":
    main()
