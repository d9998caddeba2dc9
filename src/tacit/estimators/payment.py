"""Reserve, then read, then release: the only place where estimators touch private rows."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.certificate import describe
from tacit.ledger import Account
from tacit.mechanisms import Plan, Release
from tacit.noise import Entropy
from tacit.privacy import Budget, compose
from tacit.rows import Rows


@dataclass(frozen=True)
class Job:
    """One calibrated mechanism and the rows it will read; the label names it on the certificate."""

    rows: Rows
    plan: Plan
    label: str | None = None


@dataclass(frozen=True)
class Paid:
    """What the jobs released, what they cost together, and the ledger entry that says so."""

    releases: tuple[Release, ...]
    charge: Budget
    entry: str | None


def run(jobs: Sequence[Job], entropy: Entropy, account: Account | None, query: dict[str, Any], label: str) -> Paid:
    """Run the jobs, under an account if there is one. What is returned is what the account has stored."""
    charge = compose(*(job.plan.mechanism.charge for job in jobs))

    def compute() -> bytes:
        return _to_bytes([job.plan.mechanism(job.rows, entropy) for job in jobs])

    if account is None:
        return Paid(_from_bytes(compute()), charge, None)
    facts = [describe(facts) for job in jobs for facts in job.plan.mechanism.facts]
    described = json.dumps({**query, "releases": facts}, sort_keys=True).encode()
    with account.reserve(charge, described, label=label) as reservation:
        stored = reservation.released
        if stored is None:
            stored = reservation.store(compute())
    return Paid(_from_bytes(stored), charge, f"account {account.name!r}, entry {reservation.key}")


def _to_bytes(releases: Sequence[Release]) -> bytes:
    """JSON with shortest round-trip floats: reading it back gives the same bits."""
    stored = [
        {
            "theta": r.theta.tolist(),
            "deviation": r.deviation.tolist(),
            "statistics": {name: array.tolist() for name, array in r.statistics.items()},
        }
        for r in releases
    ]
    return json.dumps(stored).encode()


def _from_bytes(stored: bytes) -> tuple[Release, ...]:
    return tuple(
        Release(
            np.array(r["theta"]),
            np.array(r["deviation"]),
            {name: np.array(array) for name, array in r["statistics"].items()},
        )
        for r in json.loads(stored)
    )
