"""Private sparse regression and classification: few features out of very many."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import csr_array
from scipy.special import expit
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils import ClassifierTags, RegressorTags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from tacit.arithmetic import Floats
from tacit.domain import Domain, Geometry, Schema
from tacit.errors import ParameterError
from tacit.estimators.fits import Fit
from tacit.estimators.kinds import CLASSIFICATION_KIND, REGRESSION_KIND, Kind, budget_of_each, decision, probabilities
from tacit.estimators.lasso_request import sparse_fit_request
from tacit.estimators.lasso_table import coefficient_table
from tacit.estimators.model_file import ModelFile
from tacit.estimators.parameters import plain_parameters
from tacit.estimators.pipeline import Order
from tacit.estimators.predictor import PrivatePredictor
from tacit.ledger import Account
from tacit.mechanisms import Mechanism, Release, Shape
from tacit.mechanisms.lasso import PATH, expanded, plan_lasso
from tacit.privacy import Budget, as_budget

MOST_COLUMNS = 1 << 27
"""Of all vectors of a model together: its dense coefficients then take 1 GiB."""


def _classifies(model: "PrivateLasso") -> bool:
    return model.loss == "logistic"


class PrivateLasso(PrivatePredictor):
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

    default_domain = Domain("linf")

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

    @available_if(_classifies)  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Floats:
        """Scores for loss="logistic": positive for the second class, or one column per class."""
        return decision(self._scores(X))

    @available_if(_classifies)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """Probability of each class by the logistic function of its score, scaled to sum to one."""
        return probabilities(self._scores(X), expit)

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
        return coefficient_table(table, self._encoding().feature_names if names is None else names, classes)

    @property
    def kind(self) -> Kind:
        """Regression or classification, by the loss."""
        return CLASSIFICATION_KIND if _classifies(self) else REGRESSION_KIND

    def _order(self, X: Any, y: Any) -> Order:
        budget = as_budget(self.privacy)
        path = None if self.path_privacy is None else as_budget(self.path_privacy)
        request = sparse_fit_request(self)
        admitted = self.admit(X, y)
        shape, parts = Shape.of(admitted.rows), self.kind.parts(admitted.declaration.outcome)
        if shape.width > MOST_COLUMNS // len(parts):
            raise ParameterError(f"found {shape.width} columns; expected at most {MOST_COLUMNS // len(parts)}")
        path = path and budget_of_each(path, parts)
        plan, steps = plan_lasso(shape, request, budget_of_each(budget, parts), path)
        packed = partial(pack_sparse, steps, shape.width)
        return Order(type(self).__name__, plain_parameters(self), admitted, Fit(plan, parts, packed), budget)

    def _keep(self, kept: ModelFile) -> None:
        encoding, vectors = self._encoding(), kept.released["vectors"]
        if encoding.width > MOST_COLUMNS or len(vectors) > MOST_COLUMNS // encoding.width:
            raise ValueError("more columns than a model can have")
        thetas = np.zeros((len(vectors), encoding.width))
        for theta, vector in zip(thetas, vectors, strict=True):
            theta[np.array(vector["support"], dtype=np.intp)] = vector["coefficients"]
        self._keep_vectors(thetas, encoding)
        self.support_ = np.flatnonzero(np.any(np.atleast_2d(self.coef_), axis=0))
        self.steps_ = vectors[0]["steps"]
        if self.path_privacy is not None:
            self.loss_path_ = np.array([vector["loss_path"] for vector in vectors], dtype=np.float64)

    def _released(self) -> dict[str, Any]:
        paths = [None] * len(self.encoded_coef_) if self.path_privacy is None else self.loss_path_.tolist()
        pairs = zip(self.encoded_coef_, paths, strict=True)
        return {"vectors": [sparse_vector(self.steps_, theta, path) for theta, path in pairs]}

    def _geometry(self) -> Geometry:
        return Geometry(constant=1.0 if self.fit_intercept else None)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        if self.loss == "logistic":
            tags.estimator_type = "classifier"
            tags.classifier_tags = ClassifierTags(poor_score=True)
        else:
            tags.estimator_type = "regressor"
            tags.regressor_tags = RegressorTags(poor_score=True)
        return tags


def pack_sparse(steps: int, width: int, mechanism: Mechanism, release: Release) -> dict[str, Any]:
    """What the model file keeps of a release."""
    path = release.statistics.get(PATH)
    return sparse_vector(steps, expanded(release, width), None if path is None else path.tolist())


def sparse_vector(steps: int, theta: Floats, path: list[Any] | None) -> dict[str, Any]:
    """Plain values of a vector that is mostly zero."""
    support = np.flatnonzero(theta)
    return {"steps": steps, "support": support.tolist(), "coefficients": theta[support].tolist(), "loss_path": path}
