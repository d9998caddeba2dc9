"""Income classes of the 1994 census at several privacy budgets, with the schema kept in a file.

Run with:  TACIT_DATA=directory python examples/adult_income.py
(without TACIT_DATA the table is fetched by scikit-learn)
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks import data
from tacit import Approx, PrivateLogisticRegression, Pure


def main() -> None:
    try:
        census = data.load("adult")
    except data.Missing as reason:
        print(f"left out: {reason}")
        return
    train, test = census.split()
    print(f"{len(train):,} persons to learn from, {len(test):,} to test on")
    for budget in (Pure(0.1), Pure(1.0), Approx(0.1, 1e-6), Approx(1.0, 1e-6)):
        model = PrivateLogisticRegression(privacy=budget, domain=census.schema).fit(train)
        print(f"{budget!s:22} test accuracy {model.score(test, test['income']):.3f}")
    print()
    print(model.certificate_)


if __name__ == "__main__":
    main()
