"""Do intervals for ordinary logistic coefficients cover, and how long are they beside intervals without privacy?

The whole table is the population, samples are drawn from it with replacement. "determined": the share of intervals
that are finite. Coverage is that of the finite ones; "worst" is the coefficient covered least often among those that
are finite in a quarter of the samples. "over_plain": median length beside the sandwich interval of as many rows.
Simulated: the library's plans, noise laws and interval code around a fast minimiser and numpy's noise.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import norm

from benchmarks.coverage.populations import TUNED, Floats, Population, moments, population
from benchmarks.coverage.simulation import noisy
from tacit import ZCDP, Approx, Pure
from tacit.inference import evidence_of
from tacit.mechanisms.intervals import DebiasedWithIntervals, JointRelease, NewtonWithIntervals, plan_ordinary, svec
from tacit.mechanisms.release import Release
from tacit.privacy import Budget

LEVEL = 0.95
DELTA = 1e-6
SEED = 16  # of samples and noise
OFTEN = 0.25
LEAST_AVERAGE, LEAST_SINGLE = 0.945, 0.91
BUDGETS = {"zCDP": lambda e: ZCDP(e * e / 2), "(ε, δ)": lambda e: Approx(e, DELTA), "pure": Pure}

Record = dict[str, Any]


class Mark(NamedTuple):
    """The longest allowed median length beside the plain one, and the least share determined."""

    length: float
    determined: float = 0.0


@dataclass(frozen=True)
class OrdinaryCell:
    """One line of the table; n None: as many rows as the table has."""

    table: str
    n: int | None
    currency: str
    epsilon: float

    @property
    def budget(self) -> Budget:
        """zCDP at ρ = ε²/2."""
        return BUDGETS[self.currency](self.epsilon)

    @property
    def mark(self) -> Mark | None:
        return MARKS.get((self.table, self.n, self.currency)) if self.epsilon == 1 else None

    @property
    def held_out(self) -> bool:
        """Whether the table chose none of the recipe's constants."""
        return not self.table.startswith(TUNED)


MARKS = {
    ("adult5", None, "zCDP"): Mark(1.07),
    ("adult5", None, "(ε, δ)"): Mark(1.45),
    ("adult5", None, "pure"): Mark(1.75),
    ("adult5", 5000, "zCDP"): Mark(1.25, 0.95),
    ("bank10", None, "zCDP"): Mark(1.12, 0.98),
    ("adultmix", None, "zCDP"): Mark(1.4, 0.90),
}
NULLS = ("adult5+coin", "bank10+coin")
HELD_OUT = ("mothers", "health", "marriages", "happiness", "methods", "wives", "colleges")


def quick_cells() -> list[OrdinaryCell]:
    """The cells with a mark, a true null, and three tables that chose nothing."""
    marked = [OrdinaryCell(*key, 1.0) for key in MARKS]
    others = [OrdinaryCell(name, None, "zCDP", 1.0) for name in (NULLS[0], *HELD_OUT[:3])]
    return [*marked, *others]


def full_cells() -> list[OrdinaryCell]:
    """Every table, currency and size."""
    tables = ("adult5", "bank5", "bank10", "adult10 tight", "adult10", "adultmix", "bankmix", "magic5")
    tuned = [OrdinaryCell(*cell) for cell in product(tables, (5000, None), BUDGETS, (0.5, 1.0, 3.0))]
    held_out = [OrdinaryCell(*cell) for cell in product(HELD_OUT, (None,), BUDGETS, (0.5, 1.0, 3.0))]
    nulls = [OrdinaryCell(*cell) for cell in product(NULLS, (None,), BUDGETS, (1.0,))]
    return [*tuned, *held_out, *nulls]


def measured(cell: OrdinaryCell, replicates: int, seed: int = SEED) -> Record:
    """Coverage, lengths and, with a coin, how often it passes for significant."""
    people = population(cell.table)
    n = len(people.rows) if cell.n is None else cell.n
    simulation = Simulation(people, n, cell.budget, np.random.default_rng(seed))
    seen = [simulation.replicate() for _ in range(replicates)]
    errors, halves, tails = (np.array(part) for part in zip(*seen, strict=True))
    record: Record = {"data": cell.table, "d": len(people.truth) - 1, "n": n, "loss": "logistic", "target": "ordinary"}
    record |= {"currency": cell.currency, "epsilon": cell.epsilon, "held_out": cell.held_out, "engine": "simulated"}
    record |= {"replicates": replicates} | _coverage(errors, halves, plain_lengths(people, n))
    if people.coin is not None:
        record["null_below_5_percent"] = float(np.mean(tails[:, people.coin] < 1 - LEVEL))
    if (mark := cell.mark) is not None:
        reached = record["over_plain"] <= mark.length and record["determined"] >= mark.determined
        record |= {"length_mark": mark.length, "determined_mark": mark.determined, "mark_reached": reached}
    return record


def plain_lengths(people: Population, n: int) -> Floats:
    """Lengths of sandwich intervals without privacy."""
    _, hessian, scores = moments(people.rows, people.truth)
    inverse = np.linalg.inv(_with_coin(people, hessian))
    covariance = people.units @ inverse @ _with_coin(people, scores) @ inverse @ people.units.T / n
    return 2 * norm.isf((1 - LEVEL) / 2) * np.sqrt(np.diag(covariance))


def _with_coin(people: Population, matrix: Floats) -> Floats:
    """A coin is independent of the other columns: nothing beside its own square."""
    if people.coin is None:
        return matrix
    cleared, own = matrix.copy(), matrix[people.coin, people.coin]
    cleared[people.coin], cleared[:, people.coin] = 0.0, 0.0
    cleared[people.coin, people.coin] = own
    return cleared


def _coverage(errors: Floats, halves: Floats, plain: Floats) -> Record:
    finite = np.isfinite(halves)
    covered, often = np.abs(errors) <= halves, finite.mean(axis=0) >= OFTEN
    record: Record = {"determined": float(finite.mean()), "coverage": np.nan, "worst": np.nan, "over_plain": np.nan}
    if not finite.any():
        return record
    record["coverage"] = float(covered[finite].mean())
    if often.any():
        columns = [(covered[:, j][finite[:, j]], 2 * halves[:, j][finite[:, j]]) for j in np.flatnonzero(often)]
        record["worst"] = float(min(column.mean() for column, _ in columns))
        record["over_plain"] = float(np.median([np.median(length) for _, length in columns] / plain[often]))
    if record["determined"] >= OFTEN:
        record["covered"] = record["coverage"] >= LEAST_AVERAGE and record["worst"] >= LEAST_SINGLE
    return record


@dataclass
class Simulation:
    """Releases on samples of a population."""

    people: Population
    n: int
    budget: Budget
    rng: np.random.Generator

    def __post_init__(self) -> None:
        self.mechanism = plan_ordinary(self.people.of(self.n), self.budget).mechanism
        assert isinstance(self.mechanism, (NewtonWithIntervals, DebiasedWithIntervals))
        self.l2 = self.mechanism.pilot.problem.l2
        self.start = _minimum(self.people.rows, self.l2, np.zeros(self.width), self.people.truth)

    @property
    def width(self) -> int:
        return len(self.people.truth)

    def replicate(self) -> tuple[Floats, Floats, Floats]:
        """(errors, half-widths, p-values) of one release, in the user's units."""
        release = self.released(self.people.sample(self.n, self.rng))
        evidence = evidence_of(self.mechanism, release)
        assert evidence is not None
        units = self.people.units
        estimates = units @ release.theta
        halves, tails = evidence.half_widths(units, LEVEL), evidence.tails(units, np.abs(estimates))
        return estimates - units @ self.people.truth, halves, tails

    def released(self, rows: Floats) -> Release:
        """What the mechanism would release on these rows."""
        tilt = noisy(np.zeros(self.width), self.mechanism.pilot.law, self.rng) / self.n
        pilot = _minimum(rows, self.l2, tilt, self.start)
        ball = self.people.shape.inner_ball

        def look(release: Any, theta: Floats) -> Any:
            gradient, hessian, scores = (self.n * mean for mean in moments(rows, theta, ball))
            if isinstance(release, JointRelease):
                packed = release.pack(gradient, hessian, scores)
                return release.unpacked(noisy(packed, release.law, self.rng))
            packed = svec(hessian) if release.size > 1 else np.array([np.trace(scores)])
            return release.statistic.unpacked(noisy(packed, release.law(theta), self.rng), self.width)

        return self.mechanism.after(pilot, look)


def _minimum(rows: Floats, l2: float, tilt: Floats, theta: Floats) -> Floats:
    """argmin of the mean loss + (λ/2)‖θ‖² + ⟨tilt, θ⟩ by Newton's method with step halving."""

    def value(t: Floats) -> float:
        return float(np.logaddexp(0, -(rows @ t)).mean() + l2 / 2 * t @ t + tilt @ t)

    now = value(theta)
    for _ in range(60):
        gradient, hessian, _ = moments(rows, theta)
        gradient = gradient + l2 * theta + tilt
        if np.linalg.norm(gradient) < 1e-8:
            break
        step, length = np.linalg.solve(hessian + l2 * np.eye(len(theta)), gradient), 1.0
        while (then := value(moved := theta - length * step)) > now + 1e-13 and length > 1e-4:
            length /= 2
        theta, now = moved, then
    return theta
