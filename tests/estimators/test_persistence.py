"""Models as JSON: the same bits come back, no code is run, nothing but releases and declarations is written."""

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tacit
from estimators_support import CASES, people, schema
from tacit import Domain, PrivateLinearSVC, PrivateLogisticRegression, PrivateRidge
from tacit.errors import ParameterError


@pytest.mark.parametrize(("kind", "options", "target"), CASES.values(), ids=CASES)
def test_round_trip(kind: Any, options: dict[str, Any], target: str, tmp_path: Path) -> None:
    frame = people(target=target)
    model = kind(privacy=0.7, domain=schema(target), **options).fit(frame)
    model.save(tmp_path / "model.json")
    again = tacit.load(tmp_path / "model.json")
    assert type(again) is kind
    check_same(model, again)
    assert np.array_equal(model.predict(frame), again.predict(frame))
    again.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "model.json").read_bytes()


@pytest.mark.parametrize(
    "model",
    [
        PrivateRidge(domain=Domain("l1", 2.5, (0.1, 0.3)), l2=np.float32(0.5), privacy=np.float64(2.0)),
        PrivateLogisticRegression(domain=Domain(classes=("a", "b", "c")), fit_intercept=False),
        PrivateLogisticRegression(),
        PrivateLinearSVC(width=np.float32(0.25), domain=Domain("linf", 0.3)),
    ],
    ids=["ridge", "three classes", "labels not declared", "svc"],
)
def test_round_trip_of_arrays(model: Any, tmp_path: Path) -> None:
    X = np.random.default_rng(0).normal(size=(30, 3))
    y = X[:, 0] if isinstance(model, PrivateRidge) else np.array(["a", "b", "c"] * 10)
    model.fit(X, y).save(tmp_path / "model.json")
    again = tacit.load(tmp_path / "model.json")
    check_same(model, again)
    assert np.array_equal(model.predict(X), again.predict(X))
    with pytest.raises(ValueError, match="features"):
        again.predict(X[:, :2])


def check_same(model: Any, again: Any) -> None:
    for name in ("coef_", "intercept_", "encoded_coef_"):
        assert np.array_equal(getattr(model, name), getattr(again, name)), name
    assert again.n_features_in_ == model.n_features_in_
    assert str(again.certificate_) == str(model.certificate_)
    assert again.certificate_.to_dict() == model.certificate_.to_dict()
    assert str(again.summary()) == str(model.summary())


def test_a_file_holds_only_what_was_released(tmp_path: Path) -> None:
    """Saving two models fitted to different rows under one declaration differs in releases and noise sizes alone."""
    stored = []
    for seed in (0, 1):
        model = PrivateRidge(domain=schema("real")).fit(people(target="real", seed=seed))
        model.save(tmp_path / "model.json")
        stored.append(json.loads((tmp_path / "model.json").read_text(encoding="utf-8")))
    assert {key for key in stored[0] if stored[0][key] != stored[1][key]} == {"released"}
    assert set(stored[0]["released"]["vectors"][0]) == {"theta", "deviation", "bounded", "evidence"}


def test_account_and_seed_stay_behind(tmp_path: Path) -> None:
    account = tacit.Ledger(tmp_path / "budget.db").open("people", limit=5.0)
    PrivateRidge(domain=schema("real"), ledger=account, random_state=1234567).fit(people(target="real")).save(
        tmp_path / "model.json"
    )
    assert "1234567" not in (tmp_path / "model.json").read_text(encoding="utf-8")
    again = tacit.load(tmp_path / "model.json")
    assert again.ledger is None
    assert again.random_state is None
    assert "NOT PRIVATE" in str(again.certificate_)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\xff\xfe", "is not readable"),
        (b"[1, 2]", "not a tacit model"),
        (b"{}", "not a tacit model"),
        (b'{"format": "tacit-model", "format_version": 99}', "has format version 99"),
        (b'{"format": "tacit-model", "format_version": 1}', "has format version 1; this version of tacit reads 2"),
        (b'{"format": "tacit-model", "format_version": 2, "estimator": "os.system"}', "damaged"),
        (pickle.dumps(1), "is not readable"),
    ],
)
def test_other_files_are_refused(content: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "model.json").write_bytes(content)
    with pytest.raises(ParameterError, match=message):
        tacit.load(tmp_path / "model.json")


def test_no_file() -> None:
    with pytest.raises(ParameterError, match="written by save"):
        tacit.load("nowhere.json")
