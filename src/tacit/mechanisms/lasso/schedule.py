"""Step rules of Frank–Wolfe over the ℓ1 ball, and how many steps to take: public in every number.

After t steps towards vertices s₁, …, s_t ∈ {±e_j} the parameters are

    θ_t = (c / A_t) Σ_{k ≤ t} w_k s_k,     w, A whole numbers,   Σ_{k ≤ t} w_k ≤ A_t,

so ‖θ_t‖₁ ≤ c, and a row's score is c/A_t times a sum of whole numbers.
"""

import math
from dataclasses import dataclass
from typing import Protocol, assert_never

from tacit.errors import ParameterError
from tacit.privacy import ZCDP, Pure

MOST_STEPS = 2**16


class Schedule(Protocol):
    """Weights of the atoms."""

    @property
    def name(self) -> str:
        """What a reader of the certificate calls it."""

    @property
    def rescales(self) -> bool:
        """Whether a step changes the weight of earlier atoms."""

    def weight(self, step: int) -> int:
        """w of step 1, 2, …"""

    def total(self, step: int, steps: int) -> int:
        """A after `step` of `steps` steps."""


@dataclass(frozen=True)
class Stagewise:
    """θ_t = θ_{t−1} + (c/T) s_t: atoms of one fixed weight, as forward stagewise regression.

    Nothing is rescaled, so a step changes only rows that hold the chosen feature. The lowest risk in practice; the
    worst-case rate of Frank–Wolfe is proved for the other two rules.
    """

    name: str = "stagewise"
    rescales: bool = False

    def weight(self, step: int) -> int:
        return 1

    def total(self, step: int, steps: int) -> int:
        return steps


@dataclass(frozen=True)
class Uniform:
    """γ_t = 1/t: the mean of the atoms."""

    name: str = "uniform"
    rescales: bool = True

    def weight(self, step: int) -> int:
        return 1

    def total(self, step: int, steps: int) -> int:
        return max(step, 1)


@dataclass(frozen=True)
class Classic:
    """γ_t = 2/(t + 1): the published step size."""

    name: str = "frank-wolfe"
    rescales: bool = True

    def weight(self, step: int) -> int:
        return step

    def total(self, step: int, steps: int) -> int:
        return max(step * (step + 1) // 2, 1)


STAGEWISE = Stagewise()
SCHEDULES: dict[str, Schedule] = {rule.name: rule for rule in (STAGEWISE, Uniform(), Classic())}


def recommended_steps(
    log_candidates: float, radius: float, score_range: float, curvature: float, charge: Pure | ZCDP
) -> int:
    """The T that minimises a bound on the excess risk, from public numbers, by `frank-wolfe-steps`.

        F(T) = βc²/(2T) + 2cb ln N,     b = R√(T/(8ρ)) for ρ-zCDP,   b = RT/ε for pure ε

    β = `curvature` bounds the second derivative along a coordinate, φ'' · mean x_j²; R = `score_range` is the range of
    the changes that one replaced row makes in the derivatives along the N candidates. The second term is what the noise
    of the selections costs, with probability at least 1 − 1/N a step.

        T = (βc√(2ρ)/(R ln N))^(2/3)    or    T = √(βcε/(4R ln N))
    """
    signal = curvature * radius / (score_range * log_candidates)
    match charge:
        case ZCDP(rho):
            best = math.pow(signal * math.sqrt(2 * rho), 2 / 3)
        case Pure(epsilon):
            best = math.sqrt(signal * epsilon / 4)
        case _:
            assert_never(charge)
    return min(max(1, round(best)), MOST_STEPS)


def checked_steps(steps: int) -> int:
    """A number of steps that keeps every integer below 2^53."""
    if isinstance(steps, bool) or not isinstance(steps, int) or not 1 <= steps <= MOST_STEPS:
        raise ParameterError(f"steps must be a whole number from 1 to {MOST_STEPS}, or 'auto', got {steps!r}")
    return steps
