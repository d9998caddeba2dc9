"""Two kinds of learning: a real number for each row, or one of several labels.

What differs between them is here, once, for every model: which declarations they take, how many vectors are released,
and how scores become predictions. More than two classes are fitted one against the rest.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tacit.arithmetic import Floats
from tacit.domain import Domain, Outcome, Schema
from tacit.errors import ParameterError
from tacit.estimators.admission import found_classes
from tacit.privacy import Budget, share_among
from tacit.rows import Rows

LABELS_WERE_READ = "the class labels, read from y because none were declared"


@dataclass(frozen=True)
class Part:
    """One released vector: of the rows as they are, or of the class with this code against the rest."""

    code: int | None = None
    label: str | None = None

    def of(self, rows: Rows) -> Rows:
        """The rows with the targets of this part."""
        return rows if self.code is None else rows.one_vs_rest(self.code)


class Kind(Protocol):
    """A kind of learning."""

    def declared(self, declaration: Domain | Schema, y: Any, *, paid: bool) -> tuple[Domain | Schema, tuple[str, ...]]:
        """The declaration in force, and what had to be assumed public for it."""

    def parts(self, outcome: Outcome) -> tuple[Part, ...]:
        """One for each vector to be released."""

    def coefficients(self, decoded: Sequence[tuple[Floats, Floats]]) -> tuple[Floats, Any]:
        """(coef_, intercept_) from those of each vector."""

    def predicted(self, scores: Floats, outcome: Outcome) -> NDArray[Any]:
        """Predictions in the user's units from the scores of each vector."""


class Regression:
    """A real number for each row."""

    def declared(self, declaration: Domain | Schema, y: Any, *, paid: bool) -> tuple[Domain | Schema, tuple[str, ...]]:
        if isinstance(declaration, Domain):
            return replace(declaration, classes=None), ()
        if declaration.target.classes is not None:
            raise ParameterError("the schema declares labels as target; regression needs a target with min and max")
        return declaration, ()

    def parts(self, outcome: Outcome) -> tuple[Part, ...]:
        return (Part(),)

    def coefficients(self, decoded: Sequence[tuple[Floats, Floats]]) -> tuple[Floats, float]:
        ((coef, intercept),) = decoded
        return coef.flatten(), float(intercept)

    def predicted(self, scores: Floats, outcome: Outcome) -> Floats:
        return scores[:, 0] * outcome.scale + outcome.offset


class Classification:
    """One of two or more labels for each row."""

    def declared(self, declaration: Domain | Schema, y: Any, *, paid: bool) -> tuple[Domain | Schema, tuple[str, ...]]:
        """Labels that were not declared are read from y, which an account does not allow before its charge."""
        if isinstance(declaration, Schema):
            if declaration.target.classes is None:
                raise ParameterError("the schema declares a real target; a classifier needs type binary or classes")
            return declaration, ()
        if declaration.classes is not None:
            return declaration, ()
        if paid:
            raise ParameterError(
                "no classes were declared, and with a ledger account nothing of y may be read before the charge: "
                "declare them, domain=Domain(classes=(...)) or a Schema with a target of type binary or classes"
            )
        return replace(declaration, classes=found_classes(y)), (LABELS_WERE_READ,)

    def parts(self, outcome: Outcome) -> tuple[Part, ...]:
        labels = outcome.classes or ()
        if len(labels) == 2:
            return (Part(1),)
        return tuple(Part(code, f"{label} against the rest") for code, label in enumerate(labels))

    def coefficients(self, decoded: Sequence[tuple[Floats, Floats]]) -> tuple[Floats, Floats]:
        coef = np.stack([np.ravel(each) for each, _ in decoded])
        return coef, np.array([float(intercept) for _, intercept in decoded])

    def predicted(self, scores: Floats, outcome: Outcome) -> NDArray[Any]:
        codes = (scores[:, 0] > 0).astype(int) if scores.shape[1] == 1 else scores.argmax(axis=1)
        return np.asarray(np.array(outcome.classes)[codes])


REGRESSION_KIND = Regression()
CLASSIFICATION_KIND = Classification()


def decision(scores: Floats) -> Floats:
    """Positive for the second of two classes, or one column per class."""
    return scores[:, 0] if scores.shape[1] == 1 else scores


def probabilities(scores: Floats, link: Callable[[Floats], Floats]) -> Floats:
    """The probability that each score stands for; with more than two classes scaled to sum to one."""
    each = link(scores)
    if scores.shape[1] == 1:
        return np.column_stack([1 - each[:, 0], each[:, 0]])
    return np.asarray(each / each.sum(axis=1, keepdims=True))


def budget_of_each(budget: Budget, parts: Sequence[Part]) -> Budget:
    """What one of the parts may cost."""
    return budget if len(parts) == 1 else share_among(budget, len(parts))
