"""The coefficient table: what was released, in the user's units, with as many digits as its uncertainty allows."""

import math
from dataclasses import dataclass
from html import escape

import pandas as pd

from tacit.escaping import printable

COEFFICIENT, ERROR, PRIVACY = "coefficient", "standard error", "of which privacy"
HOMOSKEDASTIC = "homoskedastic error"
LOWER, UPPER = "lower", "upper"
ODDS, Z, P = "odds ratio", "z", "p"
NOISE, NOISE_GUESS, NOISE_BOUND = "privacy noise", "privacy noise ≈", "privacy noise ≤"
NOT_DETERMINED, NOTHING = "not determined", "—"
SMALLEST_P = 1e-4


@dataclass(frozen=True)
class Summary:
    """One row per coefficient, the intercept last; `table` holds the numbers, columns named as they are shown.

    With intervals the uncertainty of a row is its standard error, all error counted; without, the size (standard
    deviation) of the privacy noise. "≤" marks a bound: it says too little to take digits away, so two digits of every
    coefficient are then shown. Rows with an infinite interval are shown as not determined.
    """

    title: str
    table: pd.DataFrame
    footer: tuple[str, ...]
    level: float = 0.95

    def to_frame(self) -> pd.DataFrame:
        """The table as numbers."""
        return self.table.copy()

    def to_html(self) -> str:
        """The table as HTML, digits as in the text."""
        shown = pd.DataFrame(self._cells(), columns=self._header())
        footer = "<br>".join(escape(printable(line)) for line in self.footer)
        return f"<h3>{escape(printable(self.title))}</h3>{shown.to_html(index=False, border=0)}<p>{footer}</p>"

    def _repr_html_(self) -> str:
        return self.to_html()

    def __str__(self) -> str:
        cells = [self._header(), *self._cells()]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = [_line(row, widths) for row in cells]
        rule = "─" * max(len(lines[0]), len(self.title))
        return "\n".join([printable(self.title), rule, *lines, rule, *map(printable, self.footer)])

    __repr__ = __str__

    def _header(self) -> list[str]:
        ends = {end: f"{100 * self.level:.6g} % {end}" for end in (LOWER, UPPER)}
        return ["", *(ends.get(column, column) for column in map(str, self.table.columns))]

    def _cells(self) -> list[list[str]]:
        return [[printable(str(name)), *self._row(row)] for name, row in self.table.iterrows()]

    def _row(self, row: pd.Series) -> list[str]:
        values = {str(column): float(value) for column, value in row.items()}
        if math.isinf(values.get(LOWER, 0.0)):
            return [NOT_DETERMINED, *[NOTHING] * (len(values) - 1)]
        return [_shown(column, value, values) for column, value in values.items()]


def _shown(column: str, value: float, row: dict[str, float]) -> str:
    """One cell, with the digits that the uncertainty of its row allows."""
    unit = next(row[name] for name in (ERROR, NOISE, NOISE_GUESS, NOISE_BOUND) if name in row)
    if column == COEFFICIENT and NOISE_BOUND in row:
        unit = min(unit, abs(value) or unit)
    if column.startswith(NOISE):
        return f"±{rounded_to(value, value)}"
    if column in (ERROR, PRIVACY, HOMOSKEDASTIC):
        return rounded_to(value, value)
    if column == Z:
        return f"{value:.2f}"
    if column == P:
        return f"<{SMALLEST_P}" if value < SMALLEST_P else f"{value:.4f}"
    return rounded_to(value, value * unit if column == ODDS else unit)


def _line(row: list[str], widths: list[int]) -> str:
    name, *values = row
    padded = [f"{value:>{width}}" for value, width in zip(values, widths[1:], strict=True)]
    return "  ".join([f"{name:<{widths[0]}}", *padded])


def rounded_to(value: float, uncertainty: float) -> str:
    """The value with two digits of its uncertainty and no more; large numbers are rounded left of the point too."""
    if not (math.isfinite(value) and math.isfinite(uncertainty) and uncertainty > 0):
        return f"{value:.4g}"
    last = math.floor(math.log10(uncertainty)) - 1
    if last < -12:
        return f"{value:.6g}"
    return f"{value:,.{-last}f}" if last < 0 else f"{round(value / 10.0**last) * 10.0**last:,.0f}"
