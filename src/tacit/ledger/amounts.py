"""Balances in units and, for people, amounts as floats rounded to the safe side."""

from dataclasses import dataclass
from fractions import Fraction

from tacit.arithmetic import round_down, shown_down, shown_up, sum_up
from tacit.ledger.filters import Stage
from tacit.ledger.units import Cost, Scale, amount_down, amount_up
from tacit.privacy import ZCDP


@dataclass(slots=True)
class Balance:
    """The running sums of one part (or, part '', of the whole) in the units of its stage."""

    part: str
    stage: Stage
    main: int
    delta: int

    @property
    def left(self) -> Cost:
        """What still fits."""
        return Cost(self.stage.main - self.main, self.stage.delta - self.delta)


@dataclass(frozen=True)
class Amount:
    """Privacy spent; unlike a budget it may be zero. None: not defined in this currency."""

    epsilon: float | None
    delta: float
    rho: float | None

    def __str__(self) -> str:
        named = (("ε", self.epsilon), ("ρ", self.rho), ("δ", self.delta or None))
        return ", ".join(f"{name} = {self._shown(value)}" for name, value in named if value is not None)

    def _shown(self, value: float) -> str:
        return shown_up(value)


@dataclass(frozen=True)
class Remaining(Amount):
    """Privacy that is left: shown rounded down, so that what is read off can be spent."""

    def _shown(self, value: float) -> str:
        return shown_down(value)


@dataclass(frozen=True)
class Turned:
    """What an `Approx` account had spent when it turned to zCDP, and the δ put aside for the conversion."""

    before: Cost
    conversion: int
    scale: Scale  # of these units
    excess: float | None  # of the order of the conversion over one; accounts that turned before it was kept have none


def worst(rows: list[Balance]) -> Balance:
    """The largest sums over the parts: nobody lost more. By `ledger-parts`."""
    return Balance(rows[0].part, rows[0].stage, max(row.main for row in rows), max(row.delta for row in rows))


def amount_left(row: Balance) -> Remaining:
    """The largest single charges that still fit, each on its own, rounded down."""
    scale = row.stage.scale
    main, delta = amount_down(row.left.main, scale.main), amount_down(row.left.delta, scale.delta)
    if row.stage.currency == "epsilon":
        return Remaining(main, delta, None)
    epsilon = ZCDP(main).pure_within().epsilon if main > 0 else 0.0
    if row.stage.excess is not None:
        epsilon = max(epsilon, round_down(Fraction(main) * (1 + Fraction(row.stage.excess))))
    return Remaining(epsilon, delta, main)


def amount_spent(row: Balance, turned: Turned | None) -> Amount:
    """What the charges so far add up to, rounded up.

    After a turn ε is what the sums would be worth had they been planned beforehand; the promise that holds for
    charges chosen on the way is the limit. By `ledger-stages`.
    """
    main, delta = amount_up(row.main, row.stage.scale.main), amount_up(row.delta, row.stage.scale.delta)
    if row.stage.currency == "epsilon":
        return Amount(main, delta, None)
    if turned is None:
        return Amount(None, delta, main)
    epsilon = amount_up(turned.before.main, turned.scale.main)
    if row.main:
        conversion = amount_down(turned.conversion, turned.scale.delta)
        epsilon = sum_up(epsilon, ZCDP(main).to_approx(conversion).epsilon)
    booked = row.delta + turned.before.delta + turned.conversion  # the turn keeps the units of δ
    return Amount(epsilon, amount_up(booked, turned.scale.delta), main)
