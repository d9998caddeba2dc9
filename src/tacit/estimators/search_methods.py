"""The searches by name: from what the user asked for to a calibrated mechanism."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from tacit.arithmetic import enlarged
from tacit.errors import ParameterError
from tacit.mechanisms import FitRequest, Shape
from tacit.mechanisms.selection import (
    BudgetSplit,
    Candidate,
    CappedLoss,
    DataSplit,
    ExponentialChoice,
    Geometric,
    Logarithmic,
    RandomChoice,
    RandomStopping,
    Score,
    Search,
    StabilitySearch,
    Watch,
    validation_size,
)
from tacit.privacy import Budget


@dataclass(frozen=True)
class SearchRequest:
    """All that is public about a search."""

    candidates: tuple[Candidate, ...]
    requests: tuple[FitRequest, ...]
    score: Score
    whole: Shape
    privacy: Budget
    select_privacy: Budget
    validation: float
    watch: Watch[Any]

    @property
    def contest(self) -> tuple[tuple[Candidate, ...], Score, Shape]:
        return self.candidates, self.score, self.whole

    @property
    def budgets(self) -> tuple[Budget, Budget]:
        return self.privacy, self.select_privacy

    @property
    def held_out(self) -> int:
        return validation_size(self.whole.n, self.validation)

    @property
    def left(self) -> int:
        return self.whole.n - self.held_out


def by_stability(request: SearchRequest) -> Search:
    """Train all on the same rows, choose, train the winner again."""
    training, validation = (replace(request.whole, n=n) for n in (request.left, request.held_out))
    return StabilitySearch(*request.contest, training, validation, *request.budgets, request.watch)


def by_split_data(request: SearchRequest) -> Search:
    """Each candidate on a part of its own."""
    each = _shared(request.left, len(request.candidates))
    return DataSplit(*request.contest, each, request.held_out, *request.budgets, watch=request.watch)


def by_tuning(request: SearchRequest) -> Search:
    """k + 1 equal parts, scored by the model's own loss on the largest ball, chosen by the exponential mechanism."""
    radii = [asked.radius for asked in request.requests if asked.radius is not None]
    if len(radii) < len(request.requests):
        raise ParameterError("method='tuned' scores by an unbounded loss, so every candidate needs a radius")
    losses = {asked.loss for asked in request.requests}
    if len(losses) > 1:
        raise ParameterError("method='tuned' compares candidates by their own loss, which must be the same for all")
    loss, radius, size = losses.pop(), max(radii), _shared(request.whole.n, len(request.candidates) + 1)
    longest = enlarged(request.whole.norms.l2 * radius, 40)
    return DataSplit(
        request.candidates,
        CappedLoss(loss, loss.constants(longest).value),
        request.whole,
        size,
        size,
        *request.budgets,
        radius=radius,
        kind=ExponentialChoice,
        name="private tuning on equal parts of the rows",
        watch=request.watch,
    )


def by_split_budget(request: SearchRequest) -> Search:
    """Each candidate with a share of the budget."""
    return BudgetSplit(*request.contest, request.left, request.held_out, *request.budgets, request.watch)


def by_lot(request: SearchRequest) -> Search:
    """A candidate drawn at random."""
    return RandomChoice(request.candidates, request.whole, request.privacy)


def by_random_stopping(request: SearchRequest) -> Search:
    """Logarithmic stopping: γ solves mean K = (1 − γ)/(γ log(1/γ)) ≈ k."""
    count = len(request.candidates)
    denominator = 2
    while (denominator - 1) / math.log(denominator) < count:
        denominator += 1
    return _stopping(request, Logarithmic(Fraction(1, denominator)))


def by_geometric_stopping(request: SearchRequest) -> Search:
    """Geometric stopping: as many tries as candidates on average."""
    return _stopping(request, Geometric(Fraction(1, len(request.candidates))))


METHODS: dict[str, Callable[[SearchRequest], Search]] = {
    "stability": by_stability,
    "split-data": by_split_data,
    "tuned": by_tuning,
    "split-budget": by_split_budget,
    "random": by_lot,
    "random-stopping": by_random_stopping,
    "liu-talwar": by_geometric_stopping,
}


def _stopping(request: SearchRequest, stopping: Geometric | Logarithmic) -> Search:
    return RandomStopping(*request.contest, request.left, request.held_out, *request.budgets, stopping)


def _shared(rows: int, parts: int) -> int:
    if rows < parts:
        raise ParameterError(f"{rows} rows are too few for {parts} disjoint parts")
    return rows // parts
