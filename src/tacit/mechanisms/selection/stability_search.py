"""Selection by stability (Chaudhuri and Vinterbo 2013, algorithms 1 and 2).

    h_i = F(T, θ_i, α₁, R_i),   i* = argmax q(h_i, V) + noise for α₂,   release F(T ∪ V, θ_{i*}, α₁, fresh R)

The h_i are trained with all of α₁ on the same rows, k of them, and cost nothing: they are never released, and one row
moves the score of h_i by at most β_i whatever their randomness. The whole costs α₁ + α₂. By `validate-selection`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tacit.mechanisms.problem import Shape
from tacit.mechanisms.release import Facts, Mechanism, Release
from tacit.mechanisms.selection.candidates import Candidate, Watch, chosen_release, no_progress, parts_of
from tacit.mechanisms.selection.noisy_choice import NoisyChoice, kind_of_choice
from tacit.mechanisms.selection.scores import Score
from tacit.mechanisms.selection.stability import Motion, motion
from tacit.mechanisms.selection.validation import Validation
from tacit.noise import Entropy
from tacit.privacy import Budget, compose
from tacit.rows import Rows


@dataclass(frozen=True)
class StabilitySearch:
    """Validate, then train the winner again with fresh randomness on all rows.

    training, validation: public shapes of the two parts; whole: of the table.
    """

    candidates: Sequence[Candidate]
    score: Score
    whole: Shape
    training: Shape
    validation: Shape
    privacy: Budget
    select_privacy: Budget
    watch: Watch[Any] = no_progress

    @cached_property
    def trained(self) -> tuple[Mechanism, ...]:
        """The mechanisms that make the h_i."""
        return tuple(candidate.plan(self.training, self.privacy) for candidate in self.candidates)

    @cached_property
    def final(self) -> tuple[Mechanism, ...]:
        """The mechanism of each candidate for the whole table; one of them runs."""
        return tuple(candidate.plan(self.whole, self.privacy) for candidate in self.candidates)

    @cached_property
    def _motions(self) -> tuple[Motion, ...]:
        return tuple(motion(mechanism) for mechanism in self.trained)

    @cached_property
    def held_out(self) -> Validation:
        return Validation(self.score, self.validation, max(declared.length for declared in self._motions))

    @cached_property
    def choice(self) -> NoisyChoice:
        """Each candidate's β = max(β₁/n, β₂/m) and the rounding of a score. By `training-stability`."""
        n, m = self.training.n, self.validation.n
        moves = tuple(self.held_out.stability(declared.moved, n).spread(n, m) for declared in self._motions)
        return kind_of_choice(moves)(
            moves,
            self.held_out.rounding,
            self.select_privacy,
            f"choice by stability, {self.score.name} on {m:,} held-out rows",
            ("training-stability", "score-constants", "score-rounding"),
        )

    @property
    def charge(self) -> Budget:
        """α₁ + α₂. By `composition`."""
        return compose(self.privacy, self.choice.charge)

    @property
    def facts(self) -> tuple[Facts, ...]:
        """Of the choice; the certificate adds those of the winner."""
        return (self.choice.facts,)

    @cached_property
    def winner_facts(self) -> tuple[tuple[Facts, ...], ...]:
        """What the certificate says if candidate i wins; asking for it calibrates everything."""
        return tuple(mechanism.facts for mechanism in self.final)

    def __call__(self, rows: Rows, entropy: Entropy) -> Release:
        training, validation = parts_of(rows, [self.training.n, self.validation.n])
        thetas = [mechanism(training, entropy).theta for mechanism in self.watch(self.trained)]
        chosen = self.choice(self.held_out(validation, thetas), entropy)
        return chosen_release(self.final[chosen](rows, entropy), chosen)
