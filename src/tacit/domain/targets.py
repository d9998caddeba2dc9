"""What a target may be: a bounded real number, one of two labels, or one of several."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from tacit.arithmetic import Floats
from tacit.domain.cells import to_numbers
from tacit.domain.checks import interval, text
from tacit.domain.vocabulary import Label, Vocabulary
from tacit.errors import SchemaError


@dataclass(frozen=True)
class Real:
    """A real outcome with public bounds, encoded as (clip(y) − midpoint) / halfwidth in [−1, 1].

    A cell outside the bounds is moved to the nearest bound; a cell that holds no finite number takes the
    midpoint. |encoded| ≤ 1 holds for the stored floats by `encoding-norms`.
    """

    kind: ClassVar[str] = "real"

    min: float
    max: float
    name: str = "y"

    def __post_init__(self) -> None:
        low, high = interval(SchemaError, "target", self.min, self.max)
        object.__setattr__(self, "min", low)
        object.__setattr__(self, "max", high)
        text(SchemaError, "target.name", self.name, "Name the outcome's column.")

    @property
    def classes(self) -> None:
        """A real outcome has no labels."""
        return None

    @property
    def offset(self) -> float:
        """The midpoint of the bounds."""
        return self.min / 2 + self.max / 2

    @property
    def scale(self) -> float:
        """The larger distance from the (rounded) midpoint to a bound."""
        return max(self.max - self.offset, self.offset - self.min)

    def encode(self, column: object) -> Floats:
        """Outcomes in [−1, 1]."""
        y = to_numbers(column)
        y[~np.isfinite(y)] = self.offset
        np.clip(y, self.min, self.max, out=y)
        y -= self.offset
        y /= self.scale
        return y

    def decode(self, score: Floats) -> Floats:
        """Encoded outcomes in the user's units."""
        return score * self.scale + self.offset

    def to_dict(self) -> dict[str, object]:
        """As in a schema file."""
        return {"name": self.name, "type": self.kind, "min": self.min, "max": self.max}


@dataclass(frozen=True)
class Classes:
    """One of at least two declared labels, encoded as its position; an unknown cell takes position 0."""

    kind: ClassVar[str] = "classes"
    scale: ClassVar[float] = 1.0  # scores of labels have no units,
    offset: ClassVar[float] = 0.0  # and no origin to return to

    values: tuple[Label, ...]
    name: str = "y"
    _vocabulary: Vocabulary = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        vocabulary = Vocabulary.declared(SchemaError, "target.values", self.values, 2, "labels")
        object.__setattr__(self, "values", vocabulary.labels)
        object.__setattr__(self, "_vocabulary", vocabulary)
        text(SchemaError, "target.name", self.name, "Name the outcome's column.")

    @property
    def classes(self) -> tuple[Label, ...]:
        """The labels in code order."""
        return self.values

    def encode(self, column: object) -> Floats:
        """Positions 0..K−1 as float64; unknown and empty cells are 0."""
        codes = self._vocabulary.codes(column)
        return np.maximum(codes, 0).astype(np.float64)

    def decode(self, codes: npt.NDArray[np.integer[Any]]) -> npt.NDArray[Any]:
        """Labels at the given positions, with the type the labels were declared in."""
        labels: npt.NDArray[Any] = np.array(self.values)[codes]
        return labels

    def to_dict(self) -> dict[str, object]:
        """As in a schema file."""
        return {"name": self.name, "type": self.kind, "values": list(self.values)}


@dataclass(frozen=True)
class Binary:
    """One of two labels: `negative` is position 0, `positive` is position 1; unknown cells are negative."""

    kind: ClassVar[str] = "binary"
    scale: ClassVar[float] = 1.0
    offset: ClassVar[float] = 0.0

    positive: Label
    negative: Label
    name: str = "y"
    _classes: Classes = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_classes", Classes((self.negative, self.positive), self.name))

    @property
    def classes(self) -> tuple[Label, ...]:
        """(negative, positive)."""
        return self._classes.values

    def encode(self, column: object) -> Floats:
        """1.0 for `positive`, else 0.0."""
        return self._classes.encode(column)

    def decode(self, codes: npt.NDArray[np.integer[Any]]) -> npt.NDArray[Any]:
        """Labels at positions 0 and 1."""
        return self._classes.decode(codes)

    def to_dict(self) -> dict[str, object]:
        """As in a schema file."""
        return {"name": self.name, "type": self.kind, "positive": self.positive, "negative": self.negative}


Outcome = Real | Binary | Classes
