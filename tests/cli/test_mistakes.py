"""Every public mistake is answered by a sentence that names what was typed; nothing is charged."""

from pathlib import Path

import pytest

from cli_support import ACCOUNT, ACCURACY_FIRST, DENSITY, FIT, TUNE, charges, files, run
from tacit.cli.messages import in_options

MISTAKES = {
    "no budget": (FIT[:-2], "--epsilon E --delta D"),
    "two budgets": ((*FIT, "--rho", "1"), "--epsilon E --delta D"),
    "negative epsilon": ((*FIT, "--epsilon", "-1"), "--epsilon must be"),
    "epsilon of nan": ((*FIT, "--epsilon", "nan"), "--epsilon must be"),
    "delta of one": ((*FIT, "--delta", "1"), "--delta must"),
    "negative rho": ((*FIT[:-2], "--rho", "-1"), "--rho must"),
    "epsilon of words": ((*FIT, "--epsilon", "little"), "--epsilon"),
    "negative l2": ((*FIT, "--l2", "-1"), "--l2 must"),
    "radius of zero": ((*FIT, "--radius", "0"), "--radius must"),
    "unknown mechanism": ((*FIT, "--mechanism", "magic"), "--mechanism 'magic' is not known"),
    "unknown model": ((*FIT, "--model", "forest"), "'forest' is not known"),
    "unknown option": ((*FIT, "--intervalls"), "--intervalls"),
    "wrong target": ((*FIT, "--model", "ridge"), "target"),
    "no schema": ((*FIT, "--schema", "absent.yaml"), "absent.yaml"),
    "a schema that is a table": ((*FIT, "--schema", "people.csv"), "schema"),
    "a schema that is a folder": ((*FIT, "--schema", "."), "schema"),
    "functional with radius": ((*FIT, "--mechanism", "functional", "--radius", "1"), "leave"),
    "no excess risk": ((*ACCURACY_FIRST, "--excess-risk", "0"), "--excess-risk must"),
    "negative maximum": ((*ACCURACY_FIRST, "--max-epsilon", "-1"), "--max-epsilon must"),
    "too small a maximum": ((*ACCURACY_FIRST, "--max-epsilon", "0.001"), "--max-epsilon of 0.001"),
    "failure of one": ((*ACCURACY_FIRST, "--failure", "1"), "--failure must"),
    "delta of two": ((*ACCURACY_FIRST, "--delta", "2"), "--delta must"),
    "search with Gaussian noise": ((*ACCURACY_FIRST, "--max-epsilon", "0.001", "--delta", "1e-6"), "--max-epsilon"),
    "negative candidate": ((*TUNE, "--l2", "-1"), "--l2 must"),
    "negative choice": ((*TUNE, "--select-epsilon", "-1"), "--select-epsilon must"),
    "unknown method": ((*TUNE, "--method", "magic"), "--method 'magic' is not known"),
    "tuned without radius": ((*TUNE, "--method", "tuned"), "radius"),
    "no choice paid": ((*DENSITY, "--width", "5"), "--select-epsilon"),
    "nothing to choose": ((*DENSITY, "--select-epsilon", "1"), "--select-epsilon"),
    "bounds that cross": ((*DENSITY[:-5], "-5", *DENSITY[-4:]), "--low must be below high"),
    "width of zero": ((*DENSITY[:-3], "0", "--epsilon", "1"), "width must"),
    "bounds of another number": ((*DENSITY, "--low", "1"), "bounds"),
    "unknown column": ((*DENSITY, "--column", "age", "--low", "0", "--high", "1"), "no column 'age'"),
    "millions of bins": ((*DENSITY[:-3], "1e-9", "--epsilon", "1"), "bins"),
}


@pytest.mark.parametrize(("command", "message"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_explained_with_the_option_that_was_typed(
    place: Path, command: tuple[str, ...], message: str
) -> None:
    result = run(*command, *ACCOUNT)
    assert result.exit_code == 2, result.output
    assert message in result.output
    assert isinstance(result.exception, SystemExit)
    assert charges(place) == 0


def test_a_table_with_other_separators_is_recognised(place: Path) -> None:
    (place / "semicolons.csv").write_text("income;region;bought\n1;north;0\n", encoding="utf-8")
    result = run("fit", "semicolons.csv", *FIT[2:])
    assert result.exit_code == 2
    assert "separated by commas?" in result.output


def test_words_that_are_no_options_stay() -> None:
    kept = "limit Approx(epsilon=1.0, delta=1e-06): the method of max_levels and the radius; --max-epsilon must be more"
    assert in_options(kept) == kept


@pytest.mark.parametrize("names", [("--ledger", "budget.db"), ("--account", "people")])
def test_an_account_has_two_names(place: Path, names: tuple[str, str]) -> None:
    result = run(*FIT, *names)
    assert result.exit_code == 2
    assert "--ledger URL --account NAME" in result.output


@pytest.mark.parametrize(
    "arguments",
    [
        ("predict", "absent.json", "people.csv"),
        ("predict", "people.csv", "people.csv"),
        ("certificate", "absent.json"),
        ("attack", "absent.json", "people.csv", "--hidden", "region", "--outcome", "bought"),
        ("attack", "absent.json", "absent.csv", "--hidden", "region", "--outcome", "bought"),
        ("attack", "absent.json", "people.csv", "--hidden", "age", "--outcome", "bought"),
        (
            "fit",
            "people.csv",
            "--schema",
            "buyers.yaml",
            "--model",
            "logistic",
            "--epsilon",
            "1",
            *ACCOUNT[:3],
            "nobody",
        ),
        (*FIT, "--ledger", "absent.db", "--account", "people"),
        (*FIT, "--ledger", "absent/budget.db", "--account", "people"),
        (*FIT, "--ledger", "people.csv", "--account", "people"),
        ("audit", "--peer", "nobody"),
    ],
    ids=" ".join,
)
def test_what_is_not_there_is_said_and_not_made(place: Path, arguments: tuple[str, ...]) -> None:
    before = files(place)
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    assert isinstance(result.exception, SystemExit)
    assert result.output.strip()
    assert files(place) == before
