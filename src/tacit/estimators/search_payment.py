"""Reserve the most a search can cost, read, release, and settle what it did cost."""

import json
from typing import Any

import numpy as np

from tacit.ledger import Account
from tacit.mechanisms.accuracy import AccuracySearch, Outcome
from tacit.noise import Entropy
from tacit.privacy import ExPost
from tacit.rows import Rows


def run_search(
    search: AccuracySearch, rows: Rows, entropy: Entropy, account: Account | None, query: dict[str, Any], label: str
) -> tuple[Outcome, str | None]:
    """The outcome and the ledger entry that paid for it. What is returned is what the account has stored."""
    if account is None:
        return search(rows, entropy), None
    described = json.dumps({**query, "test": search.test.description, "costs": search.hypotheses.costs}, sort_keys=True)
    with account.reserve(search.charge, described.encode(), label=label) as reservation:
        stored = reservation.released
        if stored is None:
            outcome = search(rows, entropy)
            stored = reservation.store(_to_bytes(outcome), paid=outcome.paid)
    return _from_bytes(stored), f"account {account.name!r}, entry {reservation.key}"


def _to_bytes(outcome: Outcome) -> bytes:
    """JSON with shortest round-trip floats: reading it back gives the same bits."""
    theta, paid = outcome.theta, outcome.paid
    return json.dumps(
        {
            "level": outcome.level,
            "theta": None if theta is None else theta.tolist(),
            "paid": [paid.test, paid.hypothesis, paid.delta],
        }
    ).encode()


def _from_bytes(stored: bytes) -> Outcome:
    kept = json.loads(stored)
    theta = None if kept["theta"] is None else np.array(kept["theta"])
    return Outcome(kept["level"], theta, ExPost(*kept["paid"]))
