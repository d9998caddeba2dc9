"""Nothing is charged and then lost: what can fail for public reasons fails before the charge."""

import sys
from pathlib import Path

import pytest

import tacit
from cli_support import ACCOUNT, ACCURACY_FIRST, COMMANDS, DENSITY, FIT, TUNE, charges, files, run, shell

REPORTING = {"fit": FIT, "tune": TUNE, "accuracy-first": ACCURACY_FIRST}
DRAWING = {"accuracy-first": ACCURACY_FIRST, "density": DENSITY}


def refused(place: Path, *arguments: str) -> str:
    """What a command that must be refused says; neither a charge nor a file is left behind."""
    before = files(place)
    result = run(*arguments, *ACCOUNT)
    assert result.exit_code == 2, result.output
    assert isinstance(result.exception, SystemExit)
    assert charges(place) == 0
    assert files(place) == before
    return result.output


@pytest.mark.parametrize(
    ("command", "option"),
    [
        *((command, "--out") for command in COMMANDS.values()),
        *((command, "--report") for command in REPORTING.values()),
        *((command, "--plot") for command in DRAWING.values()),
    ],
    ids=lambda value: value if isinstance(value, str) else value[0],
)
@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("absent/file.png", "there is no folder"),
        ("people.csv/file.png", "there is no folder"),
        (".", "is a folder"),
        ("people.csv", "is what the command reads"),
        ("long" * 100 + ".png", "cannot be written"),
    ],
    ids=["no folder", "no folder but a file", "a folder", "the table", "too long"],
)
def test_a_file_that_cannot_be_written_is_refused_before_the_charge(
    place: Path, command: tuple[str, ...], option: str, path: str, message: str
) -> None:
    shown = refused(place, *command, option, path)
    assert message in shown
    assert option in shown


def test_files_that_are_already_there_are_kept_until_there_is_something_better(place: Path) -> None:
    (place / "model.json").write_text("old", encoding="utf-8")
    refused(place, *FIT, "--mechanism", "magic", "--out", "model.json")
    assert (place / "model.json").read_text(encoding="utf-8") == "old"
    assert run(*FIT, *ACCOUNT, "--out", "model.json").exit_code == 0
    assert tacit.load(place / "model.json").certificate_.private


def test_two_outputs_do_not_share_a_file(place: Path) -> None:
    assert "--out and --report" in refused(place, *FIT, "--out", "same", "--report", "./same")


@pytest.mark.parametrize("command", DRAWING.values(), ids=DRAWING)
def test_a_picture_that_cannot_be_drawn_is_refused_before_the_charge(
    place: Path, command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "png" in refused(place, *command, "--plot", "picture.txt")
    assert "png" in refused(place, *command, "--plot", "picture")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert "tacit-dp[plots]" in refused(place, *command, "--plot", "picture.png")


def test_a_density_that_has_no_picture_is_refused_before_the_charge(place: Path) -> None:
    more = ("--column", "saved", "--low", "-1", "--high", "1", "--column", "bought", "--low", "0", "--high", "1")
    assert "one or two" in refused(place, *DENSITY, *more, "--plot", "picture.png")


@pytest.mark.parametrize(
    ("name", "content"), [("table.parquet", b"income\n1\n"), ("table.txt", b"income\n1\n"), ("table.csv", b"")]
)
def test_a_table_that_is_not_what_its_name_says_is_refused_before_the_charge(
    place: Path, name: str, content: bytes
) -> None:
    (place / name).write_bytes(content)
    for command in COMMANDS.values():
        assert name in refused(place, command[0], name, *command[2:])


@pytest.mark.parametrize("command", REPORTING.values(), ids=REPORTING)
def test_a_broken_pipe_loses_no_file(place: Path, command: tuple[str, ...]) -> None:
    files = "--out model.json --report report.html"
    done = shell(
        place, f"tacit {' '.join([*command, *ACCOUNT])} {files} | head -1; tacit ledger show budget.db | head -1"
    )
    assert "Traceback" not in done.stderr
    assert charges(place) == 1
    assert "Privacy certificate" in (place / "report.html").read_text(encoding="utf-8")
    assert tacit.load(place / "model.json").certificate_.private


def test_a_terminal_that_knows_no_greek_loses_nothing(place: Path) -> None:
    done = shell(place, f"PYTHONIOENCODING=ascii tacit {' '.join([*FIT, *ACCOUNT])}")
    assert done.returncode == 0, done.stderr
    assert "Privacy certificate" in done.stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full to write to")
def test_a_disk_that_fills_up_loses_no_certificate_and_says_where_the_model_is(place: Path) -> None:
    done = shell(place, f"tacit {' '.join([*FIT, *ACCOUNT])} --out /dev/full --report report.html")
    assert done.returncode == 1
    assert "Privacy certificate" in done.stdout
    assert "/dev/full could not be written" in done.stderr
    assert "tacit ledger fetch" in done.stderr
    assert "Privacy certificate" in (place / "report.html").read_text(encoding="utf-8")
