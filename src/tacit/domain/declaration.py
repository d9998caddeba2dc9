"""A declaration: what is publicly known about rows before any row is read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Protocol

from tacit.domain.targets import Outcome


class Declaration(Protocol):
    """Domain (arrays) and Schema (tables) both declare an outcome and have a stable fingerprint."""

    @property
    def outcome(self) -> Outcome:
        """The declared target."""

    def to_dict(self) -> dict[str, object]:
        """The declaration as plain values, enough to rebuild it."""

    def fingerprint(self) -> str:
        """sha256 of the canonical JSON of `to_dict`."""


def fingerprint(declared: Mapping[str, object]) -> str:
    """sha256 (hex) of canonical JSON: keys sorted, no spaces, ASCII, shortest round-trip floats."""
    canonical = json.dumps(declared, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()
