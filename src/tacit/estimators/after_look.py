"""A paid look at the columns, then a job on rows that the look has placed: two releases, one charge.

What the look released (centre, spreads, usual levels) is public, so the second job may be calibrated to it. By
`composition` and by `released-encoding`.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from tacit.certificate import describe
from tacit.domain import ReleasedGeometry, Schema, placed_encoding
from tacit.estimators.admission import AdmittedRows
from tacit.estimators.pipeline import Finished, Job
from tacit.mechanisms import Shape
from tacit.mechanisms.centring import Centring, ColumnSummary
from tacit.noise import Entropy
from tacit.privacy import Budget, ExPost, compose
from tacit.rows import Rows

Following = Callable[[Shape, Budget], Job]
"""The job for rows of a public shape, within a budget."""


@dataclass(frozen=True)
class AfterLook:
    """clipped: whether rows may be clipped inside their declared bounds; intervals need rows that are not."""

    look: ColumnSummary
    centring: Centring
    clipped: bool
    following: Following
    rest: Budget
    charge: Budget

    @property
    def query(self) -> Any:
        return {"look": describe(self.look.facts), "centring": asdict(self.centring), "clipped": self.clipped}

    def __call__(self, rows: Rows, entropy: Entropy) -> Finished:
        geometry = self.centring.geometry(self.look, self.look(rows, entropy))
        geometry = geometry if self.clipped else geometry.unclipped()
        placed = _placed(rows, self.look.schema, geometry)
        finished = self.following(Shape.of(placed), self.rest)(placed, entropy)
        lost = finished.lost
        return Finished(
            released={"geometry": geometry.to_dict(), **finished.released},
            lost=compose(self.look.charge, lost) if isinstance(lost, ExPost) else self.charge,
            choice=f"a look at the columns first, because it is sharp (blur {self.look.blur:.3g}); {finished.choice}",
            entries=(describe(self.look.facts), *finished.entries),
        )


def after_look(
    centring: Centring | None,
    admitted: AdmittedRows,
    budget: Budget,
    following: Following,
    *,
    clipped: bool = True,
    gaussian: bool = False,
) -> AfterLook | None:
    """A look and a job after it that cost this budget together; None where none is wanted or none would be sharp.

    gaussian: whether everything that follows adds Gaussian noise to a sum, so that strengths add up exactly.
    """
    declared, rows = admitted.declaration, admitted.rows
    if centring is None or not isinstance(declared, Schema) or rows.sparse:
        return None
    shares = centring.shares(budget, gaussian=gaussian)
    look = centring.look(declared, rows.n, shares)
    if look is None:
        return None
    following(Shape.of(rows), shares.rest)  # what cannot be planned is refused now, before anything is charged
    return AfterLook(look, centring, clipped, following, shares.rest, shares.whole)


def search_after_look(centring: Centring | None, admitted: AdmittedRows, budget: Budget, search: Following) -> Job:
    """A search, perhaps after a look. It costs more than this budget, so that charges must add up: under pure ε."""
    shape = Shape.of(admitted.rows)
    plain = search(shape, budget)
    if budget.allows_gaussian or plain.charge.allows_gaussian:
        return plain
    job = after_look(centring, admitted, budget, search)
    return plain if job is None else replace(job, charge=compose(job.look.charge, search(shape, job.rest).charge))


def _placed(rows: Rows, schema: Schema, geometry: ReleasedGeometry) -> Rows:
    """The rows around the released centre; a real target too, if the geometry has one for it."""
    placed = rows.re_encoded(placed_encoding(schema, geometry))
    if geometry.target is None:
        return placed
    centre, scale = geometry.target
    return placed.recoded(lambda y: np.clip((y - centre) * scale, -1.0, 1.0))
