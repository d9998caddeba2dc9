"""Runs inside an environment of its own that has diffprivlib 0.6.6: rows in, coefficients out.

usage: python diffprivlib_runner.py rows.npz answer.npz '{"task": "logistic", "epsilons": [0.1], "seeds": 3}'
"""

import json
import sys
import warnings

import numpy as np
from diffprivlib.models import LinearRegression, LogisticRegression


def fit(task: str, X: np.ndarray, y: np.ndarray, epsilon: float, options: dict, seed: int) -> np.ndarray:
    if task == "logistic":
        model = LogisticRegression(
            epsilon=epsilon, data_norm=1.0, fit_intercept=False, max_iter=1000, random_state=seed, **options
        )
    else:
        bounds = (-np.ones(X.shape[1]), np.ones(X.shape[1]))
        model = LinearRegression(
            epsilon=epsilon, bounds_X=bounds, bounds_y=(-1.0, 1.0), fit_intercept=False, random_state=seed, **options
        )
    return np.ravel(model.fit(X, y).coef_)


def main() -> None:
    rows, answer, request = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
    warnings.simplefilter("ignore")
    with np.load(rows) as stored:
        X, y = stored["X"], stored["y"]
    seeds = range(request["seeds"])
    found = [
        [fit(request["task"], X, y, epsilon, request["options"], seed) for seed in seeds]
        for epsilon in request["epsilons"]
    ]
    np.savez(answer, theta=np.array(found))


if __name__ == "__main__":
    main()
