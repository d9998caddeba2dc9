"""The certificate of a fit: what its jobs promised, what they cost, what was assumed public."""

from collections.abc import Sequence

from tacit._version import __version__
from tacit.certificate import REPORTED_DELTA, Certificate, describe
from tacit.domain import Domain, Schema
from tacit.estimators.payment import Job, Paid
from tacit.noise import Entropy
from tacit.privacy import Budget


def certified(
    jobs: Sequence[Job],
    paid: Paid,
    asked: Budget,
    declaration: Domain | Schema,
    entropy: Entropy,
    assumed_public: tuple[str, ...],
) -> Certificate:
    """Everything on it is public or was released."""
    return Certificate(
        guarantee=paid.charge,
        n=jobs[0].rows.n,
        unit=declaration.unit if isinstance(declaration, Schema) else "one row",
        choice=jobs[0].plan.why,
        releases=tuple(describe(facts, label=job.label) for job in jobs for facts in job.plan.mechanism.facts),
        randomness=entropy.source,
        private=entropy.private,
        assumed_public=assumed_public,
        schema_fingerprint=declaration.fingerprint(),
        version=__version__,
        ledger=paid.entry,
        delta=asked.own_delta or REPORTED_DELTA,
    )
