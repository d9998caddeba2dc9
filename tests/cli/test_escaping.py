"""Names of accounts, columns and labels are data: they give no orders to terminals, spreadsheets and browsers."""

import csv
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cli_support import DENSITY, run
from tacit import Domain, Ledger, PrivateRidge, Schema
from tacit.escaping import for_spreadsheets, printable

ORDERS = ("\x1b[31mred\x1b[0m", "\x1b]8;;http://example.org\x07link", "a\rb", "\x9b2J", "‮desrever", "line\nbreak")
FORMULAS = ("=1+cmd|x", "+1+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1", "＝1+1")
MARKUP = "[/x][link=http://example.org]clinic[/link][bold]"


def is_plain(text: str) -> bool:
    return all(character.isprintable() or character == "\n" for character in text)


@pytest.mark.parametrize("name", ORDERS)
def test_orders_to_a_terminal_are_shown_and_not_obeyed(name: str) -> None:
    assert printable(name).isprintable()
    assert printable(name) != printable(name[1:])
    assert printable("Größe in €, 5 %") == "Größe in €, 5 %"


@pytest.mark.parametrize("name", FORMULAS)
def test_formulas_are_text(name: str) -> None:
    assert for_spreadsheets(name).startswith("'")
    assert for_spreadsheets(name).endswith(name)


@pytest.mark.parametrize("value", ["north", "", "-1", "+2.5e3", "a=b", 3, -2.5, None, True])
def test_what_is_no_formula_stays(value: object) -> None:
    assert for_spreadsheets(value) is value


@pytest.mark.parametrize("name", [*ORDERS, MARKUP])
def test_summaries_and_certificates_show_names_as_they_are(name: str) -> None:
    features = {name: {"type": "number", "min": 0, "max": 1}}
    target = {"name": "y", "type": "real", "min": 0, "max": 1}
    schema = Schema.from_dict({"name": name, "unit": name, "features": features, "target": target})
    model = PrivateRidge(domain=schema).fit(pd.DataFrame({name: np.ones(50), "y": np.ones(50)}))
    for shown in (str(model.summary()), str(model.certificate_)):
        assert is_plain(shown)
    assert printable(name) in str(model.summary())
    html = model.summary().to_html() + model.certificate_.to_html()
    assert is_plain(html)


def declared(place: Path, column: str, label: str) -> None:
    """A table and its schema with a column and a label of odd names."""
    table = pd.DataFrame({column: np.linspace(0, 1, 300), "said": [label, "no"] * 150})
    table.to_csv(place / "odd.csv", index=False, quoting=csv.QUOTE_NONNUMERIC)
    schema = {
        "name": "odd",
        "features": {column: {"type": "number", "min": 0, "max": 1}},
        "target": {"name": "said", "type": "binary", "positive": label, "negative": "no"},
    }
    (place / "odd.json").write_text(json.dumps(schema), encoding="utf-8")


@pytest.mark.parametrize("name", [*ORDERS[:2], MARKUP, "<script>alert(1)</script>"])
def test_every_command_shows_names_as_they_are(place: Path, name: str) -> None:
    declared(place, name, "label " + name)
    fitted = run(
        *("fit", "odd.csv", "--schema", "odd.json", "--model", "logistic", "--epsilon", "1"),
        *("--out", "odd-model.json", "--report", "odd.html"),
    )
    assert fitted.exit_code == 0, fitted.output
    bins = run("density", "odd.csv", "--column", name, "--low", "0", "--high", "1", "--width", "0.5", "--epsilon", "1")
    absent = run("density", "odd.csv", "--column", "no" + name, "--low", "0", "--high", "1", *DENSITY[-4:])
    attacked = run("attack", "odd-model.json", "odd.csv", "--hidden", name, "--outcome", "said")
    for result in (fitted, bins, run("certificate", "odd-model.json")):
        assert result.exit_code == 0, result.output
        assert is_plain(result.output)
    for result in (absent, attacked):
        assert is_plain(result.output)
        assert not isinstance(result.exception, Exception) or isinstance(result.exception, SystemExit)
    page = (place / "odd.html").read_text(encoding="utf-8")
    assert "<script>" not in page
    assert "\x1b" not in page


@pytest.mark.parametrize("name", FORMULAS)
def test_no_cell_of_a_written_table_is_a_formula(place: Path, name: str) -> None:
    declared(place, "x", name)
    fitted = run(
        "fit", "odd.csv", "--schema", "odd.json", "--model", "svm", "--epsilon", "9", "--out", "odd-model.json"
    )
    assert fitted.exit_code == 0, fitted.output
    assert run("predict", "odd-model.json", "odd.csv", "--out", "said.csv").exit_code == 0
    with (place / "said.csv").open(encoding="utf-8", newline="") as file:
        cells = {cell for line in csv.reader(file) for cell in line}
    assert not {cell for cell in cells if cell[:1] in set("=+@\t\r＝") or (cell[:1] == "-" and cell != "-1")}
    declared(place, name, "yes")
    command = ("density", "odd.csv", "--column", name, "--low", "0", "--high", "1", "--width", "0.5", "--epsilon", "1")
    assert run(*command, "--out", "bins.csv").exit_code == 0
    with (place / "bins.csv").open(encoding="utf-8", newline="") as file:
        assert next(csv.reader(file))[0].startswith("'")


def test_the_ledger_shows_names_as_they_are(place: Path) -> None:
    account = Ledger(place / "odd.db").open(MARKUP, limit=9.0)
    PrivateRidge(ledger=account.keyed(MARKUP), domain=Domain()).fit(np.ones((9, 2)), np.ones(9))
    opened = ("open", "odd.db", "more" + MARKUP, "--epsilon", "1")
    for command in (("show", "odd.db"), ("history", "odd.db", MARKUP), opened):
        result = run("ledger", *command)
        assert result.exit_code == 0, result.output
        assert MARKUP in result.output
    refused = run("ledger", "open", "odd.db", ORDERS[0], "--epsilon", "1")
    assert refused.exit_code == 2
    assert is_plain(refused.output)


def test_a_terminal_gets_predictions_without_orders() -> None:
    """Standard output that is a file or a pipe gets the labels as they are; a terminal is asked for by a script."""
    code = (
        "import sys, pandas as pd; sys.stdout.isatty = lambda: True; from tacit.cli.outputs import write_table; "
        "write_table(pd.DataFrame({'prediction': ['\\x1b[31mred']}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout
    assert "red" in done.stdout
