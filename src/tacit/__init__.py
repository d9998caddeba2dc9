"""tacit: differentially private empirical risk minimisation. The ε it prints is the ε it delivers."""

from tacit.domain import Domain, Schema
from tacit.estimators import (
    AccuracyFirst,
    PrivateHistogram,
    PrivateLasso,
    PrivateLinearSVC,
    PrivateLogisticRegression,
    PrivateRidge,
    PrivateSearch,
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
    "PrivateHistogram",
    "PrivateLasso",
    "PrivateLinearSVC",
    "PrivateLogisticRegression",
    "PrivateRidge",
    "PrivateSearch",
    "Pure",
    "Schema",
    "load",
]
