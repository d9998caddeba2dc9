"""The commands that fit, predict and account: what they print, write and refuse."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

import tacit
from cli_support import run
from tacit.cli.tables import read_table


def test_fit_predict_and_certificate(place: Path) -> None:
    fitted = run(
        *("fit", "people.csv", "--schema", "buyers.yaml", "--model", "logistic", "--epsilon", "5", "--intervals"),
        *("--out", "model.json", "--report", "report.html"),
    )
    assert fitted.exit_code == 0, fitted.output
    for words in ("income", "95 % lower", "Privacy certificate", "ε = 5", "no account was charged"):
        assert words in fitted.output
    page = (place / "report.html").read_text(encoding="utf-8")
    assert "Privacy certificate" in page
    assert "buyers: a private model" in page
    assert run("predict", "model.json", "people.csv", "--out", "said.csv").exit_code == 0
    said = pd.read_csv(place / "said.csv")
    truth = pd.read_csv(place / "people.csv")["bought"]
    assert list(said) == ["prediction", "probability of 0", "probability of 1"]
    assert (said["prediction"] == truth).mean() > 0.8
    assert "prediction" in run("predict", "model.json", "people.csv").output
    assert "ε = 5" in run("certificate", "model.json").output
    assert run("certificate", "model.json", "--html", "sheet.html").exit_code == 0
    assert "ε = 5" in (place / "sheet.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("model", ["huber", "poisson"])
def test_every_model_that_is_registered_can_be_fitted(place: Path, model: str) -> None:
    declared = yaml.safe_load((place / "savings.yaml").read_text(encoding="utf-8"))
    declared["target"] |= {"min": 0}
    (place / "counts.yaml").write_text(yaml.safe_dump(declared), encoding="utf-8")
    fitted = run("fit", "people.csv", "--schema", "counts.yaml", "--model", model, "--epsilon", "1", "--out", "m.json")
    assert fitted.exit_code == 0, fitted.output
    assert run("predict", "m.json", "people.csv").exit_code == 0


def test_what_was_asked_for_heads_certificate_and_report(place: Path) -> None:
    """Intervals of a regression are paid in zCDP; whoever asks for (ε, δ) reads ε and δ first."""
    ask = ("fit", "people.csv", "--schema", "savings.yaml", "--model", "ridge", "--epsilon", "1", "--delta", "1e-6")
    shown = run(*ask, "--intervals", "--report", "report.html")
    assert shown.exit_code == 0, shown.output
    guarantee = next(line for line in shown.output.splitlines() if line.startswith("Guarantee"))
    assert guarantee.split(maxsplit=1)[1] == "ε = 1, δ = 1e-06"
    page = (place / "report.html").read_text(encoding="utf-8")
    assert "ρ = " not in page.partition("Guarantee")[0]
    assert page.partition("Guarantee")[2].index("ε = 1, δ = 1e-06") < page.partition("Guarantee")[2].index("ρ = ")


def test_the_report_shows_names_as_text(place: Path) -> None:
    declared = yaml.safe_load((place / "buyers.yaml").read_text(encoding="utf-8"))
    declared["features"]["<b>income</b>"] = declared["features"].pop("income")
    (place / "odd.yaml").write_text(yaml.safe_dump(declared), encoding="utf-8")
    table = pd.read_csv(place / "people.csv").rename(columns={"income": "<b>income</b>"})
    table.to_parquet(place / "odd.parquet")
    fitted = run("fit", "odd.parquet", "--schema", "odd.yaml", "--model", "svm", "--rho", "1", "--report", "odd.html")
    assert fitted.exit_code == 0, fitted.output
    assert "&lt;b&gt;income" in (place / "odd.html").read_text(encoding="utf-8")


def test_accuracy_first_pays_for_what_it_finds(place: Path) -> None:
    ask = ("accuracy-first", "people.csv", "--schema", "savings.yaml", "--model", "ridge", "--radius", "2")
    found = run(*ask, "--excess-risk", "0.1", "--max-epsilon", "50", "--out", "model.json", "--plot", "levels.png")
    assert found.exit_code == 0, found.output
    assert "paid: ε = " in found.output
    assert "ex post" in str(tacit.load(place / "model.json").certificate_)
    assert (place / "levels.png").stat().st_size > 0
    refused = run(*ask, "--excess-risk", "0.0001", "--max-epsilon", "0.01")
    assert refused.exit_code == 2
    assert "--max-epsilon of 0.01" in refused.output


def test_tune_chooses_among_the_candidates(place: Path) -> None:
    search = ("tune", "people.csv", "--schema", "buyers.yaml", "--model", "logistic", "--l2", "0.01", "--l2", "0.1")
    tuned = run(*search, "--epsilon", "1", "--select-epsilon", "0.5", "--out", "model.json")
    assert tuned.exit_code == 0, tuned.output
    assert "chosen: l2 = 0." in tuned.output
    assert json.loads((place / "model.json").read_text())["certificate"]["guarantee"]["epsilon"] == 1.5


def test_density_of_one_and_of_two_columns(place: Path) -> None:
    income = ("density", "people.csv", "--column", "income", "--low", "0", "--high", "100")
    one = run(
        *income, "--width", "10", "--width", "25", "--epsilon", "1", "--select-epsilon", "0.5", "--out", "bins.csv"
    )
    assert one.exit_code == 0, one.output
    assert "ε = 1.5" in one.output
    bins = pd.read_csv(place / "bins.csv")
    assert bins["count"].sum() == pytest.approx(3000)
    assert bins["income to"].max() == 100
    savings = ("--column", "saved", "--low", "-1", "--high", "1")
    two = run(*income, *savings, "--width", "1", "--epsilon", "1", "--plot", "map.png")
    assert two.exit_code == 0, two.output
    assert "saved from" in two.output
    assert (place / "map.png").stat().st_size > 0
    absent = run(
        "density", "people.csv", "--column", "age", "--low", "0", "--high", "1", "--width", "1", "--epsilon", "1"
    )
    assert absent.exit_code == 2
    assert "no column 'age'" in absent.output


def test_an_account_is_charged_until_it_is_empty(place: Path) -> None:
    assert "ε = 2" in run("ledger", "open", "pool.db", "people", "--epsilon", "2").output
    fit = ("fit", "people.csv", "--schema", "buyers.yaml", "--model", "logistic", "--epsilon", "1.5")
    account = ("--ledger", "pool.db", "--account", "people")
    assert "account 'people'" in run(*fit, *account).output
    refused = run(*fit, *account)
    assert refused.exit_code == 4
    assert "nothing was released" in refused.output
    assert "ε = 0.5" in run("ledger", "show", "pool.db").output
    assert "PrivateLogisticRegression" in run("ledger", "history", "pool.db", "people").output
    assert "whole" in run("ledger", "verify", "pool.db").output
    assert run(*fit, "--ledger", "pool.db").exit_code == 2
    assert "no ledger at other.db" in run("ledger", "show", "other.db").output
    assert not (place / "other.db").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "--epsilon E"),
        (("--epsilon", "1", "--rho", "1"), "--epsilon E"),
        (("--epsilon", "-1"), "epsilon must be"),
        (("--epsilon", "1", "--mechanism", "magic"), "mechanism"),
    ],
)
def test_what_cannot_be_done_is_explained(place: Path, arguments: tuple[str, ...], message: str) -> None:
    result = run("fit", "people.csv", "--schema", "buyers.yaml", "--model", "logistic", *arguments)
    assert result.exit_code == 2
    assert message in result.output
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("absent.csv", None, "no file"),
        ("empty.csv", "", "is empty"),
        ("blank.csv", "\n1,2\n", "is empty"),
        ("table.txt", "a\n1\n", ".csv or .parquet"),
        ("lines.parquet", "income,region\n1,north\n", "cannot be read as Parquet"),
        ("empty.parquet", "", "cannot be read as Parquet"),
        ("twice.csv", "income,income\n1,2\n", "more than once"),
        ("other.csv", "\x1b[31mincome,region\n1,2\n", r"no column 'income'; it has '\x1b[31mincome', 'region'"),
    ],
)
def test_files_that_are_no_tables(place: Path, name: str, content: str | None, message: str) -> None:
    if content is not None:
        (place / name).write_text(content, encoding="utf-8")
    result = run("fit", name, "--schema", "buyers.yaml", "--model", "logistic", "--epsilon", "1")
    assert result.exit_code == 2
    assert message in result.output


def check_rows_are_read_alone(read, folder: Path) -> None:
    """The rows beside an odd one are the same cells, whatever that one holds."""
    odd_lines = ["9", "x,y,z,more", '"long ' + "q" * 200_000 + '",1', "�,", "nan,inf", "1e999,01"]
    seen = []
    for number, odd in enumerate(["5,6", *odd_lines]):
        path = folder / f"{number}.csv"
        path.write_text(f"first,second\n1,2\n{odd}\n3,\n", encoding="utf-8")
        table = read(path)
        assert len(table) == 3
        seen.append([[(type(cell), str(cell)) for cell in table.iloc[row]] for row in (0, 2)])
    assert all(cells == seen[0] for cells in seen)


@pytest.mark.proof("row-local-encoding")
def test_a_row_of_a_file_is_read_from_itself_alone(tmp_path: Path) -> None:
    check_rows_are_read_alone(read_table, tmp_path)
    with pytest.raises((AssertionError, pd.errors.ParserError)):
        check_rows_are_read_alone(pd.read_csv, tmp_path)


@pytest.mark.proof("row-local-encoding")
def test_a_blank_line_is_a_row(tmp_path: Path) -> None:
    """Were it dropped, the number of rows, which is public, would tell whether a row is blank."""
    (tmp_path / "one.csv").write_text("only\n1\n\n3\n", encoding="utf-8")
    assert read_table(tmp_path / "one.csv")["only"].tolist() == ["1", "", "3"]
    for end in ("", "\n"):
        for row in ("5,6", "", " ", ",", '""'):
            (tmp_path / "two.csv").write_text(f"first,second\n1,2\n{row}\n3,4{end}", encoding="utf-8")
            table = read_table(tmp_path / "two.csv", ["second", "first"])
            assert table.iloc[[0, 2]].to_numpy().tolist() == [["2", "1"], ["4", "3"]]
    (tmp_path / "two.csv").write_text("first,second\n1,2\n\n", encoding="utf-8")
    assert read_table(tmp_path / "two.csv").to_numpy().tolist() == [["1", "2"], ["", ""]]


def parquet(path: Path, region: bytes, stray: int) -> None:
    """Two hundred people; the last lives in `region` and has a date that no calendar knows."""
    regions = pa.array([b"north", b"south"] * 99 + [b"north", region])
    days = pa.Array.from_buffers(pa.date32(), 200, [None, pa.py_buffer(np.full(200, stray, dtype=np.int32))])
    text = pa.Array.from_buffers(pa.string(), 200, regions.buffers())
    people = {"income": np.linspace(0, 100, 200), "region": text, "bought": [0, 1] * 100, "born": days, "note": text}
    pq.write_table(pa.table({**people, "kind": text.dictionary_encode()}), path)


@pytest.mark.proof("row-local-encoding")
def test_no_cell_of_a_parquet_file_is_seen(place: Path) -> None:
    for name, region, stray in (("usual", b"south", 0), ("odd", b"M\xfcnchen", 2**31 - 1)):
        parquet(place / f"{name}.parquet", region, stray)
        ask = (f"{name}.parquet", "--schema", "buyers.yaml", "--model", "logistic", "--epsilon", "1")
        fitted = run("fit", *ask, "--out", "model.json")
        assert fitted.exit_code == 0, fitted.output
        tuned = run("tune", *ask, "--l2", "0.1", "--l2", "1", "--select-epsilon", "1")
        assert tuned.exit_code == 0, tuned.output
        predicted = run("predict", "model.json", f"{name}.parquet")
        assert predicted.exit_code == 0, predicted.output
        counted = ("--column", "income", "--low", "0", "--high", "100", "--width", "50", "--epsilon", "1")
        density = run("density", f"{name}.parquet", *counted)
        assert density.exit_code == 0, density.output
