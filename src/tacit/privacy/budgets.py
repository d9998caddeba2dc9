"""The currencies of privacy: what may be spent and what was lost. Replace-one neighbours throughout.

Pure(ε):       P(M(D) ∈ S) ≤ e^ε P(M(D') ∈ S)
ZCDP(ρ):       Rényi divergence of order α at most ρα, for every α > 1
Approx(ε, δ):  P(M(D) ∈ S) ≤ e^ε P(M(D') ∈ S) + δ

A budget that is not a positive, finite, real number is refused here, before any data is touched. Each currency says

    amount, unit       its main number and whether that is an ε or a ρ; own_delta: its δ, 0 without one
    noise_power        noise is in proportion to amount^−noise_power
    allows_gaussian    whether Gaussian noise keeps it
    additive           the budget that adds up over releases without loss and implies this one
    as_pure, charge_for, split_off_pure, zcdp_within, pure_within    what mechanisms of another currency may spend
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Literal, TypeAlias

from tacit.arithmetic import exact, largest_float, lower, shown_up, upper
from tacit.errors import ParameterError
from tacit.privacy.amounts import MAX_EPSILON, MAX_RHO, part_of, positive_number
from tacit.privacy.renyi import epsilon_of_rho

Unit = Literal["epsilon", "rho"]
SMALLEST = 2.0**-1000  # a guarantee of ε = 0 is reported as this positive number


@dataclass(frozen=True)
class Pure:
    """ε-differential privacy."""

    epsilon: float

    unit: ClassVar[Unit] = "epsilon"
    noise_power: ClassVar[float] = 1.0
    allows_gaussian: ClassVar[bool] = False
    own_delta: ClassVar[float] = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive_number("epsilon", self.epsilon, MAX_EPSILON))

    def share(self, fraction: float | Fraction) -> "Pure":
        """A part of this budget; parts whose fractions sum to one never sum to more than the whole."""
        return Pure(part_of(self.epsilon, fraction))

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

    @property
    def amount(self) -> float:
        return self.epsilon

    def additive(self) -> "Pure":
        """Itself: the ε's add up."""
        return self

    def as_pure(self) -> "Pure":
        """Itself."""
        return self

    def charge_for(self, paid: "Budget") -> "Budget":
        """What is booked for a mechanism that cost `paid`: that."""
        return paid

    def split_off_pure(self, fraction: float) -> tuple["Pure", "Pure"]:
        """(the rest, a pure part): together at most the whole. By `composition`."""
        part = self.share(fraction)
        return Pure(lower(lambda: exact(self.epsilon) - exact(part.epsilon))), part

    def zcdp_within(self) -> "ZCDP":
        raise ParameterError("a pure ε cannot pay for a zCDP mechanism; declare privacy=Approx(ε, δ) or ZCDP(ρ)")

    def pure_within(self) -> "Pure":
        """Itself."""
        return self

    def statements(self, delta: float) -> dict[str, str]:
        """The guarantee in every currency that it implies, (ε, δ) at this δ."""
        zcdp = self.to_zcdp()
        epsilon = min(self.to_approx(delta).epsilon, zcdp.least_epsilon(delta))
        return {"pure": str(self), "zCDP": str(zcdp), "approximate": str(Approx(epsilon, delta))}

    def to_dict(self) -> dict[str, Any]:
        """Plain values, read back by `budget_from_dict`."""
        return {"currency": "pure", "epsilon": self.epsilon}

    def __str__(self) -> str:
        return f"ε = {shown_up(self.epsilon)}"


@dataclass(frozen=True)
class ZCDP:
    """ρ-zero-concentrated differential privacy (Bun and Steinke 2016)."""

    rho: float

    unit: ClassVar[Unit] = "rho"
    noise_power: ClassVar[float] = 0.5
    allows_gaussian: ClassVar[bool] = True
    own_delta: ClassVar[float] = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "rho", positive_number("rho", self.rho, MAX_RHO))

    def share(self, fraction: float | Fraction) -> "ZCDP":
        """A part of this budget; parts whose fractions sum to one never sum to more than the whole."""
        return ZCDP(part_of(self.rho, fraction))

    def to_zcdp(self) -> "ZCDP":
        """Itself."""
        return self

    def to_approx(self, delta: float) -> "Approx":
        """The smallest ε at this δ over all Rényi orders. By `zcdp-to-approx`."""
        d = Approx(1.0, delta).delta
        return Approx(self.least_epsilon(d), d)

    def least_epsilon(self, delta: float) -> float:
        """ε of `to_approx`, which for a very large ρ is more than a budget can be."""
        return max(epsilon_of_rho(self.rho, delta), SMALLEST)

    @property
    def amount(self) -> float:
        return self.rho

    def additive(self) -> "ZCDP":
        """Itself: the ρ's add up."""
        return self

    def as_pure(self) -> Pure:
        """What a pure mechanism may spend."""
        return self.pure_within()

    def charge_for(self, paid: "Budget") -> "Budget":
        """What is booked for a mechanism that cost `paid` within this budget: all of it, as zCDP adds up with zCDP."""
        return self

    def split_off_pure(self, fraction: float) -> tuple["ZCDP", Pure]:
        """(the rest, a pure part): together at most the whole. By `composition` and by `pure-to-zcdp`."""
        part = self.share(fraction).pure_within()
        return ZCDP(lower(lambda: exact(self.rho) - exact(part.to_zcdp().rho))), part

    def zcdp_within(self) -> "ZCDP":
        """Itself."""
        return self

    def pure_within(self) -> Pure:
        """The largest ε whose pure guarantee implies this budget. By `pure-to-zcdp`."""
        return Pure(largest_float(lambda epsilon: Pure(epsilon).to_zcdp().rho <= self.rho, MAX_EPSILON))

    def statements(self, delta: float) -> dict[str, str]:
        """The guarantee in every currency that it implies, (ε, δ) at this δ."""
        stated = {"zCDP": str(self)}
        return stated | self.to_approx(delta).statements(delta) if self.least_epsilon(delta) <= MAX_EPSILON else stated

    def to_dict(self) -> dict[str, Any]:
        """Plain values, read back by `budget_from_dict`."""
        return {"currency": "zcdp", "rho": self.rho}

    def __str__(self) -> str:
        return f"ρ = {shown_up(self.rho)} (zCDP)"


@dataclass(frozen=True)
class Approx:
    """(ε, δ)-differential privacy; δ > 0, because δ = 0 is `Pure`."""

    epsilon: float
    delta: float

    unit: ClassVar[Unit] = "epsilon"
    noise_power: ClassVar[float] = 1.0
    allows_gaussian: ClassVar[bool] = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive_number("epsilon", self.epsilon, MAX_EPSILON))
        delta = positive_number("delta", self.delta, 1.0)
        if delta >= 1:
            raise ParameterError("delta must be below 1 (it should be well below 1/n), got 1.0")
        object.__setattr__(self, "delta", delta)

    def share(self, fraction: float | Fraction) -> "Approx":
        """A part of this budget under basic composition."""
        return Approx(part_of(self.epsilon, fraction), part_of(self.delta, fraction))

    def to_approx(self, delta: float) -> "Approx":
        """The same ε at a larger δ; one point of the profile says nothing about a smaller δ."""
        wider = Approx(self.epsilon, delta)
        if wider.delta < self.delta:
            raise ParameterError(
                f"a guarantee at δ = {self.delta:g} says nothing about δ = {wider.delta:g}; ask for δ >= {self.delta:g}"
            )
        return wider

    @property
    def own_delta(self) -> float:
        return self.delta

    @property
    def amount(self) -> float:
        return self.epsilon

    def additive(self) -> ZCDP:
        """The largest zCDP budget that implies this one: k releases share it at the cost of a root, not of a factor."""
        return self.zcdp_within()

    def as_pure(self) -> Pure:
        """The same ε without δ, which is given back."""
        return Pure(self.epsilon)

    def charge_for(self, paid: "Budget") -> "Budget":
        """What is booked for a mechanism that cost `paid`: that."""
        return paid

    def split_off_pure(self, fraction: float) -> tuple["Approx", Pure]:
        """(the rest, a pure part): together at most the whole. By `composition`."""
        part = Pure(self.epsilon).share(fraction)
        return Approx(lower(lambda: exact(self.epsilon) - exact(part.epsilon)), self.delta), part

    def zcdp_within(self) -> ZCDP:
        """The largest ρ whose zCDP guarantee implies this budget. By `zcdp-to-approx`."""
        return ZCDP(largest_float(lambda rho: epsilon_of_rho(rho, self.delta) <= self.epsilon, MAX_RHO))

    def pure_within(self) -> Pure:
        """The largest ε whose pure guarantee implies this budget. By `pure-to-approx`."""
        e, d = self.epsilon, self.delta
        # (1−δ)e^x − δ ≤ e^ε  ⇔  x ≤ ε + log(1 + δe^−ε) − log(1−δ)
        larger = lower(lambda: exact(e) + (1 + exact(d) * (-exact(e)).exp()).log() - (1 - exact(d)).log())
        return Pure(min(MAX_EPSILON, max(e, larger)))

    def statements(self, delta: float) -> dict[str, str]:
        """The guarantee in every currency that it implies."""
        return {"approximate": str(self)}

    def to_dict(self) -> dict[str, Any]:
        """Plain values, read back by `budget_from_dict`."""
        return {"currency": "approximate", "epsilon": self.epsilon, "delta": self.delta}

    def __str__(self) -> str:
        return f"ε = {shown_up(self.epsilon)}, δ = {shown_up(self.delta, 3)}"


Budget: TypeAlias = Pure | ZCDP | Approx
