"""Geometry from released numbers: rows around a paid centre, in units of a paid spread, without the usual levels.

With z the declared units of a row (numbers in [−1, 1], flags ±binary, one-hot blocks) the encoded row is

    x̃ = (clip(D), c)/√(r² + c²),    D = (clip((z − centre)·scale, ±edge), category × the other levels of each block),

clipped to ‖D‖₂ ≤ r and, under pure ε, ‖D‖₁ ≤ r₁. A function of one row and of released numbers, by `released-encoding`.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any


@dataclass(frozen=True)
class ReleasedGeometry:
    """Numbers that were released, or follow from what was released; see the formula above.

    zero_levels: the level of each category that has no column; None where none is left out.
    radius: r; None for the largest possible norm. edge: None for the declared bounds. Both None: nothing is clipped and
    the encoding is linear in the row. constant: c in units of r.
    target: (centre, scale) of a real outcome in encoded units, clipped at ±1; None leaves the outcome as declared.
    """

    centres: tuple[float, ...]
    scales: tuple[float, ...]
    zero_levels: tuple[int | None, ...]
    radius: float | None
    l1_radius: float | None
    constant: float
    edge: float | None
    category: float
    binary: float
    target: tuple[float, float] | None = None

    def unclipped(self) -> ReleasedGeometry:
        """The same centre and scales, no row and no target clipped inside its declared bounds."""
        target = None if self.target is None else (self.target[0], 1 / (1 + abs(self.target[0])))
        return replace(self, radius=None, l1_radius=None, edge=None, target=target)

    def to_dict(self) -> dict[str, object]:
        """Plain values for certificates and stored models."""
        return {name: list(v) if isinstance(v, tuple) else v for name, v in asdict(self).items()}

    @classmethod
    def from_dict(cls, stored: dict[str, Any]) -> ReleasedGeometry:
        """The geometry that `to_dict` described."""
        values: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in stored.items()}
        return cls(**values)
