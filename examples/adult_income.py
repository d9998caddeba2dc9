"""Income classes of the 1994 census at several privacy budgets, with the schema in a file beside this one.

Run with:  TACIT_DATA=directory python adult_income.py
(reads adult/adult_train.parquet and adult_test.parquet there; without TACIT_DATA scikit-learn fetches the table)
"""

import os
from pathlib import Path

import pandas as pd
from sklearn.datasets import fetch_openml

from tacit import Approx, PrivateLogisticRegression, Pure, Schema

CENSUS = Schema.load(Path(__file__).with_name("adult.yaml"))


def persons() -> pd.DataFrame:
    """The rows without gaps; the published test part writes a full stop after the class."""
    if folder := os.environ.get("TACIT_DATA"):
        parts = [pd.read_parquet(Path(folder, "adult", f"adult_{part}.parquet")) for part in ("train", "test")]
        rows = pd.concat(parts, ignore_index=True)
    else:
        rows = fetch_openml("adult", version=2, as_frame=True, parser="auto").frame.rename(columns={"class": "income"})
    return rows.dropna().assign(income=lambda table: table["income"].astype(str).str.rstrip("."))


def main() -> None:
    try:
        rows = persons().sample(frac=1, random_state=7)
    except OSError as reason:
        print(f"left out: {reason}")
        return
    train, test = rows[: len(rows) * 4 // 5], rows[len(rows) * 4 // 5 :]
    print(f"{len(train):,} persons to learn from, {len(test):,} to test on")
    for budget in (Pure(0.1), Pure(1.0), Approx(0.1, 1e-6), Approx(1.0, 1e-6)):
        model = PrivateLogisticRegression(privacy=budget, domain=CENSUS).fit(train)
        print(f"{budget!s:22} test accuracy {model.score(test, test['income']):.3f}")
    print()
    print(model.certificate_)


if __name__ == "__main__":
    main()
