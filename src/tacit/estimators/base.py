"""What all private linear estimators share: the door, the budget, the certificate, the table of coefficients."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from tacit.certificate import SEAL, Certificate
from tacit.domain import Domain, Encoding, Geometry, Schema
from tacit.errors import ParameterError
from tacit.estimators import persistence
from tacit.estimators.admission import admit_table
from tacit.estimators.certified import certified
from tacit.estimators.guard import refuse_unpaid_refits
from tacit.estimators.intervals import WHAT_IS_COVERED, WithIntervals, wants_intervals
from tacit.estimators.payment import Job, Paid, run
from tacit.inference import Evidence, Summary, evidence_of
from tacit.ledger import Account
from tacit.losses import Loss
from tacit.mechanisms import FitRequest
from tacit.noise import Entropy, entropy_of
from tacit.privacy import Budget, as_budget
from tacit.rows import Rows, linear_scores, open_rows

Floats = NDArray[np.float64]
Declaration = Domain | Schema

LEAST = 1e-60  # of l2 and radius, and of their inverses: squares and quotients stay far from the ends of the floats


class PrivateLinearModel(WithIntervals, BaseEstimator):  # type: ignore[misc]
    """Base of the private linear estimators; see a subclass for the parameters."""

    privacy: object
    domain: Declaration | None
    l2: float | None
    radius: float | None
    fit_intercept: bool
    mechanism: str
    inference: Any
    ledger: Account | None
    random_state: Any

    coef_: Floats
    intercept_: Any
    certificate_: Certificate
    encoded_coef_: Floats

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fit privately. X: array, sparse matrix or table; y: targets, or None to take the schema's target column."""
        budget = as_budget(self.privacy)
        request = self._request()
        refuse_unpaid_refits(self.ledger)
        declaration, X, y = self._admit(X, y)
        rows = open_rows(X, y, declaration, self._geometry())
        jobs = self._jobs(rows, request, budget)
        entropy = entropy_of(self.random_state)
        query = {"estimator": type(self).__name__, "declaration": declaration.fingerprint(), "n": rows.n}
        paid = run(jobs, entropy, self.ledger, query, type(self).__name__)
        self._keep(jobs, paid, entropy, declaration, budget)
        return self

    def summary(self, level: float = 0.95) -> Summary:
        """The released coefficients in the user's units, the size of the privacy noise, and intervals if bought."""
        check_is_fitted(self)
        names, coefficients, noise = self._table()
        certificate = self.certificate_
        seal = "" if certificate.private else f" — {SEAL}"
        intervals = self.conf_int(level) if self._evidence else None
        fit = certificate.releases[0 if self._evidence else -1]["mechanism"]
        footer = f"{certificate.guarantee} for {certificate.unit}; n = {certificate.n:,}"
        return Summary(
            title=f"{type(self).__name__}: {fit}{seal}",
            names=names,
            coefficients=coefficients,
            noise=noise,
            bounded=not self._evidence and fit == "objective perturbation",
            footer=(footer, WHAT_IS_COVERED) if self._evidence else (footer,),
            level=level,
            intervals=None if intervals is None else intervals.to_numpy(),
        )

    def save(self, path: str | Path) -> None:
        """Write the fitted model as JSON: coefficients, declaration and certificate, no data and no code."""
        check_is_fitted(self)
        persistence.save(self, Path(path))

    @abstractmethod
    def _loss(self) -> Loss:
        """The loss of this model."""

    @abstractmethod
    def _default_geometry(self) -> Geometry:
        """How rows are placed in the unit ball."""

    @abstractmethod
    def _jobs(self, rows: Rows, request: FitRequest, budget: Budget) -> Sequence[Job]:
        """What is to be released, calibrated; reads no row."""

    @abstractmethod
    def _admit(self, X: Any, y: Any) -> tuple[Declaration, Any, Any]:
        """The declaration in force, and X and y as it wants them."""

    @abstractmethod
    def _set_coefficients(self, encoding: Encoding) -> None:
        """coef_ and intercept_ from encoded_coef_."""

    @abstractmethod
    def _table(self) -> tuple[tuple[str, ...], Floats, Floats]:
        """(names, coefficients, noise) of the summary."""

    def _request(self) -> FitRequest:
        for name, value in (("l2", self.l2), ("radius", self.radius)):
            number = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
            if value is not None and not (number and LEAST <= float(value) <= 1 / LEAST):
                raise ParameterError(
                    f"{name} must be a positive number between {LEAST:g} and {1 / LEAST:g}, or None for the default, "
                    f"got {value!r}"
                )
        if self.ledger is not None and not isinstance(self.ledger, Account):
            raise ParameterError(f"ledger must be an account, as from Ledger(url).open(...), got {self.ledger!r}")
        l2, radius = (None if value is None else float(value) for value in (self.l2, self.radius))
        return FitRequest(self._loss(), l2, radius)

    def _geometry(self) -> Geometry:
        default = self._default_geometry()
        if wants_intervals(self.inference):
            default = replace(default, clip=None)  # only then are coefficients and scores linear in the raw row
        return default if self.fit_intercept else replace(default, constant=None)

    def _declaration(self) -> Declaration:
        if self.domain is None:
            return Domain()
        if not isinstance(self.domain, (Domain, Schema)):
            raise ParameterError(f"domain must be a Domain or a Schema, got {type(self.domain).__name__}")
        return self.domain

    def _admit_features(self, X: Any, schema: Schema) -> None:
        self.n_features_in_ = len(schema.features)
        self.feature_names_in_ = np.array(list(schema.features), dtype=object)

    def _keep(self, jobs: Sequence[Job], paid: Paid, entropy: Entropy, declaration: Declaration, asked: Budget) -> None:
        certificate = certified(jobs, paid, asked, declaration, entropy, self._assumed_public())
        thetas = np.stack([release.theta for release in paid.releases])
        deviations = np.stack([release.deviation for release in paid.releases])
        evidence = [evidence_of(job.plan.mechanism, kept) for job, kept in zip(jobs, paid.releases, strict=True)]
        known = tuple(found for found in evidence if found is not None)
        self._restore(jobs[0].rows.encoding, declaration, thetas, deviations, certificate, known)

    def _restore(
        self,
        encoding: Encoding,
        declaration: Declaration,
        thetas: Floats,
        deviations: Floats,
        certificate: Certificate,
        evidence: tuple[Evidence, ...],
    ) -> None:
        """Set everything that a fitted model holds: after a fit, or from a file."""
        self._declared = declaration
        self._encoding_names = encoding.feature_names
        self._linear_map = encoding.linear_map()[0]
        self._deviations = deviations
        self._evidence = evidence
        self.encoded_coef_ = thetas
        self._set_coefficients(encoding)
        self.certificate_ = certificate

    def _assumed_public(self) -> tuple[str, ...]:
        return ("the number of rows", "the declaration (bounds, categories, unit)", "the parameters of this estimator")

    def _scores(self, X: Any) -> Floats:
        """⟨x̃, θ⟩ for each row and each released vector, rows encoded as for the fit."""
        check_is_fitted(self)
        if not isinstance(self._declared, Schema):
            admit_table(self, X, reset=False)
        return linear_scores(X, self.encoded_coef_.T, self._declared, self._geometry())

    def _coefficient_noise(self, index: int) -> Floats:
        """Noise in (coef, intercept) from independent noise in θ: √(Σ A²s²); estimated if a Hessian was released."""
        if self._evidence:
            return self._evidence[index].noise_deviations(self._linear_map)
        return np.asarray(np.sqrt(self._linear_map**2 @ self._deviations[index] ** 2))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        # Cells are never refused: what is not a number is missing, as declared.
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        return tags
