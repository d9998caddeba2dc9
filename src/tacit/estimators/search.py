"""Choose hyper-parameters privately: the whole search is one charge, known before a row is read."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self

from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from tacit._version import __version__
from tacit.certificate import REPORTED_DELTA, Certificate, describe
from tacit.domain import Schema
from tacit.errors import ParameterError
from tacit.estimators.base import Declaration, PrivateLinearModel
from tacit.estimators.classifier import PrivateClassifier
from tacit.estimators.guard import refuse_unpaid_refits
from tacit.estimators.intervals import wants_intervals
from tacit.estimators.payment import Job, Paid, run
from tacit.estimators.search_methods import METHODS, SearchRequest
from tacit.mechanisms import Facts, Mechanism, Plan, Shape, plan_classifier, plan_regression
from tacit.mechanisms.selection import Candidate, Score, Search, default_score, in_silence
from tacit.noise import Entropy, entropy_of
from tacit.privacy import Budget, as_budget
from tacit.rows import Rows, open_rows

SHARED_BY_ALL = ("privacy", "domain", "fit_intercept", "inference", "ledger", "random_state")


def _winner_has(name: str) -> Any:
    def check(search: "PrivateSearch") -> bool:
        return hasattr(getattr(search, "best_estimator_", search.estimator), name)

    return available_if(check)


class PrivateSearch(MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """The best of several settings of a private linear model, chosen on held-out rows without giving them away.

    estimator: PrivateRidge, PrivateLogisticRegression or PrivateLinearSVC (two classes); its `privacy` is what one fit
    costs, its `ledger` is charged once for the whole search, before a row is read.
    candidates: settings such as {"l2": 0.01}. `privacy`, `domain`, `fit_intercept`, `inference`, `ledger` and
    `random_state` are the same for all.
    select_privacy: what the choice costs; a third of `privacy` is a good start.
    validation: share of the rows that score the candidates; which ones is decided by position, by a public rule.
    scoring: None for the default (ramp loss, capped squared error), or one of tacit.mechanisms.selection.scores: Ramp,
    CappedLoss, or DeclaredScore(function, limit, lipschitz) for a score of your own.
    method: what is done and what it costs, with α₁ = privacy and α₂ = select_privacy

        "stability"        train all on the same rows, choose, train the winner again on all rows      α₁ + α₂
        "split-data"       each candidate on its own part of the rows                                  max(α₁, α₂)
        "tuned"            the same in equal parts, by the model's own loss; needs a radius            max(α₁, α₂)
        "split-budget"     each candidate with a share of α₁                                           max(α₁, α₂)
        "random"           by lot                                                                      α₁
        "random-stopping"  the best of a random number of tries (logarithmic stopping)                 2 max(α₁, α₂)
        "liu-talwar"       the same with geometric stopping                                            3 max(α₁, α₂)

    "stability" needs a mechanism that is stable: output or objective perturbation (for ridge say which).
    progress: True shows a bar over the candidates; random stopping shows none, as its number of tries must stay hidden.

    After `fit`: best_estimator_, best_index_, best_params_, certificate_.
    """

    best_estimator_: PrivateLinearModel
    certificate_: Certificate

    def __init__(
        self,
        estimator: Any,
        candidates: Sequence[Mapping[str, Any]] = ({"l2": 0.0001}, {"l2": 0.001}, {"l2": 0.01}, {"l2": 0.1}),
        *,
        select_privacy: Budget | float = 1.0,
        method: str = "stability",
        validation: float = 0.2,
        scoring: Score | None = None,
        progress: bool = False,
    ) -> None:
        self.estimator = estimator
        self.candidates = candidates
        self.select_privacy = select_privacy
        self.method = method
        self.validation = validation
        self.scoring = scoring
        self.progress = progress

    def fit(self, X: Any, y: Any = None) -> Self:
        """Search. X: array, sparse matrix or table; y: targets, or None to take the schema's target column."""
        model = self._model()
        settings = self._settings(model)
        as_budget(self.select_privacy)
        refuse_unpaid_refits(model.ledger)
        declaration, X, y = model._admit(X, y)
        rows = _two_sided(model, open_rows(X, y, declaration, model._geometry()))
        search = self._search(model, settings, Shape.of(rows), as_budget(model.privacy))
        winners = search.winner_facts
        plan = Plan(search, f"{self.method} search over {len(settings)} candidates")
        entropy = entropy_of(model.random_state)
        query = {
            "estimator": f"PrivateSearch({type(model).__name__})",
            "candidates": [repr(sorted(setting.items())) for setting in settings],
            "method": self.method,
            "radius": model.radius,
            "mechanism": model.mechanism,
            "declaration": declaration.fingerprint(),
            "n": rows.n,
        }
        paid = run([Job(rows, plan)], entropy, model.ledger, query, "PrivateSearch")
        chosen = int(paid.releases[0].statistics["chosen"][0])
        facts = (*search.facts, *winners[chosen])
        self._keep(model.set_params(**settings[chosen]), rows, declaration, paid, entropy, facts, chosen)
        return self

    def predict(self, X: Any) -> Any:
        """Predictions of the winner."""
        check_is_fitted(self)
        return self.best_estimator_.predict(X)

    def score(self, X: Any, y: Any) -> float:
        """R² or accuracy of the winner."""
        check_is_fitted(self)
        return float(self.best_estimator_.score(X, y))

    @_winner_has("decision_function")  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Any:
        """Scores of the winner."""
        check_is_fitted(self)
        return self.best_estimator_.decision_function(X)

    @_winner_has("predict_proba")  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Any:
        """Probabilities of the winner."""
        check_is_fitted(self)
        return self.best_estimator_.predict_proba(X)

    @property
    def classes_(self) -> Any:
        """The labels of the winner."""
        check_is_fitted(self)
        return self.best_estimator_.classes_

    @property
    def n_features_in_(self) -> int:
        """Columns of the table that was fitted."""
        check_is_fitted(self)
        return int(self.best_estimator_.n_features_in_)

    def _model(self) -> Any:
        if not isinstance(self.estimator, PrivateLinearModel):
            raise ParameterError(f"estimator must be a private linear model, got {type(self.estimator).__name__}")
        if wants_intervals(self.estimator.inference):
            raise ParameterError("a search buys no intervals; leave inference out")
        return clone(self.estimator)

    def _settings(self, model: Any) -> list[dict[str, Any]]:
        settings = [dict(setting) for setting in self.candidates]
        if not settings:
            raise ParameterError("candidates is empty; pass settings such as [{'l2': 0.01}, {'l2': 0.1}]")
        for setting in settings:
            if shared := [name for name in setting if name in SHARED_BY_ALL]:
                raise ParameterError(f"candidates must not change {', '.join(shared)}: it is the same for all of them")
            if unknown := [name for name in setting if name not in model.get_params()]:
                raise ParameterError(f"{type(model).__name__} has no parameter {', '.join(unknown)}")
        return settings

    def _search(self, model: Any, settings: list[dict[str, Any]], whole: Shape, privacy: Budget) -> Search:
        if self.method not in METHODS:
            raise ParameterError(
                f"method={self.method!r} is not known; expected one of {', '.join(map(repr, METHODS))}"
            )
        variants = [_variant(model, setting) for setting in settings]
        requests = [variant._request() for variant in variants]
        candidates = [_candidate(variant, setting) for variant, setting in zip(variants, settings, strict=True)]
        request = SearchRequest(
            candidates=tuple(candidates),
            requests=tuple(requests),
            score=default_score(requests[0].loss) if self.scoring is None else self.scoring,
            whole=whole,
            privacy=privacy,
            select_privacy=as_budget(self.select_privacy),
            validation=self.validation,
            watch=_with_a_bar if self.progress else in_silence,
        )
        return METHODS[self.method](request)

    def _keep(
        self,
        winner: Any,
        rows: Rows,
        declaration: Declaration,
        paid: Paid,
        entropy: Entropy,
        facts: Sequence[Facts],
        chosen: int,
    ) -> None:
        (release,) = paid.releases
        privacy = as_budget(winner.privacy)
        self.certificate_ = Certificate(
            guarantee=paid.charge,
            n=rows.n,
            unit=declaration.unit if isinstance(declaration, Schema) else "one row",
            choice=f"{self.method} search over {len(self.candidates)} candidates; number {chosen + 1} was chosen",
            releases=tuple(describe(each) for each in facts),
            randomness=entropy.source,
            private=entropy.private,
            assumed_public=(*winner._assumed_public(), "the candidates", "which positions train and which validate"),
            schema_fingerprint=declaration.fingerprint(),
            version=__version__,
            ledger=paid.entry,
            delta=privacy.own_delta or REPORTED_DELTA,
        )
        winner._restore(
            rows.encoding, declaration, release.theta[None, :], release.deviation[None, :], self.certificate_, ()
        )
        self.best_estimator_, self.best_index_ = winner, chosen
        self.best_params_ = dict(self.candidates[chosen])

    def __sklearn_tags__(self) -> Any:
        tags, inner = super().__sklearn_tags__(), self.estimator.__sklearn_tags__()
        tags.estimator_type, tags.target_tags, tags.input_tags = (
            inner.estimator_type,
            inner.target_tags,
            inner.input_tags,
        )
        tags.classifier_tags, tags.regressor_tags = inner.classifier_tags, inner.regressor_tags
        if tags.classifier_tags is not None:
            tags.classifier_tags.multi_class = False
        return tags


def _variant(model: Any, setting: dict[str, Any]) -> Any:
    return clone(model).set_params(**setting)


def _candidate(variant: Any, setting: dict[str, Any]) -> Candidate:
    asked, planner = variant._request(), plan_classifier if isinstance(variant, PrivateClassifier) else plan_regression

    def plan(shape: Shape, budget: Budget) -> Mechanism:
        return planner(shape, asked, budget, variant.mechanism).mechanism

    return Candidate(", ".join(f"{name}={value!r}" for name, value in setting.items()), plan)


def _two_sided(model: Any, rows: Rows) -> Rows:
    if not isinstance(model, PrivateClassifier):
        return rows
    if len(model.classes_) != 2:
        raise ParameterError(
            f"Only binary classification is supported. A search has two classes, not {len(model.classes_)}"
        )
    return rows.one_vs_rest(1)


def _with_a_bar(items: Sequence[Any]) -> Iterable[Any]:
    """How many candidates are done: a number that is public."""
    from rich.progress import track

    return track(items, description="candidates", transient=True)
