"""The history: events that are only ever appended, each carrying the hash of the one before.

hash = SHA-256 of the other fields in their order, one a line, in UTF-8; no field contains a line break. `previous` is
among them, and a stored release enters through `digest`, its own SHA-256. Anyone who can compute SHA-256 can verify a
history, and a head `sequence:hash` noted elsewhere proves later that nothing before it was changed or lost.
By `ledger-chain`.
"""

import hashlib
from typing import NamedTuple

from tacit.errors import LedgerError

GENESIS = "0" * 64  # what the first event names as the one before


class Event(NamedTuple):
    """One line of the history.

    kind      create (the ledger), open (an account), stage (a new filter), charge, store, settle
    part      the declared part of the data a charge concerns; empty: all of it
    currency  epsilon or rho; main and delta count units of it: a limit (open, stage), a cost (charge) or, negative,
              what a settlement gave back
    loss      the limit, the charge or the loss paid, as text
    digest    SHA-256 of the query (charge) or of the release (store; empty if the release was not stored)
    at        UTC time of the charge to the minute, for people: the order is the sequence
    """

    sequence: int
    kind: str
    account: str
    part: str
    key: str
    currency: str
    main: int
    delta: int
    loss: str
    label: str
    digest: str
    at: str
    previous: str
    hash: str


def event_hash(fields: tuple[object, ...]) -> str:
    """The hash of an event's fields, `hash` itself left out. By `ledger-chain`."""
    text = "\n".join(map(str, fields))
    if text.count("\n") != len(fields) - 1:  # two different events could then read the same
        raise LedgerError(f"entry {fields[0]} has a line break inside a field")
    return sha256(text.encode())


def sealed(fields: tuple[object, ...]) -> Event:
    """The event with its own hash."""
    return Event._make((*fields, event_hash(fields)))


def sha256(data: bytes) -> str:
    """SHA-256 in hexadecimal."""
    return hashlib.sha256(data).hexdigest()
