"""Random stopping: try candidates drawn at random a random number of times, release the best try.

One try: a candidate at random, trained on the training rows with α₁, its score on the others with Laplace noise for α₂.
The parts are disjoint, so a try costs ε = max(α₁, α₂). The number K of tries is drawn first, without the rows:

    geometric    P(K = j) ∝ (1−γ)^j        the best of K tries costs 3ε   (Liu and Talwar 2019)
    logarithmic  P(K = j) ∝ (1−γ)^j / j    the best of K tries costs 2ε   (Papernot and Steinke 2022)

Pure ε only, and only while K stays hidden: given K = k the loss can be kε. γ is such that a candidate is tried about
once on average. By `random-stopping`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from tacit.arithmetic import exact, upper
from tacit.errors import ParameterError
from tacit.mechanisms.laws import Laplace, calibrate_l1
from tacit.mechanisms.problem import Shape
from tacit.mechanisms.release import Facts, Mechanism, Release, Sensitivity
from tacit.mechanisms.selection.candidates import Candidate, chosen_release, parts_of
from tacit.mechanisms.selection.scores import Score
from tacit.mechanisms.selection.splits import SCORING_RADIUS, draw_lot
from tacit.mechanisms.selection.validation import Validation
from tacit.noise import Entropy, bernoulli
from tacit.privacy import Budget, Pure
from tacit.rows import Rows


@dataclass(frozen=True)
class Geometric:
    """K ≥ 1 with P(K = j) = γ(1−γ)^(j−1): the best of K tries costs three times one. By `random-stopping`."""

    stop: Fraction
    factor: int = 3

    def __call__(self, entropy: Entropy) -> int:
        tries = 1
        while not bernoulli(self.stop, 1, entropy)[0]:
            tries += 1
        return tries


@dataclass(frozen=True)
class Logarithmic:
    """K ≥ 1 with P(K = j) ∝ (1−γ)^j/j, a geometric K kept with probability 1/K: two times one. By `random-stopping`."""

    stop: Fraction
    factor: int = 2

    def __call__(self, entropy: Entropy) -> int:
        while True:
            tries = Geometric(self.stop)(entropy)
            if bernoulli(Fraction(1, tries), 1, entropy)[0]:
                return tries


@dataclass(frozen=True)
class RandomStopping:
    """The best of a random number of private tries."""

    candidates: Sequence[Candidate]
    score: Score
    whole: Shape
    training_rows: int
    held_out_rows: int
    privacy: Budget
    select_privacy: Budget
    stopping: Geometric | Logarithmic

    def __post_init__(self) -> None:
        if self.privacy.allows_gaussian or self.select_privacy.allows_gaussian:
            raise ParameterError("random stopping is offered for pure ε: pass numbers or Pure(...) as both budgets")

    @cached_property
    def trained(self) -> tuple[Mechanism, ...]:
        """What a try of each candidate runs."""
        shape = replace(self.whole, n=self.training_rows)
        return tuple(candidate.plan(shape, self.privacy) for candidate in self.candidates)

    @cached_property
    def validation(self) -> Validation:
        return Validation(self.score, replace(self.whole, n=self.held_out_rows), SCORING_RADIUS)

    @cached_property
    def sensitivity(self) -> Sensitivity:
        """One validation row moves a mean by the spread of g over m. By `score-constants` and by `score-rounding`."""
        by_row = upper(lambda: exact(self.validation.largest) / self.held_out_rows)
        rounding = 2 * self.validation.rounding
        parts = {"one replaced row": by_row, "rounding of scores": rounding}
        return Sensitivity.adding("a score", parts)

    @cached_property
    def law(self) -> Laplace:
        """Noise of a score."""
        return calibrate_l1(self.sensitivity.total, self.select_privacy.as_pure())

    @property
    def charge(self) -> Pure:
        """(2 + η) max(α₁, α₂) with η = 1 for geometric, 0 for logarithmic stopping. By `random-stopping`."""
        largest = max(self.privacy.amount, self.select_privacy.amount)
        return Pure(upper(lambda: self.stopping.factor * exact(largest)))

    @property
    def facts(self) -> tuple[Facts, ...]:
        name = type(self.stopping).__name__.lower()
        return (
            Facts(
                mechanism=f"best of a random number of tries ({name} stopping), {self.score.name} on "
                f"{self.held_out_rows:,} held-out rows, {len(self.candidates)} candidates",
                theorems=("random-stopping", "disjoint-parts", "score-constants", "score-rounding"),
                sensitivity=self.sensitivity,
                charge=self.charge,
                law=self.law,
                grid=None,
                l2=0.0,
                radius=None,
                tolerance=0.0,
                notes=(f"the cost covers every try: {self.stopping.factor} times that of one, with the winner's fit",),
            ),
        )

    @cached_property
    def winner_facts(self) -> tuple[tuple[Facts, ...], ...]:
        return tuple(mechanism.facts for mechanism in self.trained)

    def __call__(self, rows: Rows, entropy: Entropy) -> Release:
        training, validation = parts_of(rows, [self.training_rows, self.held_out_rows])
        best, best_score = None, -np.inf
        for _ in range(self.stopping(entropy)):  # never shown: the proof needs the number of tries hidden
            index = draw_lot(len(self.candidates), entropy)
            release = self.trained[index](training, entropy)
            score = float(self.law.add(self.validation(validation, [release.theta]), entropy)[0])
            if best is None or score > best_score:
                best, best_score = chosen_release(release, index), score
        assert best is not None
        return best
