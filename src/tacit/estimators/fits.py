"""The job of a single fit: one calibrated mechanism for each vector to be released, all under one charge."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tacit.certificate import describe
from tacit.estimators.kinds import Part
from tacit.estimators.pipeline import Finished
from tacit.mechanisms import Mechanism, Plan, Release
from tacit.noise import Entropy
from tacit.privacy import Budget, compose
from tacit.rows import Rows

Packing = Callable[[Mechanism, Release], dict[str, Any]]
"""What the model file keeps of a release, as plain values."""


@dataclass(frozen=True)
class Fit:
    """The same plan for each part of the targets, each with noise of its own."""

    plan: Plan
    parts: tuple[Part, ...]
    packed: Packing

    @property
    def charge(self) -> Budget:
        """All parts together. By `composition`."""
        return compose(*(self.plan.mechanism.charge for _ in self.parts))

    @property
    def entries(self) -> tuple[Mapping[str, Any], ...]:
        """One for each release."""
        facts = self.plan.mechanism.facts
        return tuple(describe(each, label=part.label) for part in self.parts for each in facts)

    @property
    def query(self) -> Any:
        return self.entries

    def __call__(self, rows: Rows, entropy: Entropy) -> Finished:
        mechanism = self.plan.mechanism
        vectors = [self.packed(mechanism, mechanism(part.of(rows), entropy)) for part in self.parts]
        return Finished({"vectors": vectors}, self.charge, self.plan.why, self.entries)
