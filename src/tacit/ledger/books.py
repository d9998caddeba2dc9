"""The book-keeping: each function is one step inside one transaction.

charge → (compute, once, outside) → store, and settle for ex-post mechanisms. Nothing but a settlement ever gives
anything back. By `ledger-protocol`.
"""

import json
import math
from dataclasses import dataclass

from tacit.errors import BudgetExceeded, LedgerError
from tacit.ledger.accounts import balances, find_terms
from tacit.ledger.amounts import Balance, amount_left, worst
from tacit.ledger.chain import Event, sha256
from tacit.ledger.filters import Currency, Stage, budget_from_text, budget_text, concentrated_rest, price
from tacit.ledger.history import append, find_event
from tacit.ledger.store import RESTORE, Session
from tacit.ledger.units import Cost, units_up
from tacit.privacy import Budget, ExPost


@dataclass(frozen=True)
class Request:
    """A charge somebody wants to make."""

    account: str
    part: str
    key: str
    charge: Budget
    query: str
    label: str


def charge(db: Session, request: Request) -> bytes | None:
    """Book a charge, or find that this very request was booked before. By `ledger-protocol`.

    Returns what was stored under the key; None means: compute now, once. A key booked for anything else is refused,
    and so is one whose computation never ended.
    """
    before = find_event(db, "charge", request.key)
    if before is not None:
        _check_same(before, request)
        return _release(db, request.key)
    currency, cost = _book(db, request)
    append(
        db, "charge", request.account, request.key, part=request.part, currency=currency, main=cost.main,
        delta=cost.delta, loss=budget_text(request.charge), label=request.label, digest=request.query,
    )  # fmt: skip
    return None


def store(db: Session, account: str, key: str, output: bytes | None) -> tuple[bytes | None, bool]:
    """Store a release under its key, or close the key (None). The first writer wins; everybody gets its bytes."""
    if find_event(db, "store", key) is not None:
        return _stored(db, key), False
    charged = find_event(db, "charge", key)
    append(
        db, "store", account, key, digest="" if output is None else sha256(output), output=output,
        at=charged.at if charged else None,
    )  # fmt: skip
    return output, True


def fetch(db: Session, account: str, part: str, key: str) -> bytes:
    """The release of an account that is stored under a key."""
    charged = find_event(db, "charge", key)
    if charged is None or charged.account != account or part not in ("", charged.part):
        raise LedgerError(f"account {account!r} has no charge under the key {key!r}; its history lists the keys")
    return _release(db, key)


def _release(db: Session, key: str) -> bytes:
    """The release of a key that was charged; an error that says why there is none."""
    if find_event(db, "store", key) is None:
        raise LedgerError(
            f"key {key!r} is charged and has no release: it is being computed, or the process that computed it died. "
            f"It is never computed again, because what ended it may have depended on the noise. If it died, use a "
            f"new key, which is charged anew"
        )
    output = _stored(db, key)
    if output is None:
        raise LedgerError(
            f"key {key!r} was closed without a release: its computation failed, or did not store its result. The "
            f"charge stays; use a new key, which is charged anew"
        )
    return output


def _stored(db: Session, key: str) -> bytes | None:
    """What was stored under a key, None if it was closed without a release; checked against its digest."""
    digest, output = db.rows("SELECT digest, output FROM tacit_event WHERE kind = 'store' AND key = ?", key)[0]
    if digest != ("" if output is None else sha256(output)):
        raise LedgerError(f"the release stored under key {key!r} was changed after it was stored; {RESTORE}")
    return None if output is None else bytes(output)


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
    most = math.inf if reserved.unit == "rho" else reserved.amount
    if paid.total > most or paid.delta > reserved.own_delta:
        raise LedgerError(
            f"the mechanism under key {key!r} reports a loss of {paid}, more than it reserved ({reserved}); the whole "
            f"reservation stays charged. This is a defect of the mechanism"
        )
    stage = balances(db, event.account)[0].stage
    stays = event.currency != "epsilon" or stage.currency != "epsilon"
    back = 0 if stays else event.main - units_up(paid.total, stage.scale.main)
    _add(db, event.account, event.part, Cost(-back, 0), rows=0)
    append(
        db, "settle", event.account, key, part=event.part, currency=event.currency, main=-back,
        loss=json.dumps(["ExPost", paid.test, paid.hypothesis, paid.delta]), at=event.at,
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
    stage = rows[0].stage
    if price(request.charge, stage) is None:
        stage = _turn(db, request, rows)
    cost = price(request.charge, stage)
    if cost is None or not _add(db, request.account, request.part, cost, len(rows)):
        raise BudgetExceeded(_refusal(db, request, rows))
    return stage.currency, cost


def _add(db: Session, account: str, part: str, cost: Cost, rows: int) -> bool:
    """One conditional UPDATE: the database compares and adds, for the part or for every row. By `ledger-parts`."""
    changed = db.change(
        "UPDATE tacit_balance SET main = main + ?, delta = delta + ? WHERE account = ? AND (? = '' OR part = ?) "
        "AND main + ? <= main_limit AND delta + ? <= delta_limit",
        cost.main, cost.delta, account, part, part, cost.main, cost.delta,
    )  # fmt: skip
    return changed == (1 if part else rows)


def _turn(db: Session, request: Request, rows: list[Balance]) -> Stage:
    """Turn what is left of an `Approx` limit into a "rho" stage for a ρ that fits it. By `ledger-stages`."""
    most = worst(rows)
    before = most.stage.scale
    stage = concentrated_rest(most.left, before, request.charge.amount)
    if stage is None:
        raise BudgetExceeded(_refusal(db, request, rows))
    bits = (stage.scale.main, stage.scale.delta)
    detail = {
        "bits": bits,
        "spent": (most.main, most.delta),
        "spent_bits": (before.main, before.delta),
        "conversion": most.left.delta - stage.delta,
        "excess": stage.excess,
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


def _refusal(db: Session, request: Request, rows: list[Balance]) -> str:
    terms, charge = find_terms(db, request.account), request.charge
    limit = terms.limit if terms else charge
    foreign = "a δ" if charge.own_delta else "a ρ" if charge.unit == "rho" and limit.unit == "epsilon" else None
    if foreign and not limit.own_delta:
        return (
            f"the charge {charge} does not fit account {request.account!r}: its limit {limit} has no δ, so no charge "
            f"with {foreign} fits it, however small; no noise was drawn, nothing was released. Use a mechanism in the "
            f"limit's own currency, or an account whose limit has a δ: limit=Approx(ε, δ)"
        )
    left = amount_left(worst([row for row in rows if request.part in ("", row.part)]))
    return (
        f"the charge {charge} does not fit account {request.account!r}, which has {left} left; no noise was "
        f"drawn, nothing was released. Ask for less, or end the work on this account"
    )
