"""The one way from a table to a release.

    admit (public shape only) → plan from public facts → reserve → open the rows → run → settle → certify → keep

An estimator brings an `Order`: a sealed table and a job that is calibrated and priced before any cell is looked at.
Here the price is booked, and only then are the rows opened. What is kept is a model file, the same bytes with an
account and without one; the fitted estimator is read back from it. By `ledger-protocol`.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from tacit._version import __version__
from tacit.certificate import Certificate
from tacit.estimators.declarations import Declaration, declaration_to_dict, unit_of
from tacit.estimators.model_file import ModelFile
from tacit.ledger import Account
from tacit.noise import Entropy, entropy_of
from tacit.privacy import Budget, ExPost
from tacit.rows import SealedPoints, SealedRows


@dataclass(frozen=True)
class Admitted:
    """A table that passed the public checks; none of its cells was looked at.

    columns, names: of the table as it was passed; no names where it has none.
    assumed_public: what the certificate lists as such.
    """

    rows: SealedRows | SealedPoints
    declaration: Declaration
    columns: int
    names: tuple[str, ...]
    assumed_public: tuple[str, ...]


@dataclass(frozen=True)
class Finished:
    """What a job gives back. All of it is public: released values, what they cost, and what is said about them.

    released: plain values for the model file. entries: one for each release, as the certificate describes it.
    """

    released: Mapping[str, Any]
    lost: Budget | ExPost
    choice: str
    entries: tuple[Mapping[str, Any], ...]


class Job(Protocol):
    """Work on private rows, calibrated from public facts; the rows are read when it is called."""

    @property
    def charge(self) -> Budget:
        """The most that a call can cost, booked before a row is read."""

    @property
    def query(self) -> Any:
        """What is asked of the rows, as plain values: a ledger key stands for one such question."""

    def __call__(self, rows: Any, entropy: Entropy) -> Finished:
        """Read the rows, draw the noise, return only what is private."""


@dataclass(frozen=True)
class Order:
    """Everything that is public about one release before it is made. asked: the budget in the user's own currency."""

    estimator: str
    parameters: Mapping[str, Any]
    admitted: Admitted
    job: Job
    asked: Budget


def release(order: Order, account: Account | None, random_state: object) -> ModelFile:
    """Pay, read, run, certify and keep: the model file, as it is stored."""
    entropy = entropy_of(random_state)

    def made(entry: str | None) -> tuple[bytes, ExPost | None]:
        finished = order.job(order.admitted.rows.open(), entropy)
        lost = finished.lost if isinstance(finished.lost, ExPost) else None
        return _model_file(order, finished, entropy, entry).to_bytes(), lost

    if account is None:
        return ModelFile.from_bytes(made(None)[0])
    return ModelFile.from_bytes(_stored(order, account, entropy, made))


def _stored(
    order: Order, account: Account, entropy: Entropy, made: Callable[[str], tuple[bytes, ExPost | None]]
) -> bytes:
    """Reserve, make, settle and store; a key that has released before gives the same bytes again."""
    fingerprint = order.admitted.declaration.fingerprint()
    asked = {
        "estimator": order.estimator,
        "parameters": order.parameters,
        "declaration": fingerprint,
        "n": order.admitted.rows.n,
        "columns": order.admitted.columns,
        "randomness": entropy.source,
        "job": order.job.query,
    }
    query = json.dumps(asked, sort_keys=True).encode()
    with account.reserve(order.job.charge, query, label=order.estimator, schema=fingerprint) as reservation:
        if reservation.released is not None:
            return reservation.released
        model, lost = made(f"account {account.name!r}, entry {reservation.key}")
        return reservation.store(model, paid=lost)


def _model_file(order: Order, finished: Finished, entropy: Entropy, entry: str | None) -> ModelFile:
    admitted = order.admitted
    certificate = Certificate.stating(
        order.asked,
        guarantee=finished.lost,
        n=admitted.rows.n,
        unit=unit_of(admitted.declaration),
        choice=finished.choice,
        releases=finished.entries,
        randomness=entropy.source,
        private=entropy.private,
        assumed_public=admitted.assumed_public,
        schema_fingerprint=admitted.declaration.fingerprint(),
        version=__version__,
        ledger=entry,
    )
    return ModelFile(
        estimator=order.estimator,
        parameters=order.parameters,
        declaration=declaration_to_dict(admitted.declaration),
        columns=admitted.columns,
        names=admitted.names,
        released=finished.released,
        certificate=certificate,
    )
