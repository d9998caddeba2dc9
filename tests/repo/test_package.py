"""What `import tacit` offers."""

import subprocess
import sys

import pytest


def test_rooms_are_at_hand_after_one_import() -> None:
    names = ("attacks.invert", "audit.lower_bound", "datasets.fingerprinting_lasso", "noise.SystemEntropy")
    code = "import tacit; " + "; ".join(f"assert callable(tacit.{name})" for name in names)
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_an_unknown_name_is_an_attribute_error() -> None:
    import tacit

    assert {"attacks", "PrivateRidge"} <= set(dir(tacit))
    with pytest.raises(AttributeError, match="no attribute 'atacks'"):
        _ = tacit.atacks
