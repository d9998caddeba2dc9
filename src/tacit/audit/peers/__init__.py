"""Other libraries under the same audit."""

from tacit.audit.peers.diffprivlib import diffprivlib_cases
from tacit.audit.peers.opendp import opendp_cases

__all__ = [
    "diffprivlib_cases",
    "opendp_cases",
]
