"""Choose ε by accuracy: say how much risk you can live with, pay the least ε that reaches it."""

from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from tacit._version import __version__
from tacit.certificate import Certificate, describe
from tacit.domain import Domain, Schema
from tacit.errors import ParameterError
from tacit.estimators.base import PrivateLinearModel
from tacit.estimators.classifier import PrivateClassifier
from tacit.estimators.guard import refuse_unpaid_refits
from tacit.estimators.intervals import wants_intervals
from tacit.estimators.search_payment import run_search
from tacit.mechanisms import Shape
from tacit.mechanisms.accuracy import (
    PURE_NOISES,
    AccuracyProblem,
    AccuracyRequest,
    AccuracySearch,
    LaplaceReduction,
    Outcome,
    SphericalReduction,
    plan_brownian,
    plan_doubling,
    plan_noise_reduction,
    plan_theory,
    published_doubling,
    published_noise_reduction,
    published_theory,
)
from tacit.noise import Entropy, entropy_of
from tacit.privacy import Approx, ExPost, Pure, as_budget
from tacit.rows import Rows, open_rows

DEFAULT_L2 = 0.005
NOISES = {None: PURE_NOISES, "spherical": (SphericalReduction(),), "laplace": (LaplaceReduction(),)}


class AccuracyFirst(BaseEstimator):  # type: ignore[misc]
    """The private model with the smallest ε whose excess risk is small enough, found by a private search.

    estimator: PrivateRidge, PrivateLogisticRegression or PrivateLinearSVC("huber") with its domain, l2 (default 0.005),
    radius, fit_intercept, mechanism ("auto", "output", "covariance"), ledger and random_state; its `privacy` is not
    used. A small public radius makes the test of accuracy much cheaper.
    excess_risk: α. The model's regularised empirical risk, mean φ + (l2/2)‖θ‖² in encoded units, is to be within α of
    the smallest one. For ridge φ = ½(y − s)² with y scaled to [−1, 1].
    failure: γ, the probability of accepting a model that is worse. Not finding one is not a failure: `met_` is False.
    max_privacy: the most the search may cost; Pure, or Approx for method="brownian". This is what a ledger reserves.
    method: "noise-reduction", "brownian" (Gaussian noise), "doubling" or "theory".
    calibration: "tight", or "published" for the algorithms as printed by Ligett et al. (2017).
    noise: None for the quieter of "spherical" and "laplace". levels: number of privacy levels; None for the best.

    After `fit`: met_, loss_ (ExPost: what was paid), trace_ (levels tried), certificate_, and, if met_,
    best_estimator_. If no level passes, no parameters leave and all that was reserved is paid.
    """

    best_estimator_: PrivateLinearModel

    def __init__(
        self,
        estimator: Any,
        *,
        excess_risk: float = 0.05,
        failure: float = 0.1,
        max_privacy: Pure | Approx | float = 5.0,
        method: str = "noise-reduction",
        calibration: str = "tight",
        noise: str | None = None,
        levels: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.excess_risk = excess_risk
        self.failure = failure
        self.max_privacy = max_privacy
        self.method = method
        self.calibration = calibration
        self.noise = noise
        self.levels = levels

    def fit(self, X: Any, y: Any = None) -> Self:
        """Search. X: array, sparse matrix or table; y: targets, or None to take the schema's target column."""
        model = self._model()
        goal = self._goal()
        refuse_unpaid_refits(model.ledger)
        declaration, X, y = model._admit(X, y)
        rows = open_rows(X, y, declaration, model._geometry())
        search = self._plan(self._question(model, Shape.of(rows)), goal)
        entropy = entropy_of(model.random_state)
        query = {
            "estimator": f"AccuracyFirst({type(model).__name__})",
            "declaration": declaration.fingerprint(),
            "n": rows.n,
        }
        outcome, entry = run_search(search, self._targets(model, rows), entropy, model.ledger, query, "AccuracyFirst")
        certificate = self._certificate(model, search, outcome, entropy, declaration, rows.n, entry)
        self._keep(model, search, outcome, certificate)
        if outcome.theta is not None:
            deviation = search.hypotheses.deviation(outcome.level or 0)
            deviations = np.full((1, rows.width), deviation)
            model._restore(rows.encoding, declaration, outcome.theta[None, :], deviations, certificate, ())
            self.best_estimator_ = model
        return self

    def predict(self, X: Any) -> Any:
        """Predictions of the model that was found."""
        return self._found().predict(X)

    def score(self, X: Any, y: Any) -> float:
        """The score of the model that was found: R² or accuracy."""
        return float(self._found().score(X, y))

    def summary(self) -> Any:
        """The summary of the model that was found: coefficients, the noise in them, and what was paid."""
        return self._found().summary()

    def plot(self, ax: Any = None) -> Any:
        """What each level tried would have cost, test and hypothesis apart; the last one was paid. Needs matplotlib."""
        from tacit.estimators.accuracy_plot import plot_search

        check_is_fitted(self)
        return plot_search(self.trace_, self.met_, self.excess_risk, ax)

    def _model(self) -> PrivateLinearModel:
        if not isinstance(self.estimator, PrivateLinearModel):
            raise ParameterError(f"estimator must be a private linear model, got {type(self.estimator).__name__}")
        model = clone(self.estimator)
        assert isinstance(model, PrivateLinearModel)
        if model.l2 is None:
            model.l2 = DEFAULT_L2
        allowed = ("auto", "output") if isinstance(model, PrivateClassifier) else ("auto", "output", "covariance")
        if model.mechanism not in allowed:
            raise ParameterError(f"mechanism must be one of {allowed} for an accuracy-first search")
        if wants_intervals(model.inference):
            raise ParameterError("an accuracy-first search buys no intervals; leave inference out")
        return model

    def _goal(self) -> AccuracyRequest:
        most = as_budget(self.max_privacy)
        if most.unit == "rho":
            raise ParameterError("max_privacy must be Pure, Approx or a number: a realised loss bounds no zCDP")
        if most.own_delta and self.method != "brownian":
            raise ParameterError("max_privacy with a δ is for method='brownian'; pass Pure(epsilon) or a number")
        return AccuracyRequest(float(self.excess_risk), float(self.failure), most)

    def _question(self, model: PrivateLinearModel, shape: Shape) -> AccuracyProblem:
        asked = model._request()
        assert asked.l2 is not None
        return AccuracyProblem(shape, asked.loss, asked.l2, asked.radius, model.mechanism)

    def _plan(self, question: AccuracyProblem, goal: AccuracyRequest) -> AccuracySearch:
        if self.levels is not None and not (isinstance(self.levels, int) and self.levels >= 2):
            raise ParameterError(f"levels must be an integer of at least 2, or None, got {self.levels!r}")
        if self.noise not in NOISES:
            raise ParameterError(f"noise must be None, 'spherical' or 'laplace', got {self.noise!r}")
        match self.calibration, self.method:
            case "tight", "noise-reduction":
                return plan_noise_reduction(question, goal, self.levels, NOISES[self.noise])
            case "tight", "brownian":
                return plan_brownian(question, goal, self.levels)
            case "tight", "doubling":
                return plan_doubling(question, goal)
            case "tight", "theory":
                return plan_theory(question, goal)
            case "published", "noise-reduction":
                return published_noise_reduction(question, goal, self.levels)
            case "published", "doubling":
                return published_doubling(question, goal)
            case "published", "theory":
                return published_theory(question, goal)
        raise ParameterError(
            f"method={self.method!r} with calibration={self.calibration!r} is not offered; methods are "
            "'noise-reduction', 'doubling' and 'theory', each 'tight' or 'published', and 'brownian', 'tight'"
        )

    def _targets(self, model: PrivateLinearModel, rows: Rows) -> Rows:
        if not isinstance(model, PrivateClassifier):
            return rows
        if len(model.classes_) != 2:
            raise ParameterError(f"an accuracy-first search is for two classes, not {len(model.classes_)}")
        return rows.one_vs_rest(1)

    def _certificate(
        self,
        model: PrivateLinearModel,
        search: AccuracySearch,
        outcome: Outcome,
        entropy: Entropy,
        declaration: Domain | Schema,
        n: int,
        entry: str | None,
    ) -> Certificate:
        level = len(search.hypotheses.costs) - 1 if outcome.level is None else outcome.level
        facts = search.hypotheses.facts(level)
        return Certificate(
            guarantee=outcome.paid,
            n=n,
            unit=declaration.unit if isinstance(declaration, Schema) else "one row",
            choice=self._choice(search, outcome),
            releases=(*_test_facts(search, level), *([] if facts is None else [describe(facts)])),
            randomness=entropy.source,
            private=entropy.private,
            assumed_public=(*model._assumed_public(), "the excess risk asked for and the privacy levels"),
            schema_fingerprint=declaration.fingerprint(),
            version=__version__,
            ledger=entry,
        )

    def _choice(self, search: AccuracySearch, outcome: Outcome) -> str:
        count = len(search.hypotheses.costs)
        end = "no level passed" if outcome.level is None else f"halted at level {outcome.level + 1} of {count}"
        promise = f"excess risk at most {self.excess_risk:g} except with probability {self.failure:g}"
        if (self.method, self.calibration) == ("theory", "published"):  # the printed theorem bounds a mean
            promise = f"expected excess risk at most {self.excess_risk:g} by the published theorem"
        return (
            f"accuracy first ({self.method}, {self.calibration}): {promise}; {end}. The loss stated is that of this "
            f"outcome (ex post); before the search the most it could be was {search.charge}"
        )

    def _keep(
        self, model: PrivateLinearModel, search: AccuracySearch, outcome: Outcome, certificate: Certificate
    ) -> None:
        self.__dict__.pop("best_estimator_", None)  # of an earlier fit
        self.met_ = outcome.level is not None
        self.loss_: ExPost = outcome.paid
        self.certificate_ = certificate
        tried = len(search.hypotheses.costs) if outcome.level is None else outcome.level + 1
        costs = np.array([[search.test.cost(t + 1), search.hypotheses.costs[t]] for t in range(tried)])
        self.trace_ = pd.DataFrame(
            {
                "test": costs[:, 0],
                "hypothesis": costs[:, 1],
                "total": [*costs[:-1].sum(axis=1), self.loss_.total],
                "accepted": [level == outcome.level for level in range(tried)],
            },
            index=pd.RangeIndex(1, tried + 1, name="level"),
        )
        spent = Approx(self.loss_.total, self.loss_.delta) if self.loss_.delta else Pure(self.loss_.total)
        model.privacy = spent

    def _found(self) -> Any:
        check_is_fitted(self)
        if not self.met_:
            raise ParameterError(
                f"no model within max_privacy had an excess risk that passed for {self.excess_risk:g}, so none was "
                "released; ask for a larger excess_risk, allow more privacy loss, or declare a smaller radius"
            )
        return self.best_estimator_

    def __sklearn_tags__(self) -> Any:
        tags, inner = super().__sklearn_tags__(), self.estimator.__sklearn_tags__()
        tags.estimator_type = inner.estimator_type
        tags.classifier_tags, tags.regressor_tags = inner.classifier_tags, inner.regressor_tags
        return tags


def _test_facts(search: AccuracySearch, level: int) -> list[dict[str, Any]]:
    """The test up to this level as an entry of the certificate; none if nothing was paid for one."""
    sensitivity, paid = search.query.sensitivity, search.test.cost(level + 1)
    if paid == 0:
        return []
    entry = {
        "label": None,
        "mechanism": f"test of accuracy: {search.test.name}",
        "theorems": [*search.test.theorems, "truncated-excess-risk", "lazy-comparison"],
        "charge": {"currency": "pure", "epsilon": paid},
        "sensitivity": {"norm": sensitivity.norm, "total": sensitivity.total, "parts": dict(sensitivity.parts)},
        "noise": {"law": search.test.description, "scale": search.test.scale, "grid": None},
        "l2": search.query.problem.l2,
        "radius": search.query.radius,
        "solver_tolerance": search.query.tolerance,
        "notes": [],
    }
    return [entry]
