"""Empirical risk over rows: public bounds, sums, and certified minima."""

from tacit.mechanisms.erm.bounds import RiskBounds, score_error
from tacit.mechanisms.erm.minimum import (
    certified_minimum,
    certified_tilted_minimum,
    public_tilted_reach,
    public_tilted_tolerance,
    public_tolerance,
)
from tacit.mechanisms.erm.risk import EmpiricalRisk
from tacit.mechanisms.erm.sums import gram, weighted_gram

__all__ = [
    "EmpiricalRisk",
    "RiskBounds",
    "certified_minimum",
    "certified_tilted_minimum",
    "gram",
    "public_tilted_reach",
    "public_tilted_tolerance",
    "public_tolerance",
    "score_error",
    "weighted_gram",
]
