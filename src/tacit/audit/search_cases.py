"""Choices, counts and whole searches under audit."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from tacit.arithmetic import Floats
from tacit.audit import pair_loss
from tacit.audit.cases import Case
from tacit.audit.lower_bound import lower_bound
from tacit.domain import Domain, Geometry
from tacit.losses import Logistic
from tacit.mechanisms import FitRequest, Grid, NoisyCounts, Shape, plan_fit
from tacit.mechanisms.selection import Candidate, NoisyChoice, Ramp, StabilitySearch, public_parts
from tacit.noise import SystemEntropy
from tacit.privacy import Pure
from tacit.rows import Rows, open_points, open_rows

ENTROPY = SystemEntropy()
TRAINING, VALIDATION = 8, 1
STRONG, HEAVY = 5.0, 5000.0
"""λ of a candidate that learns something, and of one that stays near 0."""


def search_cases(many: int, some: int) -> list[Case]:
    """A choice among scores of unequal sensitivity, counts of a histogram, and searches by stability."""
    return [
        _unequal_choice(many),
        _histogram(many),
        _search("search by stability, a row that trains", 0, some),
        _search("search by stability, a row that validates", 1, some),
    ]


def small_search(l2s: Sequence[float], fit: Pure, choice: Pure) -> StabilitySearch:
    """Candidates by their λ on nine rows of one feature: eight train, so few that one matters, and one validates."""
    whole = Shape.of(search_pair(0)[0])
    training, validation = (replace(whole, n=n) for n in (TRAINING, VALIDATION))
    return StabilitySearch([_candidate(l2) for l2 in l2s], Ramp(0.02), whole, training, validation, fit, choice)


def search_pair(part: int) -> tuple[Rows, Rows]:
    """Neighbours that differ in the label of one row, which trains (part 0) or validates (part 1).

    Part 0: nothing dampens the row, so every trained vector moves as far as it can. Part 1: the others agree on what a
    strong candidate learns, which is right about the one row or wrong.
    """
    changed = int(public_parts(TRAINING + VALIDATION, [TRAINING, VALIDATION])[part][0])
    X = np.full((TRAINING + VALIDATION, 1), float(part))
    X[changed] = 1.0
    y = np.ones(TRAINING + VALIDATION, dtype=int)
    declared, geometry = Domain(classes=(-1, 1)), Geometry(constant=None)
    first, second = (
        open_rows(X, np.where(np.arange(len(y)) == changed, label, y), declared, geometry).one_vs_rest(1)
        for label in (1, -1)
    )
    return first, second


def index_and_release(search: StabilitySearch, rows: Rows) -> Floats:
    """One run: the index of the winner, then what is released."""
    release = search(rows, ENTROPY)
    return np.concatenate([release.statistics["chosen"], release.theta])


def _unequal_choice(runs: int) -> Case:
    moves, lead = np.array([0.1, 0.02, 0.05]), np.array([0.1, 0.0, 0.0])
    choice = NoisyChoice(tuple(moves), 0.0, Pure(1.0), "choice", ())
    half = moves / 2 * [-1, 1, 1]
    pair = lead + half, lead - half
    loss = pair_loss.largest_log_ratio(*(pair_loss.noisy_maximum_law(scores, choice.scales) for scores in pair))

    def measure(confidence: float) -> float:
        return lower_bound(lambda scores: choice(scores, ENTROPY), pair, runs, confidence)

    return Case("choice, a noise for each candidate", 1.0, loss, measure)


def _histogram(runs: int) -> Case:
    counts = NoisyCounts(Grid((0.0,), (1.0,), (2,)), Pure(1.0))
    first, second = (open_points(np.array([[x], [0.1]]), (0.0,), (1.0,)) for x in (0.2, 0.8))

    def difference(outputs: Floats) -> Floats:
        return outputs[:, 1] - outputs[:, 0]

    def measure(confidence: float) -> float:
        return lower_bound(lambda p: counts(p, ENTROPY).theta, (first, second), runs, confidence, score=difference)

    return Case("histogram counts", 1.0, 1.0, measure)


def _search(name: str, part: int, runs: int) -> Case:
    half = Pure(0.5)
    search = small_search((STRONG, HEAVY), fit=half, choice=half)

    def points_right(outputs: Floats) -> Floats:
        """The strong candidate won, with a positive weight."""
        return np.sign(outputs[:, 1]) - outputs[:, 0]

    def measure(confidence: float) -> float:
        run = partial(index_and_release, search)
        return lower_bound(run, search_pair(part), runs, confidence, score=points_right)

    return Case(name, 2 * half.epsilon, None, measure)


def _candidate(l2: float) -> Candidate:
    request = FitRequest(Logistic(), l2)
    return Candidate(f"l2={l2}", lambda shape, budget: plan_fit(shape, request, budget, "output").mechanism)
