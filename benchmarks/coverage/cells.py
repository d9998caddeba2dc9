"""The cells of the coverage table: tables × columns × rows × budgets × losses, and the mark each has to reach."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Literal

from benchmarks.coverage.distinct import LossName
from benchmarks.coverage.tables import HELD_OUT, TUNED
from tacit import ZCDP, Approx, Pure

Currency = Literal["pure", "zCDP", "(ε, δ)"]
Engine = Literal["simulated", "library"]
Budget = Pure | ZCDP | Approx

L2 = 0.002
DELTA = 1e-6
LOSSES: tuple[LossName, ...] = ("logistic", "huber")
CURRENCIES: tuple[Currency, ...] = ("pure", "zCDP")
REGRESSIONS = ("wages", "pension-income", "pension-wealth", "births")
HELD_OUT_REGRESSIONS = ("college-wages", "school-scores", "grades")
LENGTH_MARKS = {(5, "pure"): 0.37, (10, "pure"): 0.46, (5, "zCDP"): 0.24, (10, "zCDP"): 0.24}


@dataclass(frozen=True)
class Cell:
    """One line of the table; n None: all rows; l2 None: the library's choice.

    A regression has all columns of its table, whatever d.
    """

    data: str
    d: int
    n: int | None
    epsilon: float
    currency: Currency
    loss: LossName | Literal["squared"]
    mechanism: Literal["objective", "output", "covariance"] = "objective"
    l2: float | None = L2
    engine: Engine = "simulated"

    @property
    def budget(self) -> Budget:
        """The whole budget; zCDP at ρ = ε²/2."""
        match self.currency:
            case "pure":
                return Pure(self.epsilon)
            case "zCDP":
                return ZCDP(self.epsilon**2 / 2)
            case "(ε, δ)":
                return Approx(self.epsilon, DELTA)

    @property
    def held_out(self) -> bool:
        """Whether the table chose none of the recipe's constants."""
        return self.data in HELD_OUT or self.data in HELD_OUT_REGRESSIONS

    @property
    def length_mark(self) -> float | None:
        """The longest allowed mean length, where the published recipe is measured in the same run."""
        return LENGTH_MARKS.get((self.d, self.currency)) if self.has_published_length and self.epsilon == 1 else None

    @property
    def has_published_length(self) -> bool:
        """Adult with all rows, logistic: the published setting."""
        setting = (self.data, self.n, self.loss, self.mechanism, self.l2)
        return setting == ("adult", None, "logistic", "objective", L2) and self.currency in CURRENCIES


def quick() -> list[Cell]:
    """The lengths of the published setting, cells that were hard to cover, and one of every other kind."""
    lengths = [Cell("adult", d, None, 1.0, currency, "logistic") for currency in CURRENCIES for d in (5, 10)]
    others = [
        Cell("bank", 1, 2000, 0.5, "pure", "logistic"),
        Cell("kdd", 10, 5000, 1.0, "pure", "logistic"),
        Cell("magic", 5, 5000, 0.5, "pure", "logistic"),
        Cell("adult", 1, 2000, 0.5, "pure", "huber"),
        Cell("kdd", 10, 2000, 0.5, "zCDP", "huber"),
        Cell("mothers", 5, 2000, 1.0, "pure", "logistic"),
        Cell("adult", 5, 5000, 1.0, "pure", "logistic", "output"),
    ]
    return [*lengths, *others, *_regressions(REGRESSIONS, 1.0), *_by_the_library()]


def full() -> Iterator[Cell]:
    """Everything; small tables first, because they are the hard ones."""
    for loss in LOSSES:
        yield from _grid(loss, TUNED, (5000, 2000, None), (0.5, 1.0))
    for loss in LOSSES:
        yield from _grid(loss, HELD_OUT, (2000, None), (1.0,))
        yield from _with_default_l2(loss)
        yield from _other_mechanisms(loss)
    yield from _by_the_library()
    for epsilon in (1.0, 0.5):
        yield from _regressions((*REGRESSIONS, *HELD_OUT_REGRESSIONS), epsilon)


def _grid(
    loss: LossName, tables: dict[str, tuple[int, ...]], rows: tuple[int | None, ...], epsilons: tuple[float, ...]
) -> Iterator[Cell]:
    for n, (name, widths) in product(rows, tables.items()):
        for d, epsilon, currency in product(widths, epsilons, CURRENCIES):
            yield Cell(name, d, n, epsilon, currency, loss)


def _other_mechanisms(loss: LossName) -> Iterator[Cell]:
    """Output perturbation in three currencies, objective perturbation under (ε, δ)."""
    for name, n in product(("adult", "bank"), (5000, None)):
        yield from (Cell(name, 5, n, 1.0, currency, loss, "output") for currency in (*CURRENCIES, "(ε, δ)"))
        yield Cell(name, 5, n, 1.0, "(ε, δ)", loss)


def _with_default_l2(loss: LossName) -> Iterator[Cell]:
    for name, n, currency in product(("adult", "bank", "mothers"), (2000, None), CURRENCIES):
        yield Cell(name, 5, n, 1.0, currency, loss, l2=None)


def _by_the_library() -> list[Cell]:
    budgets = zip(CURRENCIES, LOSSES, strict=True)
    classifiers = [Cell("adult", 5, 5000, 1.0, currency, loss, engine="library") for currency, loss in budgets]
    return [*classifiers, *_regressions(REGRESSIONS[-1:], 1.0, "library")]


def _regressions(names: tuple[str, ...], epsilon: float, engine: Engine = "simulated") -> list[Cell]:
    return [
        Cell(name, 0, None, epsilon, currency, "squared", "covariance", None, engine)
        for name, currency in product(names, CURRENCIES)
    ]
