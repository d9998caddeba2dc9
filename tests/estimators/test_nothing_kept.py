"""A fitted model holds what was released and what was declared: no rows, no noise, no unrounded minimum."""

import gc
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

from estimators_support import CASES, people, schema
from tacit.mechanisms.objective import ObjectivePerturbation
from tacit.noise import RecordedEntropy, SeededEntropy, SystemEntropy
from tacit.rows import Rows

CODE = (type, types.ModuleType, types.FunctionType, types.BuiltinMethodType)
HIDDEN = (Rows, pd.DataFrame, pd.Series, SystemEntropy, SeededEntropy, RecordedEntropy)
KNOWN = ("coef_", "intercept_", "encoded_coef_", "classes_", "feature_names_in_")


def reachable(model: object) -> Iterator[Any]:
    """Everything a model refers to, without the code it shares with every other model."""
    seen: set[int] = set()
    waiting: list[Any] = [vars(model)]
    while waiting:
        thing = waiting.pop()
        if id(thing) in seen or isinstance(
            thing, type | types.ModuleType | types.FunctionType | types.BuiltinMethodType
        ):
            continue
        seen.add(id(thing))
        yield thing
        waiting += gc.get_referents(thing)
        if isinstance(thing, np.ndarray) and thing.base is not None:
            waiting.append(thing.base)


def check_nothing_kept(model: Any) -> None:
    """No rows and no randomness; every array is a known attribute; releases are multiples of the certified grid."""
    known = {id(getattr(model, name)) for name in KNOWN if hasattr(model, name)}
    known |= {id(array) for vector in model._vectors for array in (vector.theta, vector.deviation)}
    for thing in reachable(model):
        assert not isinstance(thing, HIDDEN), type(thing)
        assert not isinstance(thing, bytes), "bits"
        if isinstance(thing, np.ndarray):
            assert id(thing) in known, "an array that is neither released nor declared"
    mechanisms = [release["mechanism"] for release in model.certificate_.releases]
    grid = model.certificate_.releases[-1]["noise"]["grid"]
    # Moments are solved and a released mean is added after the release, so those coefficients leave the grid.
    direct = {"covariance perturbation": 0, "mean of the target": -1}.get(mechanisms[0])
    steps = model.encoded_coef_[:, :direct] / grid
    assert np.array_equal(steps, np.rint(steps)), "coefficients that were not rounded to the released grid"


@pytest.mark.parametrize(("kind", "options", "target"), CASES.values(), ids=CASES)
def test_nothing_is_kept(kind: Any, options: dict[str, Any], target: str) -> None:
    check_nothing_kept(kind(domain=schema(target), **options).fit(people(target=target)))


def keep_rows(model: Any) -> None:
    model.residuals_ = people()["age"].to_numpy(float)


def keep_table(model: Any) -> None:
    model._train = {"rows": [people()]}


def keep_entropy(model: Any) -> None:
    model._noise_source = SystemEntropy()


def keep_unrounded(model: Any) -> None:
    model.encoded_coef_ = model.encoded_coef_ + np.pi * 1e-13


def keep_view(model: Any) -> None:
    model.coef_ = np.vstack([model.coef_, model.coef_])[:1]


@pytest.mark.parametrize("leak", [keep_rows, keep_table, keep_entropy, keep_unrounded, keep_view])
def test_mutants_are_caught(leak: Callable[[Any], None]) -> None:
    kind, options, target = CASES["logistic"]
    model = kind(domain=schema(target), **options).fit(people(target=target))
    leak(model)
    with pytest.raises(AssertionError):
        check_nothing_kept(model)


def test_a_mechanism_is_done_when_it_returns() -> None:
    """Nor does the calibrated mechanism remember the rows it was called with."""
    kind, _, target = CASES["logistic"]
    model = kind(domain=schema(target))
    kept: list[ObjectivePerturbation] = []
    plan = model.plan

    def watched(*arguments: Any) -> Any:
        found = plan(*arguments)
        kept.append(found.mechanism)
        return found

    model.plan = watched
    model.fit(people(target=target))
    assert len(kept) == 1
    assert not any(isinstance(thing, HIDDEN) for thing in reachable(kept[0]))
