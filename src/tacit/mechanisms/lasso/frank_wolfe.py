"""Private Frank–Wolfe over the ℓ1 ball (Talwar, Thakurta and Zhang 2015), with the constants put right.

Each of T steps picks a vertex by the exponential mechanism. One replaced row changes the scores of the candidates, the
derivatives of the mean loss towards them, by amounts in an interval of length R; Gumbel noise of scale R/ε₀ makes a
step ε₀-private and ε₀²/8-zCDP, by `bounded-range`. T steps compose, by `composition`:

    ρ-zCDP:  ε₀ = √(8ρ/T)        pure ε:  ε₀ = ε/T
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, assert_never

import numpy as np
from numpy.typing import NDArray

from tacit import noise
from tacit.arithmetic import exact, lower, upper
from tacit.mechanisms.lasso.l1_problem import L1Problem
from tacit.mechanisms.lasso.loss import SLOPE_UNITS
from tacit.mechanisms.lasso.schedule import STAGEWISE, Schedule, checked_steps
from tacit.mechanisms.lasso.sparse_scores import SparseScores
from tacit.mechanisms.lasso.vertex_sampler import VertexSampler
from tacit.mechanisms.lasso.vertex_scores import Walk, scores_of
from tacit.mechanisms.laws import Vector
from tacit.mechanisms.release import Facts, Release, Sensitivity
from tacit.noise import Entropy
from tacit.privacy import ZCDP, Pure
from tacit.rows import Rows

THEOREMS = ("bounded-range", "composition", "noisy-argmax", "vertex-sampler-law")

SUPPORT = "support"
"""The name under which a release holds the features of its parameters."""


@dataclass(frozen=True)
class Gumbel:
    """The law of the noise in the scores of a selection."""

    scale: float
    name: str = "exponential mechanism (Gumbel noise in the score of each vertex)"


@dataclass(frozen=True)
class VertexFrankWolfe:
    """T private steps towards vertices ±c e_j; releases the chosen vertices with their weights, and nothing else.

    constant_work: every step passes over all rows and draws noise for all candidates, so that neither the running time
    nor the number of random words depends on the rows. Without it, sparse rows take the fast path: the same law, in a
    time that depends on how many rows hold the chosen features.
    """

    problem: L1Problem
    charge: Pure | ZCDP
    steps: int
    schedule: Schedule = STAGEWISE
    constant_work: bool = False
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        checked_steps(self.steps)

    @cached_property
    def step_epsilon(self) -> float:
        """ε₀ of one step, rounded down, by `bounded-range`."""
        T = self.steps
        match self.charge:
            case ZCDP(rho):
                return lower(lambda: (8 * exact(rho) / T).sqrt())
            case Pure(epsilon):
                return lower(lambda: exact(epsilon) / T)
            case _:
                assert_never(self.charge)

    @cached_property
    def unit_scale(self) -> float:
        """R/ε₀ in units of the whole-number scores, rounded up, by `bounded-range`."""
        return upper(lambda: exact(self.problem.candidates.score_range) / exact(self.step_epsilon))

    @cached_property
    def selection_error(self) -> float:
        """How far a selection is expected to miss the best score, in shares of the largest score cLr: Rln(N)/ε₀/cLr."""
        return self.problem.range_share * self.problem.log_candidates / self.step_epsilon

    @cached_property
    def grain(self) -> int:
        """How coarsely slopes are rounded: L times a power of two up to min(⅛, 2·selection_error). Public.

        The error that this makes in a derivative is at most half of that times the mean of |x_j|, hence no more than
        the noise of a selection is expected to make.
        """
        return 1 << max(0, math.floor(math.log2(SLOPE_UNITS * min(2 * self.selection_error, 0.125))))

    @property
    def hopeless(self) -> bool:
        """Whether the noise of a selection drowns every possible score. Public."""
        return self.selection_error >= 1

    @property
    def facts(self) -> tuple[Facts, ...]:
        problem, epsilon = self.problem, self.step_epsilon
        work = "every step reads all rows" if self.constant_work else "running time depends on the rows"
        return (
            Facts(
                mechanism=f"private Frank–Wolfe over the l1 ball, {problem.loss.name}",
                theorems=(*problem.candidates.theorems, *THEOREMS),
                sensitivity=Sensitivity(
                    "differences of scores", problem.score_range, {"one replaced row": problem.score_range}
                ),
                charge=self.charge,
                law=Gumbel(upper(lambda: exact(problem.score_range) / exact(epsilon))),
                grid=None,
                l2=0.0,
                radius=problem.radius,
                tolerance=0.0,
                notes=(
                    f"{self.steps} steps ({self.schedule.name}), each ε₀ = {epsilon:.6g}; {problem.candidates.name}; "
                    f"l1 radius {problem.radius:g}, slope clipped at {problem.loss.slope_bound:g}; {work}",
                    *self.notes,
                ),
            ),
        )

    def __call__(self, rows: Rows, entropy: Entropy) -> Release:
        return self.released(*self.transcript(rows, entropy))

    def released(self, features: NDArray[np.int64], signs: NDArray[np.int64]) -> Release:
        """The parameters of a transcript, on their support."""
        weights = np.array([self.schedule.weight(step) for step in range(1, self.steps + 1)])
        support, place = np.unique(features, return_inverse=True)
        atoms: Vector = np.bincount(place, weights * signs, minlength=support.size).astype(np.float64)
        theta = atoms * (self.problem.radius / self.schedule.total(self.steps, self.steps))
        return Release(theta, np.full(theta.size, np.nan), {SUPPORT: support.astype(np.float64)})

    def transcript(self, rows: Rows, entropy: Entropy) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The chosen vertices, (features, signs) in order: this is what is private."""
        draws = self._full_draws if self.constant_work or not rows.sparse else self._quick_draws
        chosen = np.array(draws(rows, self._walk, entropy), dtype=np.int64)
        return chosen[:, 0], chosen[:, 1]

    @property
    def _walk(self) -> Walk:
        return Walk(
            loss=self.problem.loss,
            schedule=self.schedule,
            steps=self.steps,
            radius=self.problem.radius,
            cell_bound=self.problem.cell_bound,
            grain=self.grain,
            candidates=self.problem.candidates,
        )

    def _full_draws(self, rows: Rows, walk: Walk, entropy: Entropy) -> list[tuple[int, int]]:
        """Noise for every candidate of every step."""
        state, chosen = scores_of(rows, walk), list[tuple[int, int]]()
        for step in range(1, self.steps + 1):
            signs = walk.candidates.signs(step)
            merits = np.concatenate([-sign * state.scores for sign in signs])
            number, feature = divmod(noise.exponential_mechanism(merits, self.unit_scale, entropy), rows.width)
            chosen.append((feature, signs[number]))
            if step < self.steps:
                state.move(*chosen[-1])
        return chosen

    def _quick_draws(self, rows: Rows, walk: Walk, entropy: Entropy) -> list[tuple[int, int]]:
        """The sampler and the scores look only at what a step changed."""
        state, chosen = SparseScores(rows, walk), list[tuple[int, int]]()
        sampler = VertexSampler(state, self.unit_scale)
        for step in range(1, self.steps + 1):
            chosen.append(sampler.draw(walk.candidates.signs(step), entropy))
            if step < self.steps:
                state.move(*chosen[-1])
        return chosen


def expanded(release: Release, width: int) -> NDArray[Any]:
    """All coordinates of a release that holds its support only."""
    theta = np.zeros(width)
    theta[release.statistics[SUPPORT].astype(np.intp)] = release.theta
    return theta
