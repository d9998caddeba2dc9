"""The history: events that are only ever appended, each carrying the hash of the one before.

hash = SHA-256 of the other fields in their order, one a line, in UTF-8; no field contains a line break. `previous` is
among them, and a stored release enters through `digest`, its own SHA-256. Anyone who can compute SHA-256 can verify a
history, and a head `sequence:hash` noted elsewhere proves later that nothing before it was changed or lost.
By `ledger-chain`.
"""

import hashlib
from collections.abc import Iterator
from typing import NamedTuple

from tacit.errors import LedgerError
from tacit.ledger.store import RESTORE, Row, Session
from tacit.ledger.tables import EVENT_COLUMNS

GENESIS = "0" * 64  # what the first event names as the one before
_BATCH = 512


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


_BREAKS = len(Event._fields) - 2
_LINES = "\n".join(["%s"] * (_BREAKS + 1))


def event_hash(fields: tuple[object, ...]) -> str:
    """The hash of an event's fields, `hash` itself left out. By `ledger-chain`."""
    text = _LINES % fields
    if text.count("\n") != _BREAKS:  # two different events could then read the same
        raise LedgerError(f"entry {fields[0]} has a line break inside a field")
    return hashlib.sha256(text.encode()).hexdigest()


def sealed(fields: tuple[object, ...]) -> Event:
    """The event with its own hash."""
    return Event._make((*fields, event_hash(fields)))


def sha256(data: bytes) -> str:
    """SHA-256 in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


class Walk:
    """Goes along the history and knows how far it came: every entry follows the one before and has its own hash."""

    def __init__(self) -> None:
        self.sequence = -1
        self.hash = GENESIS

    @property
    def head(self) -> str:
        """The last entry taken."""
        return f"{self.sequence}:{self.hash}"

    def take_new(self, db: Session) -> None:
        """Take what was added since the last time; what was taken before must still be there. By `ledger-chain`."""
        last = "SELECT hash FROM tacit_event WHERE sequence = ?"
        if self.sequence >= 0 and db.rows(last, self.sequence) != [(self.hash,)]:
            raise LedgerError(f"entry {self.sequence}, seen before, is gone or was changed; {RESTORE}")
        for row in in_order(db, EVENT_COLUMNS, after=self.sequence):
            if row[0] != self.sequence + 1 or row[12] != self.hash:
                raise broken(row, "does not follow the one before it: entries are missing or were reordered")
            if event_hash(row[:13]) != row[13]:
                raise broken(row, "was changed after it was written: its hash does not match")
            self.sequence, self.hash = row[0], row[13]
            self.take(row)

    def take(self, row: Row) -> None:
        """What else is to be done with an entry that has its place in the chain."""


def check_releases(db: Session) -> None:
    """Every stored release has the digest of its entry."""
    for row in in_order(db, "sequence, kind, digest, output"):
        _, kind, digest, output = row
        if kind == "store" and digest != ("" if output is None else sha256(output)):
            raise broken(row, "holds a release that was changed after it was stored")


def in_order(db: Session, columns: str, after: int = -1) -> Iterator[Row]:
    """The entries after one of them, `sequence` being the first column; fetched a few at a time."""
    query = f"SELECT {columns} FROM tacit_event WHERE sequence > ? ORDER BY sequence LIMIT {_BATCH}"
    while rows := db.rows(query, after):
        yield from rows
        after = rows[-1][0]


def broken(entry: Row, what: str) -> LedgerError:
    """What is wrong with an entry, and what to do."""
    return LedgerError(f"entry {entry[0]} ({entry[1]}) {what}; {RESTORE}")
