"""The end of the chain: appending an event, finding one by its key."""

from datetime import UTC, datetime

from tacit.ledger.chain import GENESIS, Event, sealed
from tacit.ledger.store import Session
from tacit.ledger.tables import EVENT_COLUMNS


def append(
    db: Session, kind: str, account: str, key: str, *, part: str = "", currency: str = "", main: int = 0,
    delta: int = 0, loss: str = "", label: str = "", digest: str = "", output: bytes | None = None,
    at: str | None = None,
) -> Event:  # fmt: skip
    """Add one event to the end of the chain. By `ledger-chain`.

    at: when, to the minute. What ends a release carries the time of its charge: how long the rows were worked on may
    tell something about them, and the history is there to be read.
    """
    last = db.rows("SELECT sequence, hash FROM tacit_event ORDER BY sequence DESC LIMIT 1")
    sequence, previous = (last[0][0] + 1, last[0][1]) if last else (0, GENESIS)
    at = at or datetime.now(UTC).isoformat(timespec="minutes")
    event = sealed((sequence, kind, account, part, key, currency, main, delta, loss, label, digest, at, previous))
    marks = ", ".join("?" * (len(event) + 1))
    db.change(f"INSERT INTO tacit_event ({EVENT_COLUMNS}, output) VALUES ({marks})", *event, output)
    return event


def find_event(db: Session, kind: str, key: str) -> Event | None:
    """The event of this kind with this key; there is at most one."""
    found = db.rows(f"SELECT {EVENT_COLUMNS} FROM tacit_event WHERE kind = ? AND key = ?", kind, key)
    return Event(*found[0]) if found else None
