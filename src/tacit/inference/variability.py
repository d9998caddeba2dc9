"""The true spread of released coefficients, for experiments. NOT PRIVATE: it refits the same rows many times.

No interval centred at a released coefficient can be shorter than this spread and still cover, so it is what the length
of a private interval is compared with (Wang, Kifer and Lee 2018).
"""

from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone

from tacit.inference.evidence import checked_level
from tacit.inference.stream import Stream

SEAL = "NOT PRIVATE"


def variability_interval(
    model: Any, X: Any, y: Any, *, level: float = 0.95, replicates: int = 1000, seed: int = 0
) -> pd.DataFrame:
    """Central quantiles of each coefficient over fits to bootstrap samples of the rows. NOT PRIVATE.

    model: a private estimator (give it the budget to compare with) or any linear model of scikit-learn.
    X, y: arrays or pandas objects. The result is sealed: its columns carry the name NOT PRIVATE.
    """
    level = checked_level(level)
    stream = Stream(np.array([float(seed)]))
    fits = []
    for _ in range(replicates):
        sample = stream.integers(len(X), len(X))
        fitted = clone(model).fit(_taken(X, sample), _taken(y, sample))
        fits.append(np.concatenate([np.ravel(fitted.coef_), np.ravel(fitted.intercept_)]))
    lower, upper = np.quantile(np.array(fits), [(1 - level) / 2, (1 + level) / 2], axis=0)
    frame = pd.DataFrame({"lower": lower, "upper": upper})
    frame.columns.name = SEAL
    frame.attrs["seal"] = SEAL
    return frame


def _taken(table: Any, rows: Any) -> Any:
    return table.iloc[rows] if hasattr(table, "iloc") else np.asarray(table)[rows]
