"""Private sparse regression and classification: few features out of very many."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd
from scipy.sparse import csr_array
from scipy.special import expit
from sklearn.base import BaseEstimator
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils import ClassifierTags, RegressorTags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from tacit.certificate import Certificate
from tacit.domain import Domain, Encoding, Geometry, Schema
from tacit.errors import ParameterError
from tacit.estimators import lasso_file
from tacit.estimators.admission import admit_table, admit_target, found_classes
from tacit.estimators.base import Declaration, Floats
from tacit.estimators.certified import certified
from tacit.estimators.guard import refuse_unpaid_refits
from tacit.estimators.lasso_request import sparse_fit_request
from tacit.estimators.lasso_table import coefficient_table
from tacit.estimators.payment import Job, run
from tacit.ledger import Account
from tacit.mechanisms import Plan, Shape
from tacit.mechanisms.lasso import PATH, expanded, plan_lasso
from tacit.noise import entropy_of
from tacit.privacy import Budget, as_budget, share_among
from tacit.rows import Rows, linear_scores, open_rows


def _classifies(model: "PrivateLasso") -> bool:
    return model.loss == "logistic"


class PrivateLasso(BaseEstimator):  # type: ignore[misc]
    """Linear model over an ℓ1 ball by private Frank–Wolfe, for many sparse columns of which few matter.

    Dense rows and tables work too; where most columns matter, PrivateRidge and PrivateLogisticRegression are better.

    privacy: Pure, ZCDP or Approx; a number means Pure. Selections cost least in zCDP: prefer Approx(ε, δ) or ZCDP(ρ).
    domain: Domain or Schema, public bounds; default: cells in [−1, 1] and a target in [−1, 1]. Cells are clipped.
    loss: "squared" (regression; residuals clipped at the target's half-width, Huber's loss) or "logistic"
    (classification; the slope is clipped at ½, a straight branch for rows on the wrong side).
    radius: public bound on ‖θ‖₁ in encoded units (cells and target in [−1, 1]); None for 1 (squared) or 20 (logistic).
    steps: how many features are chosen (with repetition); "auto" for the minimiser of a bound from public numbers.
    schedule: "stagewise" (best in practice), "uniform" or "frank-wolfe" (with a worst-case rate).
    column_moment: a public bound on the mean of x_j² over rows, for cells in [−1, 1]; used by steps="auto".
    nonnegative: whether cells are publicly known to be counts, presences or the like: negative ones count as 0. Then
    positive and negative coefficients are chosen in turn, with half the noise, and each sign has half of the radius.
    fit_intercept: put a constant feature into the ball, one more candidate of every step.
    constant_work: read all rows and all candidates in every step, for those who fear that running time tells something.
    path_privacy: a further budget for the mean loss along the path (`loss_path_`); None: no such release.
    ledger: an account to charge. random_state: a seed, for tests; the certificate then says NOT PRIVATE.
    """

    coef_: Floats
    intercept_: Any
    classes_: np.ndarray[Any, Any]
    certificate_: Certificate

    def __init__(
        self,
        *,
        privacy: Budget | float = 1.0,
        domain: Domain | Schema | None = None,
        loss: str = "squared",
        radius: float | None = None,
        steps: int | str = "auto",
        schedule: str = "stagewise",
        column_moment: float = 1.0,
        nonnegative: bool = False,
        fit_intercept: bool = False,
        constant_work: bool = False,
        path_privacy: Budget | float | None = None,
        ledger: Account | None = None,
        random_state: Any = None,
    ) -> None:
        self.privacy = privacy
        self.domain = domain
        self.loss = loss
        self.radius = radius
        self.steps = steps
        self.schedule = schedule
        self.column_moment = column_moment
        self.nonnegative = nonnegative
        self.fit_intercept = fit_intercept
        self.constant_work = constant_work
        self.path_privacy = path_privacy
        self.ledger = ledger
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fit privately. X: array, sparse matrix or table; y: targets, or None to take the schema's target column."""
        budget = as_budget(self.privacy)
        sparse_fit_request(self)
        refuse_unpaid_refits(self.ledger)
        declaration, X, y = self._admit(X, y)
        rows = open_rows(X, y, declaration, self._geometry())
        jobs = self._jobs(rows, budget)
        entropy = entropy_of(self.random_state)
        query = {"estimator": type(self).__name__, "declaration": declaration.fingerprint(), "n": rows.n}
        paid = run(jobs, entropy, self.ledger, query, type(self).__name__)
        certificate = certified(jobs, paid, budget, declaration, entropy, self._assumed_public())
        thetas = np.stack([expanded(release, rows.width) for release in paid.releases])
        if self.path_privacy is not None:
            self.loss_path_ = np.stack([release.statistics[PATH] for release in paid.releases])
        self._restore(rows.encoding, declaration, thetas, certificate)
        return self

    @available_if(_classifies)  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Floats:
        """Scores for loss="logistic": positive for the second class, or one column per class."""
        scores = self._scores(X)
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> np.ndarray[Any, Any]:
        """Classes, or targets in the user's units."""
        check_is_fitted(self)
        if self.loss == "logistic":
            scores = self.decision_function(X)
            codes = (scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
            return np.asarray(self.classes_[codes])
        outcome = self._declared.outcome
        return self._scores(X)[:, 0] * outcome.scale + outcome.offset

    @available_if(_classifies)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """Probability of each class by the logistic function of its score, scaled to sum to one."""
        scores = self.decision_function(X)
        if scores.ndim == 1:
            positive = expit(scores)
            return np.column_stack([1 - positive, positive])
        each = expit(scores)
        return np.asarray(each / each.sum(axis=1, keepdims=True))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy for classes, R² for real targets, on rows of the caller's own."""
        measure = accuracy_score if self.loss == "logistic" else r2_score
        return float(measure(y, self.predict(X), sample_weight=sample_weight))

    @property
    def sparse_coef_(self) -> Any:
        """coef_ as a sparse array with one row per released vector."""
        check_is_fitted(self)
        return csr_array(np.atleast_2d(self.coef_))

    def coefficients(self, names: Sequence[str] | None = None) -> pd.DataFrame:
        """The released coefficients that are not zero, largest first.

        names: of the columns of a matrix that has none, such as a vectorizer's get_feature_names_out().
        """
        check_is_fitted(self)
        table = np.atleast_2d(self.coef_)
        classes = self.classes_ if len(table) > 1 else None
        return coefficient_table(table, self._names if names is None else names, classes)

    def save(self, path: str | Path) -> None:
        """Write the fitted model as JSON: coefficients, declaration and certificate, no data and no code."""
        check_is_fitted(self)
        lasso_file.save(self, Path(path))

    def _jobs(self, rows: Rows, budget: Budget) -> Sequence[Job]:
        path = None if self.path_privacy is None else as_budget(self.path_privacy)
        if self.loss == "squared":
            return [Job(rows, self._plan(rows, budget, path))]
        classes = self.classes_
        if len(classes) == 2:
            return [Job(rows.one_vs_rest(1), self._plan(rows, budget, path))]
        plan = self._plan(rows, share_among(budget, len(classes)), path and share_among(path, len(classes)))
        return [Job(rows.one_vs_rest(k), plan, f"{label} against the rest") for k, label in enumerate(classes)]

    def _plan(self, rows: Rows, budget: Budget, path: Budget | None) -> Plan:
        plan, self.steps_ = plan_lasso(Shape.of(rows), sparse_fit_request(self), budget, path)
        return plan

    def _admit(self, X: Any, y: Any) -> tuple[Declaration, Any, Any]:
        declaration = Domain("linf") if self.domain is None else self.domain
        if not isinstance(declaration, (Domain, Schema)):
            raise ParameterError(f"domain must be a Domain or a Schema, got {type(self.domain).__name__}")
        self._classes_declared = True
        logistic = self.loss == "logistic"
        if isinstance(declaration, Schema):
            classes = declaration.target.classes
            if logistic != (classes is not None):
                raise ParameterError("loss='logistic' needs a target of type binary or classes, 'squared' a real one")
            self.n_features_in_ = len(declaration.features)
            self.feature_names_in_ = np.array(list(declaration.features), dtype=object)
        else:
            admit_table(self, X, reset=True)
            y = admit_target(self, y)
            classes = declaration.classes if logistic else None
            if logistic and classes is None:
                self._classes_declared, classes = False, found_classes(y)
            declaration = replace(declaration, classes=classes)
        if classes is not None:
            self.classes_ = np.array(classes)
        return declaration, X, y

    def _geometry(self) -> Geometry:
        return Geometry(constant=1.0 if self.fit_intercept else None)

    def _restore(self, encoding: Encoding, declaration: Declaration, thetas: Floats, certificate: Certificate) -> None:
        """Set everything that a fitted model holds: after a fit, or from a file."""
        self._declared = declaration
        self._names = encoding.feature_names
        self.encoded_coef_ = thetas
        coef, intercept = encoding.decode(thetas)
        if self.loss == "logistic":
            self.coef_, self.intercept_ = coef, intercept
        else:
            self.coef_, self.intercept_ = coef[0], float(intercept[0])
        self.support_ = np.flatnonzero(np.any(np.atleast_2d(self.coef_), axis=0))
        self.certificate_ = certificate

    def _assumed_public(self) -> tuple[str, ...]:
        public = (
            "the number of rows",
            "the declaration (bounds, categories, unit)",
            "the parameters of this estimator",
        )
        if self._classes_declared:
            return public
        return (*public, "the class labels, read from y because none were declared")

    def _scores(self, X: Any) -> Floats:
        check_is_fitted(self)
        if not isinstance(self._declared, Schema):
            admit_table(self, X, reset=False)
        return linear_scores(X, self.encoded_coef_.T, self._declared, self._geometry())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        # Cells are never refused: what is not a number is missing, as declared.
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.target_tags.required = True
        if self.loss == "logistic":
            tags.estimator_type = "classifier"
            tags.classifier_tags = ClassifierTags(poor_score=True)
        else:
            tags.estimator_type = "regressor"
            tags.regressor_tags = RegressorTags(poor_score=True)
        return tags
