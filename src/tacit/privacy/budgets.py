"""The currencies of privacy: what may be spent and what was lost. Replace-one neighbours throughout.

Pure(ε):       P(M(D) ∈ S) ≤ e^ε P(M(D') ∈ S)
ZCDP(ρ):       Rényi divergence of order α at most ρα, for every α > 1
Approx(ε, δ):  P(M(D) ∈ S) ≤ e^ε P(M(D') ∈ S) + δ
ExPost:        the realised loss of a mechanism that decides while running how much to spend; with δ > 0 the loss is
               larger than stated with at most that probability, ∫(p − e^ε(o) q)₊ ≤ δ

A budget that is not a positive, finite, real number is refused here, before any data is touched.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from numbers import Real
from typing import TypeAlias

from tacit.arithmetic import exact, round_down, shown_up, sum_up, upper
from tacit.errors import ParameterError
from tacit.privacy.renyi import epsilon_of_rho

MAX_EPSILON = 2.0**20  # beyond this the word privacy has no meaning, and the ledger no units
MAX_RHO = 2.0**39
LEAST_SPENT = 1e-60  # noise for less would leave the floats
SMALLEST = 2.0**-1000  # a guarantee of ε = 0 is reported as this positive number


def positive_number(name: str, value: object, largest: float) -> float:
    """The value as a float (rounded down), or a ParameterError that says what a budget must be."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise ParameterError(f"{name} must be a real number, got {type(value).__name__}; write for example {name}=0.5")
    number = _float_below(value)
    if not 0 < number <= largest:  # also false for nan
        raise ParameterError(
            f"{name} must be finite with 0 < {name} <= {largest:g}, got {value!r}; write for example {name}=0.5"
        )
    return number


@dataclass(frozen=True)
class Pure:
    """ε-differential privacy."""

    epsilon: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive_number("epsilon", self.epsilon, MAX_EPSILON))

    def share(self, fraction: float | Fraction) -> "Pure":
        """A part of this budget; parts whose fractions sum to one never sum to more than the whole."""
        return Pure(_part(self.epsilon, fraction))

    def to_zcdp(self) -> "ZCDP":
        """ρ = ε tanh(ε/2), attained by randomised response. By `pure-to-zcdp`."""
        e = self.epsilon
        return ZCDP(upper(lambda: exact(e) * (exact(e) / 2).tanh()))

    def to_approx(self, delta: float) -> "Approx":
        """ε(δ) = ε + log(1 − δ(1 + e^−ε)), the profile of randomised response. By `pure-to-approx`."""
        e, d = self.epsilon, Approx(self.epsilon, delta).delta
        if d >= upper(lambda: (exact(e) / 2).tanh()):  # the total variation distance: ε(δ) = 0
            return Approx(SMALLEST, d)
        reduced = upper(lambda: exact(e) + (1 - exact(d) * (1 + (-exact(e)).exp())).log())
        return Approx(min(e, max(reduced, SMALLEST)), d)

    def __str__(self) -> str:
        return f"ε = {shown_up(self.epsilon)}"


@dataclass(frozen=True)
class ZCDP:
    """ρ-zero-concentrated differential privacy (Bun and Steinke 2016)."""

    rho: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "rho", positive_number("rho", self.rho, MAX_RHO))

    def share(self, fraction: float | Fraction) -> "ZCDP":
        """A part of this budget; parts whose fractions sum to one never sum to more than the whole."""
        return ZCDP(_part(self.rho, fraction))

    def to_zcdp(self) -> "ZCDP":
        """Itself."""
        return self

    def to_approx(self, delta: float) -> "Approx":
        """The smallest ε at this δ over all Rényi orders. By `zcdp-to-approx`."""
        d = Approx(1.0, delta).delta
        return Approx(max(epsilon_of_rho(self.rho, d), SMALLEST), d)

    def __str__(self) -> str:
        return f"ρ = {shown_up(self.rho)} (zCDP)"


@dataclass(frozen=True)
class Approx:
    """(ε, δ)-differential privacy; δ > 0, because δ = 0 is `Pure`."""

    epsilon: float
    delta: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive_number("epsilon", self.epsilon, MAX_EPSILON))
        delta = positive_number("delta", self.delta, 1.0)
        if delta >= 1:
            raise ParameterError("delta must be below 1 (it should be well below 1/n), got 1.0")
        object.__setattr__(self, "delta", delta)

    def share(self, fraction: float | Fraction) -> "Approx":
        """A part of this budget under basic composition."""
        return Approx(_part(self.epsilon, fraction), _part(self.delta, fraction))

    def to_approx(self, delta: float) -> "Approx":
        """The same ε at a larger δ; one point of the profile says nothing about a smaller δ."""
        wider = Approx(self.epsilon, delta)
        if wider.delta < self.delta:
            raise ParameterError(
                f"a guarantee at δ = {self.delta:g} says nothing about δ = {wider.delta:g}; ask for δ >= {self.delta:g}"
            )
        return wider

    def __str__(self) -> str:
        return f"ε = {shown_up(self.epsilon)}, δ = {shown_up(self.delta, 3)}"


@dataclass(frozen=True)
class ExPost:
    """What an ex-post private mechanism really lost: its test for accuracy and the hypothesis it released.

    delta: 0 for the pure notion. Otherwise ∫(p(o) − e^ε(o) q(o))₊ do ≤ δ over all outputs o, whatever was realised.
    """

    test: float
    hypothesis: float
    delta: float = 0.0

    def __post_init__(self) -> None:
        for name in ("test", "hypothesis"):
            value = getattr(self, name)
            lost = positive_number(name, value, MAX_EPSILON) if value != 0 else 0.0
            object.__setattr__(self, name, lost if not lost < value else math.nextafter(lost, math.inf))
        if self.delta != 0:
            object.__setattr__(self, "delta", Approx(1.0, self.delta).delta)

    @property
    def total(self) -> float:
        """The realised ε, rounded up."""
        return sum_up(self.test, self.hypothesis)

    def __str__(self) -> str:
        delta = f", δ = {shown_up(self.delta, 3)}" if self.delta else ""
        parts = f"test {shown_up(self.test)} + hypothesis {shown_up(self.hypothesis)}"
        return f"ε = {shown_up(self.total)}{delta} ex post ({parts})"


Budget: TypeAlias = Pure | ZCDP | Approx


def as_budget(value: object) -> Budget:
    """What a user is ready to spend: a budget as it is; a plain number means `Pure`."""
    if isinstance(value, (Pure, ZCDP, Approx)):
        if (value.rho if isinstance(value, ZCDP) else value.epsilon) < LEAST_SPENT:
            raise ParameterError(f"a budget of {value} pays for nothing; expected at least {LEAST_SPENT:g}")
        return value
    if isinstance(value, bool) or not isinstance(value, Real):
        raise ParameterError(
            f"privacy must be Pure(...), ZCDP(...), Approx(...) or a number (meaning Pure), got {type(value).__name__}"
        )
    return as_budget(Pure(_float_below(value)))


def _float_below(value: Real) -> float:
    """The number as a float, rounded down when it is not one (a fraction, a wide integer or a long double)."""
    try:
        nearest = float(value)
    except OverflowError:
        return math.inf
    return math.nextafter(nearest, -math.inf) if value < nearest else nearest


def _part(whole: float, fraction: float | Fraction) -> float:
    """whole · fraction, rounded down.

    A float is read as its binary value or as the decimal it prints as, whichever is smaller, so that shares fit
    when their fractions sum to one in either reading: ten shares of 0.1 do.
    """
    below = positive_number("fraction", fraction, 1.0)
    share = fraction if isinstance(fraction, Fraction) else min(Fraction(below), Fraction(repr(below)))
    return round_down(Fraction(whole) * share)
