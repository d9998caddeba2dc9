"""Recorded fits: what of a fit is kept, where, and how two records differ."""

import json
import math
import platform
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import scipy
from threadpoolctl import threadpool_info, threadpool_limits

from golden.cases import Case

FOLDER = Path(__file__).parent / "recorded"
RELEASED = ("coef_", "intercept_", "encoded_coef_", "loss_path_", "counts_", "best_index_", "steps_", "met_")
NEARLY = 1e-9  # between platforms: a calibration goes through the C library's logarithms and roots


def record(case: Case) -> dict[str, Any]:
    """The bits that a fit released and its certificate, as plain values."""
    with threadpool_limits(1):
        fitted = case.fit()
    model = getattr(fitted, "best_estimator_", fitted)
    owners = {id(owner): owner for owner in (fitted, model)}.values()
    bits = {name: _hex(getattr(owner, name)) for owner in owners for name in RELEASED if hasattr(owner, name)}
    if hasattr(fitted, "loss_"):
        bits["loss_"] = str(fitted.loss_)
    if getattr(model, "inference", False):
        bits["conf_int"] = _hex(model.conf_int().to_numpy())
    certificate = fitted.certificate_.to_dict()
    del certificate["tacit"]  # the version
    return {"bits": bits, "certificate": certificate}


def fingerprint() -> dict[str, str]:
    """What the last bit of a matrix product depends on."""
    libraries = [library for library in threadpool_info() if library["user_api"] == "blas"]
    return {
        "machine": platform.machine(),
        "blas": ", ".join(sorted({str(library.get("architecture")) for library in libraries})),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
    }


@cache
def recorded(file: str) -> dict[str, Any]:
    """A file of records: {"platform": …, "fits": {name: record}}."""
    return json.loads((FOLDER / f"{file}.json").read_text(encoding="utf-8"))


def write(file: str, fits: dict[str, Any]) -> None:
    text = json.dumps({"platform": fingerprint(), "fits": fits}, indent=1, ensure_ascii=False)
    (FOLDER / f"{file}.json").write_text(text + "\n", encoding="utf-8")
    recorded.cache_clear()


def differences(then: Any, now: Any, place: str = "", nearly: float = 0.0) -> Iterator[str]:
    """Where two records differ; floats that are within a factor 1 ± nearly are the same."""
    if isinstance(then, dict) and isinstance(now, dict):
        for key in {**then, **now}:
            yield from differences(then.get(key, "nothing"), now.get(key, "nothing"), f"{place}/{key}", nearly)
    elif isinstance(then, list) and isinstance(now, list) and len(then) == len(now):
        for number, (before, after) in enumerate(zip(then, now, strict=True)):
            yield from differences(before, after, f"{place}/{number}", nearly)
    elif isinstance(then, float) and isinstance(now, float) and math.isclose(then, now, rel_tol=nearly):
        return
    elif then != now:
        yield f"{place}: was {then!r}, is {now!r}"


def _hex(released: Any) -> Any:
    """The exact value of every float; nested lists keep the shape."""
    plain = np.asarray(released).tolist()
    if isinstance(plain, list):
        return [_hex(each) for each in plain]
    return plain.hex() if isinstance(plain, float) else plain
