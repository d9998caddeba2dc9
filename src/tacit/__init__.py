"""tacit: differentially private empirical risk minimisation. The ε it prints is the ε it delivers."""

from tacit.domain import Domain, Schema
from tacit.estimators import (
    AccuracyFirst,
    PrivateLasso,
    PrivateLinearSVC,
    PrivateLogisticRegression,
    PrivateRidge,
    load,
)
from tacit.ledger import Ledger
from tacit.privacy import ZCDP, Approx, ExPost, Pure

__all__ = [
    "ZCDP",
    "AccuracyFirst",
    "Approx",
    "Domain",
    "ExPost",
    "Ledger",
    "PrivateLasso",
    "PrivateLinearSVC",
    "PrivateLogisticRegression",
    "PrivateRidge",
    "Pure",
    "Schema",
    "load",
]
