"""What leaves a fit besides the release is the same for neighbouring tables: no cell can be seen in it."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimators_support import CASES, counted_words, people, schema
from rows_support import QUIET, trace

COLUMNS = ("age", "sector", "member", "rich")
CELLS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=8),
    st.binary(max_size=4),
    st.complex_numbers(),
    st.sampled_from(["yes", "no", "farm", "1e400", "nan", pd.NA, pd.NaT, np.float32(3), b"yes", 10**400, (1, 2), {}]),
)


def seen(case: str, table: pd.DataFrame) -> dict[str, Any]:
    """Everything a bystander sees of a fit, except the released numbers."""
    kind, options, target = CASES[case]
    model = kind(domain=schema(target, rows=len(table)), **options)
    with counted_words() as recorder:
        said = trace(lambda: model.fit(table))
    if said["error"] is not None:
        return said
    summary = model.summary()
    return said | {
        "certificate": str(model.certificate_),
        "json": model.certificate_.to_json(),
        "html": model.certificate_.to_html(),
        "words": recorder.count,
        "attributes": sorted(vars(model)),
        "repr": repr(model),
        "names": (summary.title, list(summary.table.index), summary.footer, list(summary.to_frame().columns)),
        "classes": list(map(str, getattr(model, "classes_", ()))),
        "shapes": [np.shape(model.coef_), np.shape(model.intercept_), model.n_features_in_],
    }


@pytest.mark.parametrize("case", CASES)
@settings(max_examples=25)
@given(row=st.integers(0, 7), changes=st.dictionaries(st.sampled_from(COLUMNS), CELLS, min_size=1))
def test_neighbours_look_alike(case: str, row: int, changes: dict[str, Any]) -> None:
    table = people(8, CASES[case][2])
    neighbour = table.copy()
    for column, cell in changes.items():
        cells = neighbour[column].to_numpy(object, copy=True)
        cells[row] = cell
        neighbour[column] = pd.Series(cells, dtype=object)
    first, second = seen(case, table), seen(case, neighbour)
    assert first == second
    assert first | QUIET == first
    assert first["words"] > 0


def test_a_chatty_fit_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison above notices a fit that speaks of a cell."""
    kind, _, target = CASES["logistic"]
    fit = kind.fit

    def chatty(model: Any, table: Any, y: Any = None) -> Any:
        if table["age"].iloc[0] == -1:
            raise ValueError("an age is negative")
        return fit(model, table, y)

    monkeypatch.setattr(kind, "fit", chatty)
    table = people(8, target)
    neighbour = table.copy()
    neighbour.loc[0, "age"] = -1
    assert seen("logistic", table) != seen("logistic", neighbour)


@given(cell=st.floats(), place=st.integers(0, 11))
@settings(max_examples=25)
def test_arrays_with_declared_classes(cell: float, place: int) -> None:
    """The same through plain arrays, where scikit-learn's own validation would look at cells."""
    from tacit import Domain, PrivateLogisticRegression, PrivateRidge

    X = np.linspace(-1, 1, 12).reshape(6, 2)
    neighbour = X.copy()
    neighbour.flat[place] = cell
    targets = np.linspace(-1, 1, 6)
    other = targets.copy()
    other[place % 6] = cell
    for model in (PrivateRidge(), PrivateLogisticRegression(domain=Domain(classes=(-1.0, 1.0)))):
        for table, y in ((X, targets), (neighbour, targets), (X, other)):
            assert trace(lambda model=model, table=table, y=y: model.fit(table, y)) == QUIET
