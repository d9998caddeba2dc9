"""Accounts as they are written: their terms, their balances, what they have spent."""

import json
from dataclasses import dataclass

from tacit.ledger.amounts import Amount, Balance, Turned, amount_left, amount_spent, worst
from tacit.ledger.filters import Stage, as_currency, budget_from_text, budget_text, first_stage
from tacit.ledger.history import append, find_event
from tacit.ledger.store import Row, Session
from tacit.ledger.units import Cost, Scale
from tacit.privacy import Budget


@dataclass(frozen=True)
class Terms:
    """What an account was opened with; it never changes."""

    name: str
    limit: Budget
    schema: str | None
    parts: tuple[str, ...]


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


_COLUMNS = "part, currency, main, delta, main_limit, delta_limit, main_bits, delta_bits"


def balances(db: Session, account: str) -> list[Balance]:
    """The balance of the whole and of each part."""
    rows = db.rows(f"SELECT {_COLUMNS} FROM tacit_balance WHERE account = ? ORDER BY part", account)
    turned = find_turned(db, account) if any(row[1] == "rho" for row in rows) else None
    return [_balance(row, turned.excess if turned else None) for row in rows]


def find_turned(db: Session, account: str) -> Turned | None:
    """How the account turned to zCDP; None if it did not."""
    event = find_event(db, "stage", account)
    if event is None:
        return None
    detail = json.loads(event.label)
    return Turned(Cost(*detail["spent"]), detail["conversion"], Scale(*detail["spent_bits"]), detail.get("excess"))


def all_balances(db: Session) -> dict[str, list[Balance]]:
    """The balances of every account."""
    found: dict[str, list[Balance]] = {}
    for account, *row in db.rows(f"SELECT account, {_COLUMNS} FROM tacit_balance ORDER BY account, part"):
        found.setdefault(account, []).append(_balance(tuple(row)))
    return found


def _balance(row: Row, excess: float | None = None) -> Balance:
    part, currency, main, delta, main_limit, delta_limit, main_bits, delta_bits = row
    stage = Stage(as_currency(currency), main_limit, delta_limit, Scale(main_bits, delta_bits), excess)
    return Balance(part, stage, main, delta)


def spent(db: Session, account: str, part: str) -> Amount:
    """What the account, or one part of it, has spent."""
    return amount_spent(_concerned(db, account, part), find_turned(db, account))


def remaining(db: Session, account: str, part: str) -> Amount:
    """What may still be charged to the account, or to one part of it."""
    return amount_left(_concerned(db, account, part))


def _concerned(db: Session, account: str, part: str) -> Balance:
    return worst([row for row in balances(db, account) if part in ("", row.part)])
