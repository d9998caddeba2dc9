"""The tables of docs/penalised-intervals.md, from the full table: `python -m benchmarks.coverage.summary`."""

from __future__ import annotations

import pandas as pd

from benchmarks.parts import FULL

CLASSIFIERS = ["loss", "currency", "rows"]
HEADINGS = {
    "d": "columns",
    "currency": "promise",
    "held_out": "held out",
    "epsilon": "ε",
    "worst": "worst coefficient",
    "published_length": "published length",
    "over_variability": "length ÷ spread",
    "average": "least average",
    "single": "least single",
    "median": "length ÷ spread, median",
    "largest": "largest",
}


def main() -> None:
    """Print every table in Markdown."""
    frame = pd.read_csv(FULL / "intervals.csv").dropna(subset=["coverage", "over_variability"])
    frame = frame.astype({"held_out": bool, "default_l2": bool, "covered": bool})
    frame["rows"] = frame["n"].map({2000: "2,000", 5000: "5,000"}).fillna("all")
    simulated = frame[(frame["engine"] == "simulated") & ~frame["default_l2"]]
    grid = simulated[simulated["mechanism"].eq("objective") & simulated["currency"].isin(["pure", "zCDP"])]
    other = simulated[~simulated.index.isin(grid.index)]
    ridge = frame[(frame["loss"] == "squared") & (frame["engine"] == "simulated")]
    tables = {
        "published setting": _published(frame),
        "tables that chose the constants": _worst(grid[~grid["held_out"]], CLASSIFIERS),
        "held-out tables": _worst(grid[grid["held_out"]], CLASSIFIERS),
        "other mechanisms": _worst(other, ["loss", "mechanism", "currency", "rows"]),
        "the library's own l2": _worst(frame[frame["default_l2"] & (frame["loss"] != "squared")], CLASSIFIERS),
        "regression": _worst(ridge, ["held_out", "currency"]),
        "the library itself": _worst(frame[frame["engine"] == "library"], ["loss", "currency"]),
        "missed": frame.loc[~frame["covered"], ["data", "d", "n", "loss", "mechanism", "currency"]],
    }
    for title, table in tables.items():
        print(f"\n{title}\n\n{_markdown(table)}")


def _published(frame: pd.DataFrame) -> pd.DataFrame:
    """Adult, all rows, ε = 1, beside the published recipe."""
    cells = frame[frame["length_mark"].notna()].sort_values(["currency", "d"])
    return cells[["d", "currency", "coverage", "worst", "length", "published_length", "over_variability"]]


def _worst(cells: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Each line is the worst of its cells."""
    groups = cells.groupby(by, sort=False)
    return groups.agg(
        cells=("coverage", "size"),
        average=("coverage", "min"),
        single=("worst", "min"),
        median=("over_variability", "median"),
        largest=("over_variability", "max"),
    ).reset_index()


def _markdown(table: pd.DataFrame) -> str:
    headings = [HEADINGS.get(name, name) for name in table.columns]
    lines = [headings, ["---"] * table.shape[1], *table.itertuples(index=False)]
    return "\n".join("| " + " | ".join(_cell(value) for value in line) + " |" for line in lines)


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


if __name__ == "__main__":
    main()
