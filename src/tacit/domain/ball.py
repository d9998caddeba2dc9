"""Domain: rows of plain arrays, declared to lie in a ball."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tacit.domain.checks import interval, positive_number, refuse
from tacit.domain.declaration import fingerprint
from tacit.domain.targets import Classes, Outcome, Real
from tacit.domain.vocabulary import Label, Vocabulary
from tacit.errors import ParameterError

Norm = Literal["l1", "l2", "linf"]


@dataclass(frozen=True)
class Domain:
    """Rows x with ‖x‖ ≤ radius in the named norm; rows outside are moved to the ball, never rejected.

    The outcome is a real number in `target` = (min, max), or one of `classes` when those are given.
    """

    norm: Norm = "l2"
    radius: float = 1.0
    target: tuple[float, float] = (-1.0, 1.0)
    classes: tuple[Label, ...] | None = None

    def __post_init__(self) -> None:
        if self.norm not in ("l1", "l2", "linf"):
            refuse(ParameterError, "Domain.norm", self.norm, "'l1', 'l2' or 'linf'", "Choose one of them.")
        remedy = "Give a bound on the rows' norm that is known without looking at them."
        radius = positive_number(ParameterError, "Domain.radius", self.radius, remedy)
        object.__setattr__(self, "radius", radius)
        bounds: object = self.target
        if not isinstance(bounds, tuple | list) or len(bounds) != 2:
            refuse(ParameterError, "Domain.target", bounds, "a pair (min, max)", "Write target=(min, max).")
        object.__setattr__(self, "target", interval(ParameterError, "Domain.target", *bounds))
        if self.classes is not None:
            known = Vocabulary.declared(ParameterError, "Domain.classes", self.classes, 2, "labels")
            object.__setattr__(self, "classes", known.labels)

    @property
    def outcome(self) -> Outcome:
        """Classes when they are declared, else a real number in `target`."""
        return Real(*self.target) if self.classes is None else Classes(self.classes)

    def to_dict(self) -> dict[str, object]:
        """Plain values, enough to rebuild the domain."""
        return {
            "norm": self.norm,
            "radius": self.radius,
            "target": list(self.target),
            "classes": None if self.classes is None else list(self.classes),
        }

    def fingerprint(self) -> str:
        """sha256 of the canonical JSON of `to_dict`."""
        return fingerprint({"domain": self.to_dict()})
