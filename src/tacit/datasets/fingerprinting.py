"""The hard instance for private LASSO (Talwar, Thakurta and Zhang 2015, section 3): a fingerprinting code.

w rows (x_j, 1) carry a padded Tardos code, x_j ∈ {−1, 1}^p; k rows (z_j, 0) are the rows of a k × p matrix with
orthogonal ±1 columns, so that

    n · L(θ) = Σ_j (⟨x_j, θ⟩ − 1)² + k‖θ‖₂².

Whoever comes close to the minimum over ‖θ‖₁ ≤ 1 must agree with the signs of most consensus columns, and by the
fingerprinting property no private algorithm can. With w ≈ n^(1/3) the excess mean risk of every private algorithm
is then of order n^(−2/3), up to logarithms.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import hadamard

from tacit.errors import ParameterError
from tacit.noise import Entropy, SeededEntropy, SystemEntropy

FEWEST_ROWS = 64
MOST_ROWS = 2**15


@dataclass(frozen=True)
class LassoInstance:
    """Rows in {−1, 0, 1}^p with targets in {0, 1}; `planted` has ℓ1 norm 1 and a risk close to the least.

    code_rows: the first rows, which hold the code. consensus: the sign of each column whose code entries agree, else 0.
    """

    X: NDArray[np.float64]
    y: NDArray[np.float64]
    code_rows: int
    consensus: NDArray[np.float64]

    @property
    def planted(self) -> NDArray[np.float64]:
        """The consensus signs over p."""
        return np.asarray(self.consensus / self.consensus.size)


def fingerprinting_lasso(
    n: int, *, weight: float = 0.1, padding: float = 0.9, random_state: int | None = None
) -> LassoInstance:
    """An instance with n rows, w = n^(1/3) of them users of the code, and p = k/(weight · w) columns.

    weight: the ratio k‖θ‖²/w at the planted solution; the theorem takes 0.001, which needs n far beyond any memory.
    padding: share of columns that are all 1 or all −1 from the start. Rows left over by the power of two k are zero.
    """
    if isinstance(n, bool) or not isinstance(n, int) or not FEWEST_ROWS <= n <= MOST_ROWS:
        raise ParameterError(f"n must be a whole number from {FEWEST_ROWS} to {MOST_ROWS}, got {n!r}")
    if not 0 < weight <= 1 or not 0 <= padding < 1:
        raise ParameterError(f"weight lies in (0, 1] and padding in [0, 1), got {weight!r} and {padding!r}")
    entropy: Entropy = SystemEntropy() if random_state is None else SeededEntropy(random_state)
    users = max(2, round(n ** (1 / 3)))
    orthogonal = 1 << ((n - users).bit_length() - 1)
    columns = min(orthogonal, max(2, int(orthogonal / (weight * users))))
    code = _padded_tardos_code(users, columns, padding, entropy)
    X = np.zeros((n, columns))
    X[:users] = code
    X[users : users + orthogonal] = hadamard(orthogonal, dtype=np.int8)[:, :columns]
    sums = code.sum(axis=0)
    consensus = np.where(np.abs(sums) == users, np.sign(sums), 0.0)
    return LassoInstance(X, np.r_[np.ones(users), np.zeros(n - users)], users, consensus)


def _padded_tardos_code(users: int, columns: int, padding: float, entropy: Entropy) -> NDArray[np.float64]:
    """Entry 1 with the column's bias, −1 otherwise; biases by the arcsine law, cut at 1/(300 w) (Tardos 2008)."""
    cut = 1 / (300 * users)
    edge = np.arcsin(np.sqrt(cut))
    biases = np.sin(edge + (np.pi / 2 - 2 * edge) * _uniform(columns, entropy)) ** 2
    padded = _uniform(columns, entropy) < padding
    biases[padded] = np.rint(_uniform(int(padded.sum()), entropy))
    return np.where(_uniform(users * columns, entropy).reshape(users, columns) < biases, 1.0, -1.0)


def _uniform(count: int, entropy: Entropy) -> NDArray[np.float64]:
    return np.asarray((entropy.words(count) >> np.uint64(11)) * 2.0**-53, dtype=np.float64)
