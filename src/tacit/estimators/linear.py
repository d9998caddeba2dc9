"""What all private linear estimators share: their parameters, the stages of a fit, the table of coefficients."""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Protocol

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from tacit.arithmetic import Floats
from tacit.certificate import SEAL, Certificate
from tacit.domain import Domain, Geometry, Placement, ReleasedGeometry, Schema
from tacit.errors import ParameterError
from tacit.estimators.admission import AdmittedRows
from tacit.estimators.after_look import after_look
from tacit.estimators.fits import Fit
from tacit.estimators.intervals import INTERCEPT, WithIntervals, chosen_split, wants_intervals
from tacit.estimators.kinds import Kind, budget_of_each
from tacit.estimators.model_file import ModelFile
from tacit.estimators.parameters import plain_parameters
from tacit.estimators.pipeline import Job, Order
from tacit.estimators.vectors import Vector, pack
from tacit.inference import (
    COEFFICIENT,
    NOISE,
    NOISE_BOUND,
    NOISE_GUESS,
    WIDEST,
    Evidence,
    OrdinaryEvidence,
    Summary,
    typical_noise,
)
from tacit.ledger import Account
from tacit.losses import Loss
from tacit.mechanisms import FitRequest, Plan, Shape, plan_fit
from tacit.mechanisms.centring import Centring
from tacit.mechanisms.intervals import Split, plan_with_intervals
from tacit.privacy import Budget, as_budget

LEAST = 1e-60  # of l2 and radius, and of their inverses: squares and quotients stay far from the ends of the floats
NOTE_ON_GUESS = (
    "privacy noise: its size if a column's standard deviation is a quarter of its half-range and columns do not repeat "
    "each other; narrower ones have more. A guess from public facts: inference=True measures it"
)
NOTE_ON_BOUND = "privacy noise: an upper bound, which can be far above the true size; the curvature was not released"


class Searchable(Protocol):
    """What a search asks of the model it searches with: the stages of a fit, one by one."""

    privacy: Any
    l2: float | None
    mechanism: str
    inference: Any
    kind: Kind

    def look_wanted(self, *, single_fit: bool = True) -> Centring | None:
        """The look at the columns that is to come first."""

    def request(self) -> FitRequest:
        """What the user fixed, checked."""

    def admit(self, X: Any, y: Any) -> AdmittedRows:
        """The public checks of a table; no cell is looked at."""

    def plan(self, shape: Shape, budget: Budget) -> Plan:
        """One release, calibrated to rows of a public shape."""

    def restore(self, kept: ModelFile) -> None:
        """Become the fitted model of this file."""


class PrivateLinearModel(WithIntervals):
    """Base of the private linear estimators; see a subclass for the parameters."""

    default_domain = Domain()
    geometry: ClassVar[Geometry]
    centring: ClassVar[Centring | None] = None

    def __init__(
        self,
        *,
        privacy: Budget | float = 1.0,
        domain: Domain | Schema | None = None,
        l2: float | None = None,
        radius: float | None = None,
        fit_intercept: bool = True,
        mechanism: str = "auto",
        centre: bool | Centring = True,
        inference: bool | Split = False,
        ledger: Account | None = None,
        random_state: Any = None,
    ) -> None:
        self.privacy = privacy
        self.domain = domain
        self.l2 = l2
        self.radius = radius
        self.fit_intercept = fit_intercept
        self.mechanism = mechanism
        self.centre = centre
        self.inference = inference
        self.ledger = ledger
        self.random_state = random_state

    def request(self) -> FitRequest:
        """What the user fixed: loss, λ and radius, checked."""
        for name, value in (("l2", self.l2), ("radius", self.radius)):
            number = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
            if value is not None and not (number and LEAST <= float(value) <= 1 / LEAST):
                raise ParameterError(
                    f"{name} must be a positive number between {LEAST:g} and {1 / LEAST:g}, or None for the default, "
                    f"got {value!r}"
                )
        l2, radius = (None if value is None else float(value) for value in (self.l2, self.radius))
        return FitRequest(self._loss(), l2, radius)

    def plan(self, shape: Shape, budget: Budget) -> Plan:
        """One release, calibrated to rows of a public shape, with what intervals need if they are wanted."""
        if wants_intervals(self.inference):
            return plan_with_intervals(shape, self.request(), budget, self.mechanism, chosen_split(self.inference))
        return plan_fit(shape, self.request(), budget, self.mechanism)

    def plan_after_look(self, shape: Shape, budget: Budget) -> Plan:
        """The same for rows that were placed by a look at their columns."""
        return self.plan(shape, budget)

    def look_wanted(self, *, single_fit: bool = True) -> Centring | None:
        """The look at the columns that this model asks for; True asks for one before single fits without intervals.

        A shift of the columns is an intercept, so a model without one takes no look; nor does the published baseline.
        """
        if not isinstance(self.centre, (bool, np.bool_, Centring)):
            raise ParameterError(f"centre must be True, False or a Centring, got {self.centre!r}")
        if not self.fit_intercept or self.mechanism == "functional":
            return None
        if isinstance(self.centre, Centring):
            return self.centre
        return self.centring if self.centre and single_fit and not wants_intervals(self.inference) else None

    def preview(self, X: Any, y: Any = None) -> str:
        """What a fit of this table would release, at what cost, in words; nothing is charged and no cell looked at."""
        job = self._order(X, y).job
        why = job.plan.why if isinstance(job, Fit) else "a look at the columns first, then a fit calibrated to it"
        return f"{job.charge} in all: {why}"

    def summary(self, level: float = 0.95, correction: str | None = None) -> Summary:
        """The released coefficients in the user's units, with the size of the privacy noise.

        With intervals: standard errors (all error), the part that privacy makes, intervals, z statistics and p-values,
        these corrected for many tests at once if correction is "holm" or "bonferroni".
        """
        check_is_fitted(self)
        certificate = self.certificate_
        if self._evidence:
            table, notes = self._estimate_table(level, correction), self._notes_on_intervals(level)
        else:
            label, noise, notes = self._noise()
            columns = {COEFFICIENT: self._coefficients(), label: noise}
            table = pd.DataFrame(columns, index=list(self._coefficient_names()))
            notes = (*self._baseline_notes(), *notes)
        guarantee = f"{certificate.headline} for {certificate.unit}; n = {certificate.n:,}"
        return Summary(self._title(certificate), table, (guarantee, self._model_in_words(), *notes), level)

    def _model_in_words(self) -> str:
        """The loss and its penalty."""
        l2 = next((release["l2"] for release in self.certificate_.releases if release["l2"]), None)
        penalty = "" if l2 is None else f", l2 = {l2:.3g}"
        ordinary = any(isinstance(known, OrdinaryEvidence) for known in self._evidence)
        return f"{self._loss().name} loss{penalty}" + (
            " in a pilot, taken back by the steps that follow" if ordinary else ""
        )

    @abstractmethod
    def _loss(self) -> Loss:
        """The loss of this model."""

    def _order(self, X: Any, y: Any) -> Order:
        budget = as_budget(self.privacy)
        self.request()
        admitted = self.admit(X, y)
        parts = self.kind.parts(admitted.declaration.outcome)

        def fit(shape: Shape, rest: Budget) -> Fit:
            return Fit(self.plan_after_look(shape, budget_of_each(rest, parts)), parts, pack)

        clipped = not wants_intervals(self.inference)
        gaussian = clipped and self._adds_to_a_sum()
        job: Job | None = after_look(self.look_wanted(), admitted, budget, fit, clipped=clipped, gaussian=gaussian)
        if job is None:
            job = Fit(self.plan(Shape.of(admitted.rows), budget_of_each(budget, parts)), parts, pack)
        return Order(type(self).__name__, plain_parameters(self), admitted, job, budget)

    def _adds_to_a_sum(self) -> bool:
        """Whether, under a budget that allows it, all that is released is Gaussian noise on a sum."""
        return False

    def _placement(self) -> Placement:
        return self._geometry() if self._released_geometry is None else self._released_geometry

    def _keep(self, kept: ModelFile) -> None:
        self.request()  # the parameters of a file are checked as those of a fit
        released = kept.released.get("geometry")
        self._released_geometry = None if released is None else ReleasedGeometry.from_dict(released)
        encoding = self._encoding()
        self._vectors = tuple(Vector.from_dict(each, encoding.width) for each in kept.released["vectors"])
        if not kept.certificate.releases or len(self._evidence) not in (0, len(self._vectors)):
            raise ValueError("a certificate without a release, or evidence about some of the vectors")
        self._keep_vectors(np.stack([vector.theta for vector in self._vectors]), encoding)

    def _released(self) -> dict[str, Any]:
        vectors = {"vectors": [vector.to_dict() for vector in self._vectors]}
        geometry = self._released_geometry
        return vectors if geometry is None else {"geometry": geometry.to_dict(), **vectors}

    def _geometry(self) -> Geometry:
        geometry = self.geometry
        if wants_intervals(self.inference):
            # Only then are coefficients and scores linear in the raw row, and levels told apart from the constant.
            geometry = replace(geometry, clip=None, baselines=True)
        return geometry if self.fit_intercept else replace(geometry, constant=None)

    @property
    def _evidence(self) -> tuple[Evidence, ...]:
        return tuple(vector.evidence for vector in self._vectors if vector.evidence is not None)

    def _noise(self) -> tuple[str, Floats, tuple[str, ...]]:
        """(label, deviations, note): of each coefficient; a guess from public facts where only a bound is known."""
        directions = self._directions()
        if not any(vector.bounded for vector in self._vectors):
            return NOISE, np.concatenate([vector.noise(directions) for vector in self._vectors]), ()
        if directions.shape[1] > WIDEST:
            return NOISE_BOUND, np.concatenate([vector.noise(directions) for vector in self._vectors]), (NOTE_ON_BOUND,)
        l2, encoding, loss = float(self.certificate_.releases[-1]["l2"]), self._encoding(), self._loss()
        guesses = [
            typical_noise(vector.theta, float(vector.deviation[0]), l2, loss, encoding, directions)
            for vector in self._vectors
        ]
        return NOISE_GUESS, np.concatenate(guesses), (NOTE_ON_GUESS,)

    def _directions(self) -> Floats:
        """The matrix A of (coef, intercept) = A θ + b, without the rows of baseline levels."""
        return np.asarray(self._encoding().linear_map()[0][self._shown()])

    def _direction(self, weights: Mapping[str, float]) -> Floats:
        """The direction of a combination of named coefficients, as a matrix of one row."""
        matrix, every = self._encoding().linear_map()[0], [*self._encoding().feature_names, INTERCEPT]
        unknown = [name for name in weights if name not in every]
        if unknown or not weights:
            raise ParameterError(f"found no coefficients of the names {unknown}; expected some of {every}")
        return np.asarray(sum(weight * matrix[[every.index(name)]] for name, weight in weights.items()))

    def _shown(self) -> NDArray[np.intp]:
        """Features that have a coefficient, and the intercept: baseline levels have none."""
        matrix = self._encoding().linear_map()[0]
        return np.flatnonzero(np.append(np.any(matrix[:-1] != 0, axis=1), True))

    def _title(self, certificate: Certificate) -> str:
        fits = certificate.releases[0 if self._released_geometry is None else 1 :]  # a look comes before all others
        ordinary = any(isinstance(known, OrdinaryEvidence) for known in self._evidence)
        fit = "ordinary coefficients" if ordinary else fits[0 if self._evidence else -1]["mechanism"]
        return f"{type(self).__name__}: {fit}, {self._loss().name} loss" + ("" if certificate.private else f" — {SEAL}")

    def _coefficient_names(self) -> tuple[str, ...]:
        every = (*self._encoding().feature_names, INTERCEPT)
        names = tuple(every[place] for place in self._shown())
        if len(self._vectors) == 1:
            return names
        return tuple(f"{label}: {name}" for label in self.classes_ for name in names)

    def _coefficients(self) -> Floats:
        """Coefficients and, last, the intercept, of each vector in turn."""
        pairs = zip(np.atleast_2d(self.coef_), np.atleast_1d(self.intercept_), strict=True)
        return np.concatenate([np.append(coef, intercept)[self._shown()] for coef, intercept in pairs])
