"""Private Frank–Wolfe over the ℓ1 ball (Talwar, Thakurta and Zhang 2015), with the constants put right.

    minimise (1/n) Σ φ(⟨xᵢ, θ⟩, yᵢ)   over ‖θ‖₁ ≤ c,   |x_ij| ≤ r,   |φ'| ≤ L

Each of T steps picks a vertex by the exponential mechanism. One replaced row moves the score of a vertex, the
derivative of the mean loss towards it, by at most Δ = 2cLr/n; Gumbel noise of scale 2Δ/ε₀ makes a step ε₀-private and
ε₀²/8-zCDP, by `integer-vertex-scores` and by `bounded-range`. T steps compose, by `composition`:

    ρ-zCDP:  ε₀ = √(8ρ/T)        pure ε:  ε₀ = ε/T
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit import noise
from tacit.errors import ParameterError
from tacit.mechanisms.lasso.loss import SLOPE_UNITS, ClippedLoss
from tacit.mechanisms.lasso.schedule import STAGEWISE, Schedule, checked_steps, recommended_steps
from tacit.mechanisms.lasso.sparse_scores import SparseScores
from tacit.mechanisms.lasso.vertex_sampler import VertexSampler
from tacit.mechanisms.lasso.vertex_scores import SCORE_CHANGE, FreshScores, VertexScores, Walk
from tacit.mechanisms.laws import Vector
from tacit.mechanisms.problem import Shape
from tacit.mechanisms.release import Facts, Release, Sensitivity
from tacit.noise import Entropy
from tacit.privacy import ZCDP, Budget, Pure, zcdp_within
from tacit.privacy.rounding import exact, lower, upper
from tacit.rows import Rows

THEOREMS = ("integer-vertex-scores", "bounded-range", "composition", "noisy-argmax", "vertex-sampler-law")

SUPPORT = "support"
"""The name under which a release holds the features of its parameters."""


@dataclass(frozen=True)
class L1Problem:
    """The public facts: rows, clipped loss, ℓ1 radius, and a bound on the mean of x_j² over the rows, over r²."""

    shape: Shape
    loss: ClippedLoss
    radius: float
    column_moment: float = 1.0

    def __post_init__(self) -> None:
        if not 0 < self.radius < 2**20:
            raise ParameterError(f"radius must be a positive number below 2**20, got {self.radius!r}")
        if not 0 < self.column_moment <= 1:
            raise ParameterError(f"column_moment is a share of the largest square: in (0, 1], got {self.column_moment}")

    @property
    def cell_bound(self) -> float:
        """r."""
        return self.shape.norms.linf

    @property
    def sensitivity(self) -> float:
        """Δ = 2cLr/n, by `integer-vertex-scores`."""
        c, L, r, n = self.radius, self.loss.slope_bound, self.cell_bound, self.shape.n
        return upper(lambda: 2 * exact(c) * exact(L) * exact(r) / n)

    def recommended_steps(self, charge: Pure | ZCDP) -> int:
        """T from public numbers, by `frank-wolfe-steps`."""
        r = self.cell_bound
        curvature = self.loss.curvature * r * r * self.column_moment
        return recommended_steps(
            self.shape.n, self.shape.width, self.radius, self.loss.slope_bound * r, curvature, charge
        )


@dataclass(frozen=True)
class Gumbel:
    """The law of the noise in the scores of a selection."""

    scale: float
    name: str = "exponential mechanism (Gumbel noise in the score of each vertex)"


@dataclass(frozen=True)
class VertexFrankWolfe:
    """T private steps towards vertices ±c e_j; releases the chosen vertices with their weights, and nothing else.

    constant_work: every step passes over all rows and draws noise for all 2p vertices, so that neither the running time
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

    @cached_property
    def unit_scale(self) -> float:
        """2Δ/ε₀ in units of the whole-number scores, rounded up, by `integer-vertex-scores`."""
        return upper(lambda: 2 * exact(SCORE_CHANGE) / exact(self.step_epsilon))

    @cached_property
    def grain(self) -> int:
        """How coarsely slopes are rounded: L times a power of two up to min(⅛, 8 ln(2p)/(nε₀)). Public.

        The error that this makes in a derivative, at most half of that times the mean of |x_j|, is at most the error
        4L ln(2p)/(nε₀) that the noise of a selection is expected to make.
        """
        expected = 4 * math.log(2 * self.problem.shape.width) / (self.problem.shape.n * self.step_epsilon)
        return 1 << max(0, math.floor(math.log2(SLOPE_UNITS * min(2 * expected, 0.125))))

    @property
    def facts(self) -> tuple[Facts, ...]:
        delta, epsilon = self.problem.sensitivity, self.step_epsilon
        work = "every step reads all rows" if self.constant_work else "running time depends on the rows"
        return (
            Facts(
                mechanism=f"private Frank–Wolfe over the l1 ball, {self.problem.loss.name}",
                theorems=(
                    "integer-vertex-scores",
                    "bounded-range",
                    "composition",
                    "noisy-argmax",
                    "vertex-sampler-law",
                ),
                sensitivity=Sensitivity("the score of a vertex", delta, {"one replaced row": delta}),
                charge=self.charge,
                law=Gumbel(upper(lambda: 2 * exact(delta) / exact(epsilon))),
                grid=None,
                l2=0.0,
                radius=self.problem.radius,
                tolerance=0.0,
                notes=(
                    f"{self.steps} steps ({self.schedule.name}), each ε₀ = {epsilon:.6g}; l1 radius "
                    f"{self.problem.radius:g}, slope clipped at {self.problem.loss.slope_bound:g}; {work}",
                    *self.notes,
                ),
            ),
        )

    @property
    def hopeless(self) -> bool:
        """Whether the noise of a selection drowns every possible score: 4Lr ln(2p)/(nε₀) ≥ Lr. Public."""
        return bool(4 * np.log(2 * self.problem.shape.width) >= self.problem.shape.n * self.step_epsilon)

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
        problem = self.problem
        walk = Walk(problem.loss, self.schedule, self.steps, problem.radius, problem.cell_bound, self.grain)
        draws = self._full_draws if self.constant_work or not rows.sparse else self._quick_draws
        chosen = np.array(draws(rows, walk, entropy), dtype=np.int64)
        return chosen[:, 0], chosen[:, 1]

    def _full_draws(self, rows: Rows, walk: Walk, entropy: Entropy) -> list[tuple[int, int]]:
        """Noise for every vertex of every step."""
        state, chosen = FreshScores(rows, walk), []
        for step in range(1, self.steps + 1):
            vertex = noise.exponential_mechanism(
                np.concatenate([-state.scores, state.scores]), self.unit_scale, entropy
            )
            sign, feature = (1, vertex) if vertex < state.scores.size else (-1, vertex - state.scores.size)
            chosen.append((feature, sign))
            if step < self.steps:
                state.move(feature, sign)
        return chosen

    def _quick_draws(self, rows: Rows, walk: Walk, entropy: Entropy) -> list[tuple[int, int]]:
        """The sampler and the scores look only at what a step changed."""
        return quick_draws(SparseScores(rows, walk), self.unit_scale, self.steps, entropy)


def quick_draws(state: VertexScores, scale: float, steps: int, entropy: Entropy) -> list[tuple[int, int]]:
    """Vertices by the sub-linear sampler, from any keeper of scores."""
    sampler, chosen = VertexSampler(state.scores, scale), []
    for step in range(1, steps + 1):
        feature, sign = sampler.draw(entropy)
        chosen.append((feature, sign))
        if step < steps:
            changed = state.move(feature, sign)
            if changed is None:
                sampler.rebuild(state.scores)
            else:
                sampler.update(changed)
    return chosen


def selection_budget(budget: Budget) -> Pure | ZCDP:
    """What T selections are charged in: pure ε, or the largest ρ that the budget allows. By `zcdp-to-approx`."""
    return budget if isinstance(budget, Pure) else zcdp_within(budget)


def expanded(release: Release, width: int) -> NDArray[Any]:
    """All coordinates of a release that holds its support only."""
    theta = np.zeros(width)
    theta[release.statistics[SUPPORT].astype(np.intp)] = release.theta
    return theta
