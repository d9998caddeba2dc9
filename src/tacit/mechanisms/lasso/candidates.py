"""Which vertices a step may choose, and how far apart one replaced row can move their scores.

Scores are whole numbers, G_j = Σᵢ Dᵢ X_ij with |Dᵢ| ≤ 2^14 and |X_ij| ≤ 2^14; vertex s·c·e_j has score −sG_j. What a
selection has to hide is the *range* of the changes that one replaced row makes in the scores of the candidates, by
`bounded-range`: the noise is proportional to it.
"""

from dataclasses import dataclass
from typing import Protocol

from tacit.mechanisms.lasso.loss import SLOPE_UNITS

CELL_UNITS = 2**14
"""Units in the largest cell."""

SCORE_CHANGE = 2 * CELL_UNITS * SLOPE_UNITS
"""How far one replaced row can move a score, by `integer-vertex-scores`."""


class Candidates(Protocol):
    """The vertices ±c e_j that are allowed in each step."""

    @property
    def name(self) -> str:
        """What a reader of the certificate calls them."""

    @property
    def theorems(self) -> tuple[str, ...]:
        """The proofs of the range."""

    @property
    def lowest_cell(self) -> int:
        """Cells are clamped from here to 2^14 units."""

    @property
    def score_range(self) -> int:
        """The largest difference between the changes of two candidates' scores, in units."""

    def signs(self, step: int) -> tuple[int, ...]:
        """Signs that vertices may have in step 1, 2, …: public."""


@dataclass(frozen=True)
class BothSigns:
    """+e_j and −e_j in every step; cells in [−r, r].

    The scores of +e_j and −e_j move in opposite directions, each by up to 2·2^28, by `integer-vertex-scores`.
    """

    name: str = "both signs in every step"
    theorems: tuple[str, ...] = ("integer-vertex-scores",)
    lowest_cell: int = -CELL_UNITS
    score_range: int = 2 * SCORE_CHANGE

    def signs(self, step: int) -> tuple[int, ...]:
        return (1, -1)


@dataclass(frozen=True)
class SignsInTurn:
    """+e_j in odd steps, −e_j in even ones; cells in [0, r], where that halves the range, by `signs-in-turn`."""

    name: str = "positive and negative steps in turn, cells not below 0"
    theorems: tuple[str, ...] = ("integer-vertex-scores", "signs-in-turn")
    lowest_cell: int = 0
    score_range: int = SCORE_CHANGE

    def signs(self, step: int) -> tuple[int, ...]:
        return (1,) if step % 2 else (-1,)


BOTH_SIGNS = BothSigns()
SIGNS_IN_TURN = SignsInTurn()
