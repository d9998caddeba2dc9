"""The coefficient table: what was released, in the user's units, with as many digits as the privacy noise allows."""

import math
from dataclasses import dataclass
from html import escape

import numpy as np
import pandas as pd

from tacit.arithmetic import Floats
from tacit.escaping import printable


@dataclass(frozen=True)
class Summary:
    """One row per coefficient, the intercept last. `noise` is the size (standard deviation) of the privacy noise.

    bounded: the sizes are upper bounds, because the true ones depend on data that was not released. A bound says too
    little to take digits away, so two digits of every coefficient are then shown.
    """

    title: str
    names: tuple[str, ...]
    coefficients: Floats
    noise: Floats
    bounded: bool
    footer: tuple[str, ...]
    level: float = 0.95
    intervals: Floats | None = None

    def to_frame(self) -> pd.DataFrame:
        """The table as numbers."""
        columns = {"coefficient": self.coefficients, self._noise_label: self.noise}
        if self.intervals is not None:
            columns |= {"lower": self.intervals[:, 0], "upper": self.intervals[:, 1]}
        return pd.DataFrame(columns, index=list(self.names))

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

    @property
    def _noise_label(self) -> str:
        return "privacy noise ≤" if self.bounded else "privacy noise"

    def _header(self) -> list[str]:
        ends = [] if self.intervals is None else [f"{100 * self.level:.6g} % {end}" for end in ("lower", "upper")]
        return ["", "coefficient", self._noise_label, *ends]

    def _cells(self) -> list[list[str]]:
        ends: Floats = np.empty((len(self.names), 0)) if self.intervals is None else self.intervals
        rows = zip(map(printable, self.names), self.coefficients, self.noise, ends, strict=True)
        return [
            [name, self._shown(value, noise), f"±{rounded_to(noise, noise)}", *(rounded_to(end, noise) for end in pair)]
            for name, value, noise, pair in rows
        ]

    def _shown(self, value: float, noise: float) -> str:
        return rounded_to(value, min(noise, abs(value) or noise) if self.bounded else noise)


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
