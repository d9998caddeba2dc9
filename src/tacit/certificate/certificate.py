"""The certificate: what a data-protection officer signs, in the order of NIST SP 800-226.

Everything in it is public: it is a function of declarations, budgets and calibrations, never of a row.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from tacit.mechanisms import Facts
from tacit.privacy import Budget, ExPost, loss_from_dict

SEAL = "NOT PRIVATE"
REPORTED_DELTA = 1e-6


@dataclass(frozen=True)
class Certificate:
    """One fit's promise. `private` is False when any noise came from a seed instead of the operating system.

    guarantee: a budget, or what a search that decides while running really lost; then `choice` says what it could have.
    delta: where a pure or zCDP guarantee is also stated as (ε, δ): the δ that was asked for, if one was.
    first: which of `currencies` is stated first, the one that was asked for; "" for that of the guarantee.
    """

    guarantee: Budget | ExPost
    n: int
    unit: str
    choice: str
    releases: tuple[Mapping[str, Any], ...]
    randomness: str
    private: bool
    assumed_public: tuple[str, ...]
    schema_fingerprint: str
    version: str
    ledger: str | None = None
    delta: float = REPORTED_DELTA
    first: str = ""

    @classmethod
    def stating(cls, asked: Budget, **facts: Any) -> Self:
        """A certificate that speaks in the currency that was asked for, at the δ that was asked for."""
        delta = asked.own_delta or REPORTED_DELTA
        return cls(**facts, delta=delta, first=next(iter(asked.statements(delta))))

    @property
    def currencies(self) -> dict[str, str]:
        """The guarantee in every currency that it implies, the one that was asked for first."""
        implied = self.guarantee.statements(self.delta)
        return {self.first: implied[self.first], **implied} if self.first in implied else implied

    @property
    def headline(self) -> str:
        """The guarantee in the currency that was asked for."""
        return next(iter(self.currencies.values()))

    def to_dict(self) -> dict[str, Any]:
        """Plain values, enough to rebuild the certificate."""
        return {
            "guarantee": self.guarantee.to_dict(),
            "currencies": self.currencies,
            "neighbours": NEIGHBOURS,
            "assumed_of_the_caller": ASSUMED,
            "n": self.n,
            "unit": self.unit,
            "choice": self.choice,
            "releases": [dict(release) for release in self.releases],
            "randomness": self.randomness,
            "private": self.private,
            "assumed_public": list(self.assumed_public),
            "schema_fingerprint": self.schema_fingerprint,
            "ledger": self.ledger,
            "delta": self.delta,
            "tacit": self.version,
        }

    def to_json(self) -> str:
        """The certificate as JSON text."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False)

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> "Certificate":
        """The certificate that `to_dict` described."""
        return cls(
            guarantee=loss_from_dict(stored["guarantee"]),
            n=stored["n"],
            unit=stored["unit"],
            choice=stored["choice"],
            releases=tuple(stored["releases"]),
            randomness=stored["randomness"],
            private=stored["private"],
            assumed_public=tuple(stored["assumed_public"]),
            schema_fingerprint=stored["schema_fingerprint"],
            version=stored["tacit"],
            ledger=stored["ledger"],
            delta=stored["delta"],
            first=next(iter(stored["currencies"]), ""),
        )

    def __str__(self) -> str:
        from tacit.certificate.render import as_text

        return as_text(self)

    def to_html(self) -> str:
        """The certificate as one self-contained HTML fragment."""
        from tacit.certificate.render import as_html

        return as_html(self)

    def _repr_html_(self) -> str:
        return self.to_html()


NEIGHBOURS = "two tables are neighbours when one row is replaced by any other row; the number of rows is public"
ASSUMED = (
    "a unit of privacy has one row; nothing that looked at several rows (a scaler, a choice of columns) came "
    "before the fit; column types were declared, not inferred from the cells"
)


def describe(facts: Facts, *, label: str | None = None) -> dict[str, Any]:
    """One release of a certificate, from the facts of the mechanism that made it."""
    return {
        "label": label,
        "mechanism": facts.mechanism,
        "theorems": list(facts.theorems),
        "charge": facts.charge.to_dict(),
        "sensitivity": {
            "norm": facts.sensitivity.norm,
            "total": facts.sensitivity.total,
            "parts": dict(facts.sensitivity.parts),
        },
        "noise": {"law": facts.law.name, "scale": facts.law.scale, "grid": facts.grid},
        "l2": facts.l2,
        "radius": facts.radius,
        "solver_tolerance": facts.tolerance,
        "notes": list(facts.notes),
    }
