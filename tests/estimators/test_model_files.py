"""Model files of every estimator: the same bits come back, and a file that is no model is refused in our own words."""

import contextlib
import copy
import json
import pickle
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tacit
from estimators_support import EVERY, Fitted, people
from tacit import AccuracyFirst, PrivateLasso, PrivateRidge, PrivateSearch
from tacit.errors import ParameterError, TacitError
from tacit.mechanisms.accuracy.search import Outcome

pytestmark = [
    pytest.mark.filterwarnings("ignore:at this budget the noise of a selection:UserWarning"),
    pytest.mark.filterwarnings("ignore::RuntimeWarning"),  # of numpy, about absurd numbers that a file may hold
]


@pytest.mark.parametrize("case", EVERY, ids=str)
def test_round_trip(case: Fitted, tmp_path: Path) -> None:
    model, place = case.fit(), tmp_path / "model.json"
    model.save(place)
    again = tacit.load(place)
    assert type(again) is type(model)
    case.check_same(again, model)
    again.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == place.read_bytes()
    if hasattr(model, "summary") and getattr(model, "met_", True):
        frame = people(target=case.target)
        assert str(again.summary()) == str(model.summary())
        assert np.array_equal(again.predict(frame), model.predict(frame))
        best = getattr(model, "best_estimator_", model)
        assert getattr(again, "best_estimator_", again).get_params().keys() == best.get_params().keys()


def test_a_search_comes_back_with_its_winner(tmp_path: Path) -> None:
    (search,) = (case.fit() for case in EVERY if case.name == "search")
    search.save(tmp_path / "model.json")
    again = tacit.load(tmp_path / "model.json")
    assert isinstance(again, PrivateSearch)
    assert again.best_params_ == search.best_params_
    assert again.best_estimator_.l2 == search.best_estimator_.l2 == search.best_params_["l2"]
    assert again.best_estimator_.certificate_ == search.certificate_
    assert list(again.classes_) == list(search.classes_)


def test_a_search_that_found_nothing_comes_back_with_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    end = "tacit.mechanisms.accuracy.search.AccuracySearch.__call__"
    monkeypatch.setattr(end, lambda self, rows, entropy: Outcome(None, None, self.paid(len(self.hypotheses.costs) - 1)))
    (search,) = (case.fit() for case in EVERY if case.name == "accuracy first")
    search.save(tmp_path / "model.json")
    again = tacit.load(tmp_path / "model.json")
    assert isinstance(again, AccuracyFirst)
    assert (again.met_, again.loss_) == (False, search.loss_)
    assert again.trace_.equals(search.trace_)
    assert not hasattr(again, "best_estimator_")
    with pytest.raises(ParameterError, match="none was released"):
        again.predict(people())


def test_what_a_fit_keeps_does_not_depend_on_whether_it_ran_or_was_replayed(tmp_path: Path) -> None:
    for case in EVERY:
        account = tacit.Ledger(tmp_path / "budget.db").open(case.name, limit=1000.0).keyed(case.name)
        first, replayed = (case.make(_declared(case), ledger=account).fit(case.table()) for _ in range(2))
        assert pickle.dumps(first) == pickle.dumps(replayed), case


def _declared(case: Fitted) -> Any:
    from estimators_support import schema

    return schema(case.target)


# files that are no models


def stored(case: Fitted, tmp_path: Path) -> dict[str, Any]:
    case.fit(random_state=3).save(tmp_path / "model.json")
    return json.loads((tmp_path / "model.json").read_bytes())


def refused_or_whole(content: bytes, place: Path, case: Fitted) -> bool:
    """Whether the file was refused, with an error of ours; if it was not, all of the model can be used."""
    place.write_bytes(content)
    try:
        model = tacit.load(place)
    except TacitError:
        return True
    assert str(model.certificate_)
    assert model.certificate_.to_html()
    if hasattr(model, "summary") and getattr(model, "met_", True):
        assert str(model.summary())
        with contextlib.suppress(TacitError):  # other declared columns are another model
            model.predict(people(5, case.target))
    return False


ODD = [None, True, 0, -1, 3, 1e308, 10**30, "", "x", "NaN", [], [[]], [1], ["a"], {}, {"a": 1}, {"budget": {}}]


def places(tree: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place of a document, but of long lists of numbers only the ends."""
    found = [path] if path else []
    if isinstance(tree, dict):
        found += [place for key in tree for place in places(tree[key], (*path, key))]
    if isinstance(tree, list):
        ends = range(len(tree)) if len(tree) < 4 else (0, len(tree) - 1)
        found += [place for index in ends for place in places(tree[index], (*path, index))]
    return found


def changed(tree: Any, path: tuple[Any, ...], value: Any) -> Any:
    """A copy of the document with another value at a place; ... removes it."""
    tree = copy.deepcopy(tree)
    inside = tree
    for step in path[:-1]:
        inside = inside[step]
    if value is ...:
        del inside[path[-1]]
    else:
        inside[path[-1]] = value
    return tree


@pytest.mark.parametrize("case", EVERY, ids=str)
def test_every_malformed_file_is_refused_in_our_own_words(case: Fitted, tmp_path: Path) -> None:
    """Each place of a document takes odd values in turn, or is taken out; what is left is refused or a whole model."""
    whole, place = stored(case, tmp_path), tmp_path / "odd.json"
    pick = random.Random(case.name)
    refusals = 0
    for path in places(whole):
        for value in pick.sample([..., *ODD], 1 if "intervals" in case.name else 3):  # intervals take their time
            content = json.dumps(changed(whole, path, value)).encode()
            refusals += refused_or_whole(content, place, case)
    assert refusals > len(places(whole)) / 3
    assert not refused_or_whole(json.dumps(whole).encode(), place, case)


@pytest.mark.parametrize("content", [b"", b"[" * 100_000, b"{" * 9, b"1" * 5000, b"null", b"\x00", b"\xff\xfe", b"[]"])
def test_what_is_no_document_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "model.json").write_bytes(content)
    with pytest.raises(ParameterError, match="save"):
        tacit.load(tmp_path / "model.json")


def test_cut_and_flipped_bytes(tmp_path: Path) -> None:
    case = EVERY[0]
    content, pick = json.dumps(stored(case, tmp_path)).encode(), random.Random(0)
    for _ in range(150):
        place = pick.randrange(len(content))
        assert refused_or_whole(content[:place], tmp_path / "odd.json", case)
        refused_or_whole(
            content[:place] + bytes([pick.randrange(256)]) + content[place + 1 :], tmp_path / "odd.json", case
        )


@pytest.mark.parametrize("columns", [200_000, 2**29, 2**30, 2**62, -1])
def test_sizes_are_checked_before_anything_is_allocated(columns: int, tmp_path: Path) -> None:
    X = np.eye(4)
    for model in (PrivateRidge(), PrivateLasso(privacy=9.0)):
        model.fit(X, X[0]).save(tmp_path / "model.json")
        document = json.loads((tmp_path / "model.json").read_bytes())
        (tmp_path / "model.json").write_text(json.dumps(changed(document, ("columns",), columns)))
        if isinstance(model, PrivateLasso) and 0 < columns <= 2**27:
            tacit.load(tmp_path / "model.json")  # a sparse model may have so many
            continue
        with pytest.raises(TacitError):
            tacit.load(tmp_path / "model.json")
