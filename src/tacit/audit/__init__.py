"""Audits: does a mechanism keep its word, measured from outside?"""

from tacit.audit.lower_bound import bound_from_draws, lower_bound
from tacit.audit.targets import Batches, draw

__all__ = ["Batches", "bound_from_draws", "draw", "lower_bound"]
