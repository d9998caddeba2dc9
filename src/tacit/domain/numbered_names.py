"""Names of columns that have none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload


@dataclass(frozen=True)
class NumberedNames(Sequence[str]):
    """x0, x1, …, made when they are asked for: a million strings would cost more than a fit."""

    columns: int

    def __len__(self) -> int:
        return self.columns

    @overload
    def __getitem__(self, place: int) -> str: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[str, ...]: ...

    def __getitem__(self, place: int | slice) -> str | tuple[str, ...]:
        if isinstance(place, slice):
            return tuple(f"x{number}" for number in range(self.columns)[place])
        return f"x{range(self.columns)[place]}"
