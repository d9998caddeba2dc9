"""The book-keeping: each function is one step inside one transaction.

charge → (compute, outside) → store, and settle for ex-post mechanisms. Nothing but a settlement ever gives anything
back. By `ledger-protocol`.
"""

import json
from dataclasses import dataclass
from datetime import UTC, datetime

from tacit.errors import BudgetExceeded, LedgerError
from tacit.ledger.amounts import Amount, Balance, Turned, amount_left, amount_spent, worst
from tacit.ledger.chain import GENESIS, Event, sealed, sha256
from tacit.ledger.filters import (
    Currency,
    Stage,
    budget_from_text,
    budget_text,
    concentrated_rest,
    first_stage,
    price,
)
from tacit.ledger.store import Session
from tacit.ledger.tables import EVENT_COLUMNS
from tacit.ledger.units import Cost, Scale, units_up
from tacit.privacy import ZCDP, Approx, Budget, ExPost


@dataclass(frozen=True)
class Terms:
    """What an account was opened with; it never changes."""

    name: str
    limit: Budget
    schema: str | None
    parts: tuple[str, ...]


@dataclass(frozen=True)
class Request:
    """A charge somebody wants to make."""

    account: str
    part: str
    key: str
    charge: Budget
    query: str
    label: str


@dataclass(frozen=True)
class Stored:
    """The release stored under a key; `output` is None where the key was closed without storing one."""

    output: bytes | None


def append(
    db: Session, kind: str, account: str, key: str, *, part: str = "", currency: str = "", main: int = 0,
    delta: int = 0, loss: str = "", label: str = "", digest: str = "", output: bytes | None = None,
) -> Event:  # fmt: skip
    """Add one event to the end of the chain. By `ledger-chain`."""
    last = db.rows("SELECT sequence, hash FROM tacit_event ORDER BY sequence DESC LIMIT 1")
    sequence, previous = (last[0][0] + 1, last[0][1]) if last else (0, GENESIS)
    at = datetime.now(UTC).isoformat(timespec="milliseconds")
    event = sealed((sequence, kind, account, part, key, currency, main, delta, loss, label, digest, at, previous))
    marks = ", ".join("?" * (len(event) + 1))
    db.change(f"INSERT INTO tacit_event ({EVENT_COLUMNS}, output) VALUES ({marks})", *event, output)
    return event


def find_event(db: Session, kind: str, key: str) -> Event | None:
    """The event of this kind with this key; there is at most one."""
    found = db.rows(f"SELECT {EVENT_COLUMNS} FROM tacit_event WHERE kind = ? AND key = ?", kind, key)
    return Event(*found[0]) if found else None


def find_terms(db: Session, name: str) -> Terms | None:
    """The terms of an account, None if there is no such account."""
    event = find_event(db, "open", name)
    if event is None:
        return None
    detail = json.loads(event.label)
    return Terms(name, budget_from_text(event.loss), detail["schema"], tuple(detail["parts"]))


def open_account(db: Session, terms: Terms) -> None:
    """Write the terms of a new account and its empty balances."""
    stage = first_stage(terms.limit)
    bits = (stage.scale.main, stage.scale.delta)
    detail = json.dumps({"schema": terms.schema, "parts": terms.parts, "bits": bits})
    append(
        db, "open", terms.name, terms.name, currency=stage.currency, main=stage.main, delta=stage.delta,
        loss=budget_text(terms.limit), label=detail,
    )  # fmt: skip
    for part in ("", *terms.parts):
        db.change(
            "INSERT INTO tacit_balance (account, part, currency, main, delta, main_limit, delta_limit, main_bits, "
            "delta_bits) VALUES (?, ?, ?, 0, 0, ?, ?, ?, ?)",
            terms.name, part, stage.currency, stage.main, stage.delta, *bits,
        )  # fmt: skip


def balances(db: Session, account: str) -> list[Balance]:
    """The balance of the whole and of each part."""
    columns = "part, currency, main, delta, main_limit, delta_limit, main_bits, delta_bits"
    return [
        Balance(part, currency, main, delta, main_limit, delta_limit, Scale(main_bits, delta_bits))
        for part, currency, main, delta, main_limit, delta_limit, main_bits, delta_bits in db.rows(
            f"SELECT {columns} FROM tacit_balance WHERE account = ? ORDER BY part", account
        )
    ]


def spent(db: Session, account: str, part: str) -> Amount:
    """What the account, or one part of it, has spent."""
    event = find_event(db, "stage", account)
    detail = json.loads(event.label) if event else None
    turned = Turned(Cost(*detail["spent"]), detail["conversion"], Scale(*detail["spent_bits"])) if detail else None
    return amount_spent(_concerned(db, account, part), turned)


def remaining(db: Session, account: str, part: str) -> Amount:
    """What may still be charged to the account, or to one part of it."""
    return amount_left(_concerned(db, account, part))


def _concerned(db: Session, account: str, part: str) -> Balance:
    return worst([row for row in balances(db, account) if part in ("", row.part)])


def find_stored(db: Session, key: str) -> Stored | None:
    """What was stored under a key, None if nothing was."""
    found = db.rows("SELECT digest, output FROM tacit_event WHERE kind = 'store' AND key = ?", key)
    if not found:
        return None
    digest, output = found[0]
    return Stored(bytes(output) if digest else None)


def charge(db: Session, request: Request) -> Stored | None:
    """Book a charge, or find that this very request was booked before. By `ledger-protocol`.

    Returns what was stored under the key; None means: compute now. A key booked for anything else is refused.
    """
    before = find_event(db, "charge", request.key)
    if before is not None:
        _check_same(before, request)
        return find_stored(db, request.key)
    currency, cost = _book(db, request)
    append(
        db, "charge", request.account, request.key, part=request.part, currency=currency, main=cost.main,
        delta=cost.delta, loss=budget_text(request.charge), label=request.label, digest=request.query,
    )  # fmt: skip
    return None


def store(db: Session, account: str, key: str, output: bytes | None) -> tuple[Stored, bool]:
    """Store a release under its key, or close the key (None). The first writer wins; everybody gets its bytes."""
    before = find_stored(db, key)
    if before is not None:
        return before, False
    append(db, "store", account, key, digest="" if output is None else sha256(output), output=output)
    return Stored(output), True


def settle(db: Session, key: str, paid: ExPost) -> None:
    """Give back what an ex-post mechanism reserved and did not need. By `ledger-ex-post`.

    Only the ε of a charge in the current "epsilon" stage comes down. A charge booked in ρ keeps its price, as does
    one that an account has since turned into part of its history.
    """
    event = find_event(db, "charge", key)
    if event is None:
        raise LedgerError(f"key {key!r} was never charged, so there is nothing to settle")
    if find_event(db, "settle", key) is not None:
        raise LedgerError(f"key {key!r} was settled before; a loss is paid once")
    reserved = budget_from_text(event.loss)
    if not isinstance(reserved, ZCDP) and paid.total > reserved.epsilon:
        raise LedgerError(
            f"the mechanism under key {key!r} reports a loss of {paid.total:g}, more than it reserved "
            f"({reserved}); the whole reservation stays charged. This is a defect of the mechanism"
        )
    row = balances(db, event.account)[0]
    stays = event.currency != "epsilon" or row.currency != "epsilon"
    back = 0 if stays else event.main - units_up(paid.total, row.scale.main)
    _add(db, event.account, event.part, Cost(-back, 0), rows=0)
    append(
        db, "settle", event.account, key, part=event.part, currency=event.currency, main=-back,
        loss=json.dumps(["ExPost", paid.test, paid.hypothesis]),
    )  # fmt: skip


def _check_same(before: Event, request: Request) -> None:
    asked = (request.account, request.part, budget_text(request.charge), request.query)
    if (before.account, before.part, before.loss, before.digest) != asked:
        raise LedgerError(
            f"key {request.key!r} was used before for another account, part, charge or query; a key names one "
            f"release for ever. Use a new key for a new question"
        )


def _book(db: Session, request: Request) -> tuple[Currency, Cost]:
    """Add the cost to the balances if every one of them stays within its limit; else BudgetExceeded."""
    rows = balances(db, request.account)
    currency = rows[0].currency
    cost = price(request.charge, currency, rows[0].scale)
    if cost is None:
        stage = _turn(db, request, rows)
        currency, cost = stage.currency, price(request.charge, stage.currency, stage.scale)
    if cost is None or not _add(db, request.account, request.part, cost, len(rows)):
        raise BudgetExceeded(_refusal(request, rows))
    return currency, cost


def _add(db: Session, account: str, part: str, cost: Cost, rows: int) -> bool:
    """One conditional UPDATE: the database compares and adds, for the part or for every row. By `ledger-parts`."""
    changed = db.change(
        "UPDATE tacit_balance SET main = main + ?, delta = delta + ? WHERE account = ? AND (? = '' OR part = ?) "
        "AND main + ? <= main_limit AND delta + ? <= delta_limit",
        cost.main, cost.delta, account, part, part, cost.main, cost.delta,
    )  # fmt: skip
    return changed == (1 if part else rows)


def _turn(db: Session, request: Request, rows: list[Balance]) -> Stage:
    """Turn what is left of an `Approx` limit into a "rho" stage. By `ledger-stages`."""
    terms = find_terms(db, request.account)
    if terms is None or not isinstance(terms.limit, Approx):
        raise BudgetExceeded(
            f"a {type(request.charge).__name__} charge has no finite price under the limit of account "
            f"{request.account!r}; nothing was read. Use a mechanism in the limit's own currency"
        )
    most = worst(rows)
    stage = concentrated_rest(most.left, most.scale)
    if stage is None:
        raise BudgetExceeded(_refusal(request, rows))
    bits = (stage.scale.main, stage.scale.delta)
    detail = {
        "bits": bits,
        "spent": (most.main, most.delta),
        "spent_bits": (most.scale.main, most.scale.delta),
        "conversion": most.left.delta - stage.delta,
    }
    append(
        db, "stage", request.account, request.account, currency=stage.currency, main=stage.main, delta=stage.delta,
        label=json.dumps(detail),
    )  # fmt: skip
    db.change(
        "UPDATE tacit_balance SET currency = ?, main = 0, delta = 0, main_limit = ?, delta_limit = ?, "
        "main_bits = ?, delta_bits = ? WHERE account = ?",
        stage.currency, stage.main, stage.delta, *bits, request.account,
    )  # fmt: skip
    return stage


def _refusal(request: Request, rows: list[Balance]) -> str:
    left = amount_left(worst([row for row in rows if request.part in ("", row.part)]))
    return (
        f"the charge {request.charge} does not fit account {request.account!r}, which has {left} left; nothing was "
        f"read. Ask for less, or end the work on this account"
    )
