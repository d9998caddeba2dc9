"""Audits on worst-case neighbours: tacit, OpenDP, and diffprivlib if an interpreter with it is named.

TACIT_DIFFPRIVLIB_PYTHON names the interpreter (pip install diffprivlib==0.6.6 "scikit-learn<1.7"). One row a mechanism:
claimed ε, exact loss on the pair, measured lower bound, verdict. `python -m benchmarks audit [--full]`
"""

from __future__ import annotations

import os
import time
from importlib.util import find_spec
from typing import Any

from tacit.audit import Case, diffprivlib_cases, examine, opendp_cases, own_cases

CONFIDENCE = 0.999


def run(quick: bool = False) -> list[dict[str, Any]]:
    """One row per mechanism; the runs of diffprivlib are as many as its defects need, quick or not."""
    effort = 1.0 if quick else 4.0
    libraries = {"tacit": own_cases(effort)}
    if find_spec("opendp") is not None:
        libraries["opendp"] = opendp_cases(effort)
    if python := os.environ.get("TACIT_DIFFPRIVLIB_PYTHON"):
        libraries["diffprivlib"] = diffprivlib_cases(python)
    return [_row(library, case) for library, cases in libraries.items() for case in cases]


def _row(library: str, case: Case) -> dict[str, Any]:
    start = time.monotonic()
    finding = examine(case, CONFIDENCE)
    return {
        "library": library,
        "mechanism": case.name,
        "claimed": case.epsilon,
        "delta": case.delta,
        "exact": case.pair_loss,
        "at_least": finding.bound,
        "verdict": finding.verdict,
        "seconds": round(time.monotonic() - start, 1),
    }
