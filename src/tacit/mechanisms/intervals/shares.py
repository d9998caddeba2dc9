"""How a budget is shared between coefficients and what their intervals need: a function of public facts only.

    fit        θ̃
    curvature  the Hessian at θ̃
    scores     the covariance of the rows' gradients at θ̃: all of it if its noise is small beside λ, else its trace

The shares were chosen for short intervals that still cover on real tables: with a noisier Hessian the intervals fail
before they get shorter.
"""

from dataclasses import dataclass
from fractions import Fraction

from tacit.errors import ParameterError
from tacit.losses import Loss
from tacit.mechanisms.intervals.row_weights import Curvature, RowWeight, SquaredSlope
from tacit.mechanisms.intervals.weighted_moments import SecondMoments, Trace, WeightedMoments
from tacit.mechanisms.moments import quietest_measure
from tacit.mechanisms.problem import Shape
from tacit.privacy import Budget

SMALL_WIDTH = 2
QUIET_SCORES = 0.5  # the covariance is worth its budget if its noise is below this many λ
HESSIAN_NOISE_OVER_L2_LOW, HESSIAN_NOISE_OVER_L2_HIGH = 0.5, 8.0  # a Hessian with more noise says little
HESSIAN_NOISE_OVER_L2_HIGH_NARROW = 6.0


@dataclass(frozen=True)
class Split:
    """Shares of the budget for coefficients, Hessian and score covariance; at most 1 together."""

    fit: float
    curvature: float
    scores: float

    def __post_init__(self) -> None:
        shares = (self.fit, self.curvature, self.scores)
        if not (all(0 < share < 1 for share in shares) and sum(shares) <= 1 + 1e-12):
            raise ParameterError(
                f"the shares of a Split are positive and add up to at most 1, got {shares}; "
                "write for example Split(fit=0.8, curvature=0.15, scores=0.05)"
            )

    def of(self, budget: Budget) -> tuple[Budget, Budget, Budget]:
        """(fit, curvature, scores): together at most the budget; shares are exact and parts rounded down."""
        shares = [Fraction(share).limit_denominator(10**6) for share in (self.fit, self.curvature, self.scores)]
        total = max(Fraction(1), sum(shares, Fraction(0)))
        fit, curvature, scores = (budget.share(share / total) for share in shares)
        return fit, curvature, scores


COVARIANCE_PURE, TRACE_PURE = Split(0.86, 0.09, 0.05), Split(0.86, 0.12, 0.02)
COVARIANCE_ZCDP, TRACE_ZCDP = Split(0.90, 0.05, 0.05), Split(0.90, 0.09, 0.01)
COVARIANCE_NARROW, TRACE_NARROW = Split(0.70, 0.15, 0.15), Split(0.75, 0.23, 0.02)
ALWAYS_COVARIANCE, ALWAYS_COVARIANCE_LOUD = Split(0.70, 0.15, 0.15), Split(0.85, 0.05, 0.10)
ALWAYS_COVARIANCE_NARROW = Split(0.55, 0.30, 0.15)


def shared(
    shape: Shape, loss: Loss, l2: float, budget: Budget, wanted: Split | None
) -> tuple[Split, SecondMoments | Trace]:
    """The split in force, and whether the whole covariance or its trace is released.

    Where slopes say nothing about curvature, as in every loss that is no likelihood, the covariance is released whole.
    """
    if not loss.likelihood:
        return wanted or _covariance_split(shape, loss, l2, budget), second_moments(shape, budget)
    pure = not budget.allows_gaussian
    narrow = pure and shape.width <= SMALL_WIDTH
    if narrow:
        whole, trace, limit = COVARIANCE_NARROW, TRACE_NARROW, l2
    else:
        whole, trace = (COVARIANCE_PURE, TRACE_PURE) if pure else (COVARIANCE_ZCDP, TRACE_ZCDP)
        limit = QUIET_SCORES * l2
    whole, trace = wanted or whole, wanted or trace
    quiet = mean_noise(shape, SquaredSlope(loss), whole.of(budget)[2]) <= limit
    return (whole, second_moments(shape, budget)) if quiet else (trace, Trace())


def mean_noise(shape: Shape, weight: RowWeight, budget: Budget) -> float:
    """Standard deviation of one svec coordinate of a mean of w·xxᵀ."""
    release = WeightedMoments(shape, weight, budget, second_moments(shape, budget))
    return release.law().deviation(release.size) / shape.n


def second_moments(shape: Shape, budget: Budget) -> SecondMoments:
    """The matrix of second moments with the quieter noise."""
    return SecondMoments(quietest_measure(shape.width, shape.n, budget))


def _covariance_split(shape: Shape, loss: Loss, l2: float, budget: Budget) -> Split:
    """Under pure ε a curvature that is 0 in most rows is loud: little is spent where it would say little anyway.

    In narrow tables one direction decides about the length, and a better Hessian is worth more than less noise in θ̃.
    """
    if budget.allows_gaussian:
        return ALWAYS_COVARIANCE
    loudness = mean_noise(shape, Curvature(loss), ALWAYS_COVARIANCE.of(budget)[1]) / l2
    narrow = shape.width <= SMALL_WIDTH
    if loudness > (HESSIAN_NOISE_OVER_L2_HIGH_NARROW if narrow else HESSIAN_NOISE_OVER_L2_HIGH):
        return ALWAYS_COVARIANCE_LOUD
    return ALWAYS_COVARIANCE_NARROW if narrow and loudness > HESSIAN_NOISE_OVER_L2_LOW else ALWAYS_COVARIANCE
