"""Draws from diffprivlib's models, run by the interpreter in which that package is installed.

Not imported by tacit: the audit starts it as a script, because diffprivlib needs older packages than tacit does. It
reads {"model", "parameters", "X", "y", "seeds", "statistic"} from standard input and writes one row of numbers per
seed to the file named by its argument. It needs only numpy and diffprivlib.
"""

import json
import sys
import warnings
from importlib import import_module
from typing import Any

import numpy as np


def coefficients(model: Any) -> Any:
    """All coefficients of a fitted model."""
    return np.ravel(model.coef_)


def contrasts(model: Any) -> Any:
    """Differences between the classes' coefficients: equal noise would cancel here."""
    return np.ravel(model.coef_[1:] - model.coef_[:1])


STATISTICS = {"coefficients": coefficients, "contrasts": contrasts}


def main() -> None:
    """One fit per seed."""
    warnings.simplefilter("ignore")
    job = json.load(sys.stdin)
    estimator = getattr(import_module("diffprivlib.models"), job["model"])
    X, y = np.array(job["X"], dtype=float), np.array(job["y"])
    parameters = {name: tuple(v) if isinstance(v, list) else v for name, v in job["parameters"].items()}
    draws = []
    for seed in job["seeds"]:
        model = estimator(**parameters, **({} if seed is None else {"random_state": seed}))
        draws.append(STATISTICS[job["statistic"]](model.fit(X, y)))
    with open(sys.argv[1], "wb") as file:  # noqa: PTH123
        np.save(file, np.array(draws))


if __name__ == "__main__":
    main()
