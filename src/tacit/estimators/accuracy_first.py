"""Choose ε by accuracy: say how much risk you can live with, pay the least ε that reaches it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from tacit.certificate import describe
from tacit.errors import ParameterError
from tacit.estimators.after_look import search_after_look
from tacit.estimators.kinds import Part
from tacit.estimators.model_file import ModelFile
from tacit.estimators.model_search import PrivateModelSearch, only_part, with_assumptions
from tacit.estimators.parameters import plain_parameters
from tacit.estimators.pipeline import Finished, Order
from tacit.estimators.vectors import Vector
from tacit.mechanisms import Facts, Shape
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
from tacit.noise import Entropy
from tacit.privacy import Approx, Budget, ExPost, Pure, as_budget
from tacit.rows import Rows

DEFAULT_L2 = 0.005
NOISES = {None: PURE_NOISES, "spherical": (SphericalReduction(),), "laplace": (LaplaceReduction(),)}


@dataclass(frozen=True)
class TestNoise:
    """What a certificate says of the noise of a test of accuracy."""

    name: str
    scale: float


@dataclass(frozen=True)
class AccuracyJob:
    """A calibrated search that decides while it runs how much it spends. goal: what is promised, in words."""

    search: AccuracySearch
    part: Part
    goal: str

    @property
    def charge(self) -> Budget:
        """The most it can be; what it was is settled afterwards. By `ledger-ex-post`."""
        return self.search.charge

    @property
    def query(self) -> Any:
        costs = self.search.hypotheses.costs
        return {"test": self.search.test.description, "costs": costs, "dearest": self._entries(len(costs) - 1)}

    def __call__(self, rows: Rows, entropy: Entropy) -> Finished:
        outcome = self.search(self.part.of(rows), entropy)
        last = len(self.search.hypotheses.costs) - 1 if outcome.level is None else outcome.level
        costs = [[self.search.test.cost(t + 1), self.search.hypotheses.costs[t]] for t in range(last + 1)]
        vectors = []
        if outcome.theta is not None:
            deviations = np.full(outcome.theta.size, self.search.hypotheses.deviation(last))
            vectors = [Vector(outcome.theta, deviations, bounded=False).to_dict()]
        released = {"level": outcome.level, "costs": costs, "vectors": vectors}
        return Finished(released, outcome.paid, self._choice(outcome), self._entries(last))

    def _choice(self, outcome: Outcome) -> str:
        count = len(self.search.hypotheses.costs)
        end = "no level passed" if outcome.level is None else f"halted at level {outcome.level + 1} of {count}"
        return (
            f"{self.goal}; {end}. The loss stated is that of this outcome (ex post); before the search the most it "
            f"could be was {self.charge}"
        )

    def _entries(self, level: int) -> tuple[Mapping[str, Any], ...]:
        """The test up to this level, if one was paid, and the hypothesis there."""
        search = self.search
        paid, facts = search.test.cost(level + 1), search.hypotheses.facts(level)
        test = Facts(
            mechanism=f"test of accuracy: {search.test.name}",
            theorems=(*search.test.theorems, "truncated-excess-risk", "lazy-comparison"),
            sensitivity=search.query.sensitivity,
            charge=Pure(paid or 1.0),
            law=TestNoise(search.test.description, search.test.scale),
            grid=None,
            l2=search.query.problem.l2,
            radius=search.query.radius,
            tolerance=search.query.tolerance,
        )
        described = [test] if paid else []
        return tuple(describe(each) for each in (*described, *([] if facts is None else [facts])))


class AccuracyFirst(PrivateModelSearch):
    """The private model with the smallest ε whose excess risk is small enough, found by a private search.

    estimator: a private linear model with a smooth loss, with its domain, l2 (default 0.005),
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

    def plot(self, ax: Any = None) -> Any:
        """What each level tried would have cost, test and hypothesis apart; the last one was paid. Needs matplotlib."""
        from tacit.estimators.accuracy_plot import plot_search

        check_is_fitted(self)
        return plot_search(self.trace_, self.met_, self.excess_risk, ax)

    def _order(self, X: Any, y: Any) -> Order:
        model, asked = self._model(), self._asked()
        request = model.request()
        admitted = model.admit(X, y)
        part = only_part(model, admitted)

        def search(shape: Shape, most: Budget) -> AccuracyJob:
            problem = AccuracyProblem(shape, request.loss, request.l2, request.radius, model.mechanism)
            return AccuracyJob(self._plan(problem, replace(asked, most=most)), part, self._goal())

        return Order(
            type(self).__name__,
            plain_parameters(self),
            with_assumptions(admitted, "the excess risk asked for and the privacy levels"),
            search_after_look(model.look_wanted(single_fit=False), admitted, asked.most, search),
            asked.most,
        )

    def _model(self) -> Any:
        model = super()._model()
        if model.l2 is None:
            model.l2 = DEFAULT_L2
        allowed = ("auto", "output", "covariance") if model.request().loss.quadratic else ("auto", "output")
        if model.mechanism not in allowed:
            raise ParameterError(f"mechanism must be one of {allowed} for an accuracy-first search")
        return model

    def _goal(self) -> str:
        promise = f"excess risk at most {self.excess_risk:g} except with probability {self.failure:g}"
        if (self.method, self.calibration) == ("theory", "published"):  # the printed theorem bounds a mean
            promise = f"expected excess risk at most {self.excess_risk:g} by the published theorem"
        return f"accuracy first ({self.method}, {self.calibration}): {promise}"

    def _asked(self) -> AccuracyRequest:
        most = as_budget(self.max_privacy)
        if most.unit == "rho":
            raise ParameterError("max_privacy must be Pure, Approx or a number: a realised loss bounds no zCDP")
        if most.own_delta and self.method != "brownian":
            raise ParameterError("max_privacy with a δ is for method='brownian'; pass Pure(epsilon) or a number")
        given: dict[str, object] = {"excess_risk": self.excess_risk, "failure": self.failure}
        for name, value in given.items():
            if isinstance(value, bool) or not isinstance(value, Real):
                raise ParameterError(f"{name} must be a number, got {value!r}")
        return AccuracyRequest(float(self.excess_risk), float(self.failure), most)

    def _plan(self, problem: AccuracyProblem, asked: AccuracyRequest) -> AccuracySearch:
        if self.levels is not None and not (isinstance(self.levels, int) and self.levels >= 2):
            raise ParameterError(f"levels must be an integer of at least 2, or None, got {self.levels!r}")
        if self.noise not in NOISES:
            raise ParameterError(f"noise must be None, 'spherical' or 'laplace', got {self.noise!r}")
        match self.calibration, self.method:
            case "tight", "noise-reduction":
                return plan_noise_reduction(problem, asked, self.levels, NOISES[self.noise])
            case "tight", "brownian":
                return plan_brownian(problem, asked, self.levels)
            case "tight", "doubling":
                return plan_doubling(problem, asked)
            case "tight", "theory":
                return plan_theory(problem, asked)
            case "published", "noise-reduction":
                return published_noise_reduction(problem, asked, self.levels)
            case "published", "doubling":
                return published_doubling(problem, asked)
            case "published", "theory":
                return published_theory(problem, asked)
        raise ParameterError(
            f"method={self.method!r} with calibration={self.calibration!r} is not offered; methods are "
            "'noise-reduction', 'doubling' and 'theory', each 'tight' or 'published', and 'brownian', 'tight'"
        )

    def _keep(self, kept: ModelFile) -> None:
        if not isinstance(kept.certificate.guarantee, ExPost):
            raise TypeError("a search that stops by itself states what it lost")
        self.__dict__.pop("best_estimator_", None)  # of an earlier fit
        self.level_, self.loss_ = kept.released["level"], kept.certificate.guarantee
        self.met_ = self.level_ is not None
        self.trace_ = _trace(kept.released["costs"], self.level_, self.loss_)
        if self.met_:
            winner = self._model()
            winner.privacy = Approx(self.loss_.total, self.loss_.delta) if self.loss_.delta else Pure(self.loss_.total)
            self._become(winner, kept)

    def _released(self) -> dict[str, Any]:
        vectors = self.best_estimator_.model_file().released if self.met_ else {"vectors": []}
        return {"level": self.level_, "costs": self.trace_[["test", "hypothesis"]].to_numpy().tolist(), **vectors}

    def _winner(self) -> Any:
        check_is_fitted(self)
        if not self.met_:
            raise ParameterError(
                f"no model within max_privacy had an excess risk that passed for {self.excess_risk:g}, so none was "
                "released; ask for a larger excess_risk, allow more privacy loss, or declare a smaller radius"
            )
        return self.best_estimator_


def _trace(costs: list[list[float]], level: int | None, paid: ExPost) -> pd.DataFrame:
    """What halting at each level tried would have cost; the last row is what was paid."""
    tests, hypotheses = np.array(costs, dtype=np.float64).T
    return pd.DataFrame(
        {
            "test": tests,
            "hypothesis": hypotheses,
            "total": [*(tests + hypotheses)[:-1], paid.total],
            "accepted": [tried == level for tried in range(len(costs))],
        },
        index=pd.RangeIndex(1, len(costs) + 1, name="level"),
    )
