"""tacit: differentially private empirical risk minimisation. The ε it prints is the ε it delivers."""

from importlib import import_module
from types import ModuleType

from tacit import estimators
from tacit._version import __version__
from tacit.domain import Domain, Schema
from tacit.estimators import *  # noqa: F403 - every estimator that the room lists is public
from tacit.ledger import Ledger
from tacit.privacy import ZCDP, Approx, ExPost, Pure

__all__ = ["ZCDP", "Approx", "Domain", "ExPost", "Ledger", "Pure", "Schema", "__version__"]
__all__ += estimators.__all__

_ROOMS = ("attacks", "audit", "datasets", "inference", "mechanisms", "noise")


def __getattr__(name: str) -> ModuleType:
    """A room as an attribute, loaded when it is first used: `tacit.attacks.invert(…)` needs no further import."""
    if name in _ROOMS:
        return import_module(f"tacit.{name}")
    raise AttributeError(f"module 'tacit' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_ROOMS})
