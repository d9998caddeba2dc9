"""Searches that split what there is: the rows among the candidates, or the budget; and one that does not look.

    split-data:    candidate i is trained on its own part of the rows with all of α₁
    tuned:         the same in equal parts, scored by its own loss on a ball (Wu et al. 2015, algorithm 5)
    split-budget:  every candidate is trained on the same rows with α₁/k
    random:        a candidate drawn at random is trained on all rows with α₁

The winner of a split is released as it was trained. Training and validation rows are disjoint, so that the whole
costs the larger of α₁ and α₂. By `disjoint-parts`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from tacit.arithmetic import exact, upper
from tacit.mechanisms.problem import Shape
from tacit.mechanisms.release import Facts, Mechanism, Release
from tacit.mechanisms.selection.candidates import Candidate, Watch, chosen_release, no_progress, parts_of
from tacit.mechanisms.selection.noisy_choice import NoisyChoice
from tacit.mechanisms.selection.scores import Score
from tacit.mechanisms.selection.validation import Validation
from tacit.noise import Entropy, permute_and_flip
from tacit.privacy import Budget, share_among, side_by_side
from tacit.rows import Rows

SCORING_RADIUS = 2.0**20
"""Vectors longer than this are projected before they are scored, so that sums have a bound."""


@dataclass(frozen=True)
class Ballot:
    """A score on m held-out rows of vectors that are private already, and the noisy choice among them."""

    validation: Validation
    budget: Budget
    candidates: int
    name: str
    kind: type[NoisyChoice] = NoisyChoice

    @cached_property
    def choice(self) -> NoisyChoice:
        """One validation row moves a mean by the spread of g over m. By `score-constants`."""
        m = self.validation.shape.n
        by_row = upper(lambda: exact(self.validation.largest) / m)
        return self.kind(
            (by_row,) * self.candidates,
            self.validation.rounding,
            self.budget,
            f"{self.name}, {self.validation.score.name} on {m:,} held-out rows",
            ("disjoint-parts", "score-constants", "score-rounding"),
        )

    def __call__(self, rows: Rows, releases: Sequence[Release], entropy: Entropy) -> Release:
        chosen = self.choice(self.validation(rows, [release.theta for release in releases]), entropy)
        return chosen_release(releases[chosen], chosen)


@dataclass(frozen=True)
class DataSplit:
    """k training parts of equal size and one validation part."""

    candidates: Sequence[Candidate]
    score: Score
    whole: Shape
    part_rows: int
    held_out_rows: int
    privacy: Budget
    select_privacy: Budget
    radius: float = SCORING_RADIUS
    kind: type[NoisyChoice] = NoisyChoice
    name: str = "choice among parts of the rows"
    watch: Watch[Any] = no_progress

    @cached_property
    def trained(self) -> tuple[Mechanism, ...]:
        """Each candidate's mechanism for its own part."""
        shape = replace(self.whole, n=self.part_rows)
        return tuple(candidate.plan(shape, self.privacy) for candidate in self.candidates)

    @cached_property
    def ballot(self) -> Ballot:
        validation = Validation(self.score, replace(self.whole, n=self.held_out_rows), self.radius)
        return Ballot(validation, self.select_privacy, len(self.candidates), self.name, self.kind)

    @property
    def charge(self) -> Budget:
        """The larger of the two: every row is in one part. By `disjoint-parts`."""
        return side_by_side(self.privacy, self.ballot.choice.charge)

    @property
    def facts(self) -> tuple[Facts, ...]:
        return (self.ballot.choice.facts,)

    @cached_property
    def winner_facts(self) -> tuple[tuple[Facts, ...], ...]:
        return tuple(mechanism.facts for mechanism in self.trained)

    def __call__(self, rows: Rows, entropy: Entropy) -> Release:
        sizes = [self.part_rows] * len(self.candidates) + [self.held_out_rows]
        *parts, validation = parts_of(rows, sizes)
        work = list(zip(self.trained, parts, strict=True))
        return self.ballot(validation, [mechanism(part, entropy) for mechanism, part in self.watch(work)], entropy)


@dataclass(frozen=True)
class BudgetSplit:
    """Every candidate on the same training rows with a k-th of the budget."""

    candidates: Sequence[Candidate]
    score: Score
    whole: Shape
    training_rows: int
    held_out_rows: int
    privacy: Budget
    select_privacy: Budget
    watch: Watch[Any] = no_progress

    @cached_property
    def trained(self) -> tuple[Mechanism, ...]:
        """Each candidate's mechanism with its share of the budget. By `composition`."""
        shape, each = replace(self.whole, n=self.training_rows), share_among(self.privacy, len(self.candidates))
        return tuple(candidate.plan(shape, each) for candidate in self.candidates)

    @cached_property
    def ballot(self) -> Ballot:
        validation = Validation(self.score, replace(self.whole, n=self.held_out_rows), SCORING_RADIUS)
        return Ballot(validation, self.select_privacy, len(self.candidates), "choice among shares of the budget")

    @property
    def charge(self) -> Budget:
        """The larger of all fits and of the choice. By `disjoint-parts`."""
        return side_by_side(self.privacy, self.ballot.choice.charge)

    @property
    def facts(self) -> tuple[Facts, ...]:
        return (self.ballot.choice.facts,)

    @cached_property
    def winner_facts(self) -> tuple[tuple[Facts, ...], ...]:
        return tuple(mechanism.facts for mechanism in self.trained)

    def __call__(self, rows: Rows, entropy: Entropy) -> Release:
        training, validation = parts_of(rows, [self.training_rows, self.held_out_rows])
        return self.ballot(
            validation, [mechanism(training, entropy) for mechanism in self.watch(self.trained)], entropy
        )


@dataclass(frozen=True)
class RandomChoice:
    """A candidate drawn at random, without a look at the rows, which costs nothing."""

    candidates: Sequence[Candidate]
    whole: Shape
    privacy: Budget

    @cached_property
    def trained(self) -> tuple[Mechanism, ...]:
        return tuple(candidate.plan(self.whole, self.privacy) for candidate in self.candidates)

    @property
    def charge(self) -> Budget:
        """One fit. By `composition`."""
        return self.privacy

    @property
    def facts(self) -> tuple[Facts, ...]:
        return ()

    @cached_property
    def winner_facts(self) -> tuple[tuple[Facts, ...], ...]:
        return tuple(mechanism.facts for mechanism in self.trained)

    def __call__(self, rows: Rows, entropy: Entropy) -> Release:
        chosen = draw_lot(len(self.candidates), entropy)
        return chosen_release(self.trained[chosen](rows, entropy), chosen)


def draw_lot(count: int, entropy: Entropy) -> int:
    """An index from 0 to count − 1, each with the same probability: the largest of equal noises."""
    return permute_and_flip(np.zeros(count), 1.0, entropy)
