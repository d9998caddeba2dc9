"""No cell is looked at before the charge is stored: every estimator, tables and files of every kind.

Two proofs. Recording tables note every look at a cell: a fit that the account refuses makes none, one that it pays for
makes its first after the charge. And cells that are written at the moment of the charge: the fit is then the fit of
those cells, bit for bit, whatever stood in their place before.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from typer.testing import CliRunner

from estimators_support import EVERY, Fitted, people, schema
from tacit import Domain, Ledger, Pure
from tacit.cli import app, tables
from tacit.errors import BudgetExceeded
from tacit.ledger import Account
from tacit.rows import columns

N = 60
MUCH, LITTLE = Pure(1000.0), Pure(1e-3)
LOOKS: list[str] = []
"""What happened, in order: looks at cells, and the charge."""


def look(*_: Any) -> None:
    LOOKS.append("look")


class Foreign:
    """Tells its shape and type; whoever turns it into an array looks at its cells."""

    def __init__(self, cells: np.ndarray) -> None:
        self._cells = cells
        self.shape, self.ndim, self.dtype = cells.shape, cells.ndim, cells.dtype

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        look()
        return self._cells.astype(dtype or self.dtype)

    def __len__(self) -> int:
        return len(self._cells)

    def __getitem__(self, place: Any) -> Any:
        look()
        return self._cells[place]


class Row(list[Any]):
    """A list that notes when Python hands out its cells; numpy takes those of nested lists unnoted."""

    def __iter__(self) -> Iterator[Any]:
        look()
        return super().__iter__()

    def __getitem__(self, place: Any) -> Any:
        look()
        return super().__getitem__(place)


def noted(name: str) -> property:
    def get(matrix: Any) -> Any:
        look()
        return matrix.__dict__[name]

    return property(get, lambda matrix, value: matrix.__dict__.__setitem__(name, value))


class NotedSparse(scipy.sparse.csr_array):
    """A sparse matrix that notes when the places of its cells are asked for, without which no cell can be read."""

    indices, indptr = noted("indices"), noted("indptr")


def noted_sparse(X: np.ndarray) -> Any:
    matrix = scipy.sparse.csr_array(X)
    matrix.__class__ = NotedSparse
    return matrix


def declared(target: str) -> Domain:
    classes = {"binary": ("no", "yes"), "classes": ("no", "maybe", "yes")}.get(target)
    return Domain("linf", 100.0, (0.0 if target == "count" else -3.0, 7.0), classes)


def numbers(case: Fitted) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    X = rng.uniform(0, 100, (N, 1 if case.name == "histogram" else 3))
    return X, people(N, case.target)["rich"].to_numpy()


def as_lists(X: np.ndarray, y: np.ndarray) -> tuple[Any, Any]:
    return [Row(row) for row in X.tolist()], Row(y.tolist())


MATRICES: dict[str, Callable[[np.ndarray, np.ndarray], tuple[Any, Any]]] = {
    "array": lambda X, y: (Foreign(X), Foreign(y)),
    "lists": as_lists,
    "sparse": lambda X, y: (noted_sparse(X), Foreign(y)),
}
FRAMES: dict[str, Callable[[pd.DataFrame], Any]] = {
    "pandas": lambda frame: frame,
    "polars": lambda frame: pl.from_pandas(frame.infer_objects()),
    "pyarrow": lambda frame: pa.Table.from_pandas(frame.infer_objects()),
}


def pairs(doors: Any, no_histogram: tuple[str, ...]) -> list[tuple[str, Fitted]]:
    """Doors and estimators; a histogram takes no sparse matrix and has no y whose reading a list could note."""
    return [(d, case) for d in doors for case in EVERY if not (case.name == "histogram" and d in no_histogram)]


@pytest.fixture
def account(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Pure], Account]:
    """An account whose stored charges are noted."""
    reserve = Account.reserve

    def noting(self: Account, *arguments: Any, **options: Any) -> Any:
        reservation = reserve(self, *arguments, **options)
        LOOKS.append("charge")
        return reservation

    monkeypatch.setattr(Account, "reserve", noting)
    LOOKS.clear()
    ledger = Ledger(tmp_path / "budget.db")
    return lambda limit: ledger.open(str(limit), limit=limit)


def note_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Columns of frames note when they are opened; so do the libraries' own ways to hand out cells."""
    plain = columns.Column

    def noting(name: str, n: int, cells: Callable[[], Any]) -> Any:
        return plain(name, n, lambda: (look(), cells())[1])

    for room in ("pandas_columns", "polars_columns", "arrow_columns"):
        monkeypatch.setattr(f"tacit.rows.{room}.Column", noting)
    handing_out = ("to_numpy", "__array__", "__iter__", "tolist", "to_list", "cast")
    for owner in (pd.Series, pd.DataFrame, pl.Series, pl.DataFrame):
        for name in handing_out:
            if name in dir(owner):
                method = getattr(owner, name)
                monkeypatch.setattr(owner, name, lambda *a, _m=method, **o: (look(), _m(*a, **o))[1])


def check_order() -> None:
    assert LOOKS[0] == "charge"
    assert "look" in LOOKS


@pytest.mark.filterwarnings("ignore:at this budget the noise of a selection:UserWarning")
@pytest.mark.parametrize(("door", "case"), pairs(MATRICES, no_histogram=("sparse", "lists")), ids=str)
def test_matrices(door: str, case: Fitted, account: Callable[[Pure], Account]) -> None:
    X, y = MATRICES[door](*numbers(case))
    with pytest.raises(BudgetExceeded):
        case.make(declared(case.target), ledger=account(LITTLE)).fit(X, y)
    assert LOOKS == []
    case.make(declared(case.target), ledger=account(MUCH)).fit(X, y)
    check_order()


@pytest.mark.filterwarnings("ignore:at this budget the noise of a selection:UserWarning")
@pytest.mark.parametrize("case", EVERY, ids=str)
@pytest.mark.parametrize("door", FRAMES)
def test_frames(door: str, case: Fitted, account: Callable[[Pure], Account], monkeypatch: pytest.MonkeyPatch) -> None:
    table = FRAMES[door](case.table())
    note_columns(monkeypatch)
    with pytest.raises(BudgetExceeded):
        case.make(schema(case.target), ledger=account(LITTLE)).fit(table)
    assert LOOKS == []
    case.make(schema(case.target), ledger=account(MUCH)).fit(table)
    check_order()


def late_array(X: np.ndarray) -> tuple[Any, Callable[[], None]]:
    memory = np.full_like(X, np.nan)
    return memory, lambda: memory.__setitem__(slice(None), X)


def late_lists(X: np.ndarray) -> tuple[Any, Callable[[], None]]:
    rows = [[None] * X.shape[1] for _ in X]
    return rows, lambda: [rows[i].__setitem__(slice(None), row) for i, row in enumerate(X.tolist())] and None


def late_sparse(X: np.ndarray) -> tuple[Any, Callable[[], None]]:
    matrix = scipy.sparse.csr_array(X)
    full, matrix.data = matrix.data, np.full_like(matrix.data, 1e9)
    return matrix, lambda: matrix.data.__setitem__(slice(None), full)


def late_pandas(X: np.ndarray) -> tuple[Any, Callable[[], None]]:
    frame = pd.DataFrame(np.full_like(X, np.nan))
    return frame, lambda: frame.iloc.__setitem__((slice(None), slice(None)), X)


def late_arrow(X: np.ndarray) -> tuple[Any, Callable[[], None]]:
    memory = np.full(X.shape[::-1], np.nan)
    arrays = [pa.Array.from_buffers(pa.float64(), len(X), [None, pa.py_buffer(column)]) for column in memory]
    return pa.table(arrays, [f"x{j}" for j in range(len(arrays))]), lambda: memory.__setitem__(slice(None), X.T)


LATE = {"array": late_array, "lists": late_lists, "sparse": late_sparse, "pandas": late_pandas, "pyarrow": late_arrow}


@pytest.mark.filterwarnings("ignore:at this budget the noise of a selection:UserWarning")
@pytest.mark.parametrize(("door", "case"), pairs(LATE, no_histogram=("sparse",)), ids=str)
def test_cells_that_are_written_with_the_charge(
    door: str, case: Fitted, account: Callable[[Pure], Account], monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = numbers(case)
    late, write = LATE[door](X)
    once = LATE[door](X)
    once[1]()  # the same table with its cells in it from the start
    expected = case.make(declared(case.target), random_state=7).fit(once[0], y)
    late_y = np.full(N, None, dtype=object)
    noting = Account.reserve

    def writing(self: Account, *arguments: Any, **options: Any) -> Any:
        reservation = noting(self, *arguments, **options)
        write()
        late_y[:] = y
        return reservation

    monkeypatch.setattr(Account, "reserve", writing)
    found = case.make(declared(case.target), random_state=7, ledger=account(MUCH)).fit(late, late_y)
    for name in case.released:
        one, two = getattr(found, name), getattr(expected, name)
        assert one.equals(two) if isinstance(one, pd.DataFrame) else np.array_equal(one, two), name
    assert "charge" in LOOKS


def test_a_look_before_the_charge_is_noticed(account: Callable[[Pure], Account]) -> None:
    """The recording tables record: an estimator that glances at y first is caught."""
    case = EVERY[0]
    X, y = MATRICES["array"](*numbers(case))
    model = case.make(declared(case.target), ledger=account(LITTLE))
    admit = type(model).admit

    def curious(self: Any, X: Any, y: Any) -> Any:
        np.asarray(y)
        return admit(self, X, y)

    model.admit = curious.__get__(model)
    with pytest.raises(BudgetExceeded):
        model.fit(X, y)
    assert LOOKS == ["look"]


COMMANDS = {
    "fit": "--model ridge --epsilon 1",
    "tune": "--model ridge --mechanism output --l2 0.1 --l2 1 --epsilon 1 --select-epsilon 1",
    "accuracy-first": "--model ridge --radius 1 --l2 0.5 --excess-risk 0.5 --max-epsilon 500",
    "density": "--column age --low 0 --high 100 --width 20 --epsilon 1",
}


def write_file(place: Path, frame: pd.DataFrame) -> None:
    frame = frame.infer_objects()
    frame.to_csv(place, index=False) if place.suffix == ".csv" else frame.to_parquet(place)


def by_command(command: str, place: Path, account: Account, url: str) -> Any:
    declared = place.with_name("people.json")
    declared.write_text(json.dumps(schema("real").to_dict()), encoding="utf-8")
    described = [] if command == "density" else ["--schema", str(declared)]
    words = [command, str(place), *described, *COMMANDS[command].split(), "--ledger", url, "--account", account.name]
    return CliRunner().invoke(app, words)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_files(
    kind: str, command: str, account: Callable[[Pure], Account], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, url, read = tmp_path / f"people.{kind}", str(tmp_path / "budget.db"), tables.read_table
    write_file(place, people(target="real"))
    monkeypatch.setattr(tables, "read_table", lambda *arguments: (look(), read(*arguments))[1])
    refused = by_command(command, place, account(LITTLE), url)
    assert (refused.exit_code, LOOKS) == (4, []), refused.output
    paid = by_command(command, place, account(MUCH), url)
    assert paid.exit_code in (0, 5), paid.output
    check_order()


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_files_that_are_written_with_the_charge(
    kind: str, account: Callable[[Pure], Account], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, url, released = tmp_path / f"people.{kind}", str(tmp_path / "budget.db"), []
    real, other = people(target="real"), people(target="real", seed=5)
    noting = Account.reserve
    for before in (real, other):
        write_file(place, before)

        def writing(self: Account, *arguments: Any, **options: Any) -> Any:
            reservation = noting(self, *arguments, **options)
            write_file(place, real)
            return reservation

        monkeypatch.setattr(Account, "reserve", writing)
        monkeypatch.setattr("os.urandom", np.random.default_rng(0).bytes)
        paid = account(MUCH)
        assert by_command("fit", place, paid, url).exit_code == 0
        monkeypatch.undo()
        key = [event.key for event in paid.entries() if event.kind == "charge"][-1]
        released.append(json.loads(paid.fetch(key))["released"])
    assert released[0] == released[1]
