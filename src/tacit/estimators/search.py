"""Choose hyper-parameters privately: the whole search is one charge, known before a row is read."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from sklearn.base import MetaEstimatorMixin, clone

from tacit.certificate import describe
from tacit.errors import ParameterError
from tacit.estimators.after_look import search_after_look
from tacit.estimators.kinds import Part
from tacit.estimators.linear import Searchable
from tacit.estimators.model_file import ModelFile
from tacit.estimators.model_search import PrivateModelSearch, only_part, with_assumptions
from tacit.estimators.parameters import plain_parameters
from tacit.estimators.pipeline import Finished, Order
from tacit.estimators.search_methods import METHODS, SearchRequest
from tacit.estimators.vectors import pack
from tacit.mechanisms import Facts, Mechanism, Shape
from tacit.mechanisms.selection import Candidate, Score, Search, default_score, no_progress
from tacit.noise import Entropy
from tacit.privacy import Budget, as_budget
from tacit.rows import Rows

SHARED_BY_ALL = ("privacy", "domain", "fit_intercept", "inference", "ledger", "random_state")


@dataclass(frozen=True)
class SearchJob:
    """A calibrated search among candidates; what the certificate says of the winner is known for each beforehand."""

    search: Search
    part: Part
    title: str
    winner_facts: tuple[tuple[Facts, ...], ...]

    @property
    def charge(self) -> Budget:
        return self.search.charge

    @property
    def query(self) -> Any:
        return [[describe(facts) for facts in each] for each in (self.search.facts, *self.winner_facts)]

    def __call__(self, rows: Rows, entropy: Entropy) -> Finished:
        release = self.search(self.part.of(rows), entropy)
        chosen = int(release.statistics["chosen"][0])
        return Finished(
            {"best_index": chosen, "vectors": [pack(self.search, release)]},
            self.charge,
            f"{self.title}; number {chosen + 1} was chosen",
            tuple(describe(facts) for facts in (*self.search.facts, *self.winner_facts[chosen])),
        )


class PrivateSearch(MetaEstimatorMixin, PrivateModelSearch):  # type: ignore[misc]
    """The best of several settings of a private linear model, chosen on held-out rows without giving them away.

    estimator: a private linear model, a classifier with two classes; its `privacy` is what one fit costs, its
    `ledger` is charged once for the whole search, before a row is read.
    candidates: settings such as {"l2": 0.01}, or one dict of lists of which every combination is tried. `privacy`,
    `domain`, `fit_intercept`, `inference`, `ledger` and `random_state` are the same for all.
    select_privacy: what the choice costs; a third of `privacy` is a good start.
    validation: share of the rows that score the candidates; which ones is decided by position, by a public rule.
    scoring: None for the default (a ramp for labels, the capped loss otherwise), or one of
    tacit.mechanisms.selection.scores: Ramp, CappedLoss, or DeclaredScore(function, limit, lipschitz) for a score of
    your own.
    method: what is done and what it costs, with α₁ = privacy and α₂ = select_privacy

        "stability"        train all on the same rows, choose, train the winner again on all rows      α₁ + α₂
        "split-data"       each candidate on its own part of the rows                                  max(α₁, α₂)
        "tuned"            the same in equal parts, by the model's own loss; needs a radius            max(α₁, α₂)
        "split-budget"     each candidate with a share of α₁                                           max(α₁, α₂)
        "random"           at random                                                                   α₁
        "random-stopping"  the best of a random number of tries (logarithmic stopping)                 2 max(α₁, α₂)
        "liu-talwar"       the same with geometric stopping                                            3 max(α₁, α₂)

    "stability" needs a mechanism that is stable: output or objective perturbation (for ridge say which).
    progress: True shows a bar over the candidates; random stopping shows none, as its number of tries must stay hidden.

    After `fit`: best_estimator_, best_index_, best_params_, certificate_.
    """

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

    def _order(self, X: Any, y: Any) -> Order:
        model = self._model()
        settings = self._settings()
        privacy, select_privacy = as_budget(model.privacy), as_budget(self.select_privacy)
        admitted = model.admit(X, y)
        part = only_part(model, admitted)
        title = f"{self.method} search over {len(settings)} candidates"

        def search(shape: Shape, rest: Budget) -> SearchJob:
            planned = self._search(model, settings, shape, rest, select_privacy)
            return SearchJob(planned, part, title, planned.winner_facts)

        return Order(
            type(self).__name__,
            plain_parameters(self),
            with_assumptions(admitted, "the candidates", "which positions train and which validate"),
            search_after_look(model.look_wanted(single_fit=False), admitted, privacy, search),
            privacy,
        )

    def _settings(self) -> list[dict[str, Any]]:
        """The candidates, one by one."""
        settings = candidate_settings(self.candidates)
        known = self.estimator.get_params(deep=False)
        for setting in settings:
            if shared := [name for name in setting if name in SHARED_BY_ALL]:
                raise ParameterError(f"candidates must not change {', '.join(shared)}: it is the same for all of them")
            if unknown := [name for name in setting if name not in known]:
                raise ParameterError(f"{type(self.estimator).__name__} has no parameter {', '.join(unknown)}")
        return settings

    def _search(
        self, model: Any, settings: list[dict[str, Any]], whole: Shape, privacy: Budget, select_privacy: Budget
    ) -> Search:
        if self.method not in METHODS:
            raise ParameterError(
                f"method={self.method!r} is not known; expected one of {', '.join(map(repr, METHODS))}"
            )
        variants: list[Searchable] = [clone(model).set_params(**setting) for setting in settings]
        requests = [variant.request() for variant in variants]
        candidates = [_candidate(variant, setting) for variant, setting in zip(variants, settings, strict=True)]
        request = SearchRequest(
            candidates=tuple(candidates),
            requests=tuple(requests),
            score=default_score(requests[0].loss) if self.scoring is None else self.scoring,
            whole=whole,
            privacy=privacy,
            select_privacy=select_privacy,
            validation=self.validation,
            watch=_progress_bar if self.progress else no_progress,
        )
        return METHODS[self.method](request)

    def _keep(self, kept: ModelFile) -> None:
        self.best_index_ = kept.released["best_index"]
        self.best_params_ = self._settings()[self.best_index_]
        self._become(self._model().set_params(**self.best_params_), kept)

    def _released(self) -> dict[str, Any]:
        return {"best_index": self.best_index_, **self.best_estimator_.model_file().released}


def candidate_settings(candidates: Any) -> list[dict[str, Any]]:
    """A list of settings as it is; every combination of a dict of lists."""
    if isinstance(candidates, Mapping):
        lists = [each if isinstance(each, list | tuple | np.ndarray) else [each] for each in candidates.values()]
        candidates = [dict(zip(candidates, values, strict=True)) for values in product(*lists)] if lists else []
    if not isinstance(candidates, Iterable):
        raise ParameterError(f"candidates must be a list of settings, got {type(candidates).__name__}; {_SETTINGS}")
    settings = list(candidates)
    if not settings:
        raise ParameterError(f"candidates is empty; {_SETTINGS}")
    if not all(isinstance(setting, Mapping) for setting in settings):
        raise ParameterError(f"candidates must be settings of parameters; {_SETTINGS}")
    return [dict(setting) for setting in settings]


_SETTINGS = "pass [{'l2': 0.01}, {'l2': 0.1}], or {'l2': [0.01, 0.1]} for every combination"


def _candidate(variant: Searchable, setting: dict[str, Any]) -> Candidate:
    def plan(shape: Shape, budget: Budget) -> Mechanism:
        return variant.plan(shape, budget).mechanism

    return Candidate(", ".join(f"{name}={value!r}" for name, value in setting.items()), plan)


def _progress_bar(items: Sequence[Any]) -> Iterable[Any]:
    """How many candidates are done: a number that is public."""
    from rich.progress import track

    return track(items, description="candidates", transient=True)
