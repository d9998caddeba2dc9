"""Audits: does a mechanism keep its word, measured from outside?"""

from tacit.audit.cases import Case, Finding, examine
from tacit.audit.grey_box import Declared, Observation, declarations, replay
from tacit.audit.laws import law_holds
from tacit.audit.lower_bound import bound_from_draws, lower_bound
from tacit.audit.own import own_cases
from tacit.audit.pairs import hostile_pair, worst_pair
from tacit.audit.peers import diffprivlib_cases, opendp_cases
from tacit.audit.reachability import reachability
from tacit.audit.replays import own_replays
from tacit.audit.targets import Batches, draw

__all__ = [
    "Batches",
    "Case",
    "Declared",
    "Finding",
    "Observation",
    "bound_from_draws",
    "declarations",
    "diffprivlib_cases",
    "draw",
    "examine",
    "hostile_pair",
    "law_holds",
    "lower_bound",
    "opendp_cases",
    "own_cases",
    "own_replays",
    "reachability",
    "replay",
    "worst_pair",
]
