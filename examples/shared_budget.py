"""Several analysts, one data set, one privacy budget: a ledger pays for every fit and refuses what does not fit.

Run with:  python examples/shared_budget.py
"""

import tempfile
from pathlib import Path

import numpy as np

import tacit
from tacit import Approx, Domain, Ledger, PrivateLinearSVC, PrivateLogisticRegression, PrivateRidge
from tacit.errors import BudgetExceeded


def measurements(n: int = 5_000) -> tuple[np.ndarray, np.ndarray]:
    """Made-up measurements of n patients: five numbers each, and a blood value."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 5))
    return X, X @ [0.5, -0.3, 0.0, 0.2, 0.1] + 0.3 * rng.normal(size=n)


def main() -> None:
    X, blood = measurements()
    high = np.where(blood > 0, "high", "normal")
    # Public: a patient's five numbers have a norm of at most 4; the blood value is between −3 and 3.
    values, labels = Domain(radius=4.0, target=(-3, 3)), Domain(radius=4.0, classes=("normal", "high"))

    with tempfile.TemporaryDirectory() as directory:
        account = Ledger(Path(directory) / "budget.db").open("patients", limit=Approx(2.0, 1e-6))

        ridge = PrivateRidge(privacy=Approx(0.5, 1e-7), domain=values, ledger=account).fit(X, blood)
        logistic = PrivateLogisticRegression(privacy=1.0, domain=labels, ledger=account).fit(X, high)
        print(f"R² {ridge.score(X, blood):.2f}, accuracy {logistic.score(X, high):.2f} (on the same rows: not private)")
        print(f"spent {account.spent}, remaining {account.remaining}")

        try:
            PrivateLinearSVC(privacy=1.0, domain=labels, ledger=account).fit(X, high)
        except BudgetExceeded as refusal:
            print(f"refused before any row was read: {refusal}")

        model = Path(directory) / "model.json"
        logistic.save(model)
        print(tacit.load(model).certificate_)


if __name__ == "__main__":
    main()
