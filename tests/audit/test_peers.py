"""Other libraries under audit: what is known to be wrong is found, and controls are left alone."""

import os
import sys

import pytest

from tacit.audit import diffprivlib_cases, examine, opendp_cases
from tacit.errors import ParameterError

PYTHON = os.environ.get("TACIT_DIFFPRIVLIB_PYTHON")
needs_diffprivlib = pytest.mark.skipif(
    PYTHON is None, reason="TACIT_DIFFPRIVLIB_PYTHON names no interpreter with diffprivlib 0.6.6"
)


@pytest.mark.slow
@needs_diffprivlib
@pytest.mark.parametrize("index", range(6))
def test_the_defects_of_diffprivlib_are_found_and_the_control_is_silent(index):
    case = diffprivlib_cases(str(PYTHON))[index]
    assert examine(case, 0.999).violated == ("control" not in case.name)


def test_exact_losses_say_which_data_norms_are_too_much():
    losses = {case.name: (case.pair_loss, case.epsilon) for case in diffprivlib_cases("python") if case.pair_loss}
    assert {name: loss > epsilon for name, (loss, epsilon) in losses.items()} == {
        "LogisticRegression data_norm 12": True,
        "LogisticRegression data_norm 100": True,
        "LogisticRegression data_norm 1 (control)": False,
    }


@pytest.mark.statistical
def test_nothing_is_found_on_opendp():
    pytest.importorskip("opendp", reason="opendp comes with the 'bench' extra")
    assert not any(examine(case, 1 - 1e-9).violated for case in opendp_cases(0.02))


def test_an_interpreter_without_the_package_is_named():
    case = diffprivlib_cases(sys.executable, 0.001)[0]
    with pytest.raises(ParameterError, match="diffprivlib"):
        case.measure(0.99)
