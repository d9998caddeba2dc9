"""What searches over private models share: the model they search with, and the winner that they hand on."""

from dataclasses import replace
from typing import Any

from sklearn.base import clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from tacit.errors import ParameterError
from tacit.estimators.admission import AdmittedRows
from tacit.estimators.estimator import PrivateEstimator
from tacit.estimators.intervals import wants_intervals
from tacit.estimators.kinds import Part
from tacit.estimators.linear import PrivateLinearModel, Searchable
from tacit.estimators.model_file import ModelFile


def _winner_has(name: str) -> Any:
    def check(search: "PrivateModelSearch") -> bool:
        return hasattr(getattr(search, "best_estimator_", search.estimator), name)

    return available_if(check)


class PrivateModelSearch(PrivateEstimator):
    """Base of the searches. `estimator` has the ledger and the seed; after `fit`, `best_estimator_` is the winner."""

    estimator: Any
    best_estimator_: Any

    def predict(self, X: Any) -> Any:
        """Predictions of the winner."""
        return self._winner().predict(X)

    def score(self, X: Any, y: Any) -> float:
        """R² or accuracy of the winner."""
        return float(self._winner().score(X, y))

    @_winner_has("decision_function")  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Any:
        """Scores of the winner."""
        return self._winner().decision_function(X)

    @_winner_has("predict_proba")  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Any:
        """Probabilities of the winner."""
        return self._winner().predict_proba(X)

    def summary(self) -> Any:
        """The summary of the winner: coefficients, the noise in them, and what was paid."""
        return self._winner().summary()

    @property
    def classes_(self) -> Any:
        """The labels of the winner."""
        return self._winner().classes_

    def _winner(self) -> Any:
        check_is_fitted(self)
        return self.best_estimator_

    def _payer(self) -> Any:
        return self._model()

    def _model(self) -> Any:
        """A copy of the model to search with, which is a `Searchable`."""
        if not isinstance(self.estimator, PrivateLinearModel):
            raise ParameterError(f"estimator must be a private linear model, got {type(self.estimator).__name__}")
        if wants_intervals(self.estimator.inference):
            raise ParameterError("a search buys no intervals; leave inference out")
        return clone(self.estimator)

    def _become(self, winner: Searchable, kept: ModelFile) -> None:
        """Fit the winner from the file of the search."""
        shared = {name: kept.released[name] for name in ("geometry", "vectors") if name in kept.released}
        winner.restore(replace(kept, released=shared))
        self.best_estimator_ = winner

    def __sklearn_tags__(self) -> Any:
        tags, inner = super().__sklearn_tags__(), self.estimator.__sklearn_tags__()
        tags.estimator_type, tags.target_tags, tags.input_tags = (
            inner.estimator_type,
            inner.target_tags,
            inner.input_tags,
        )
        tags.classifier_tags, tags.regressor_tags = inner.classifier_tags, inner.regressor_tags
        if tags.classifier_tags is not None:
            tags.classifier_tags.multi_class = False
        return tags


def only_part(model: Searchable, admitted: AdmittedRows) -> Part:
    """The one vector that a search is about."""
    parts = model.kind.parts(admitted.declaration.outcome)
    if len(parts) > 1:
        raise ParameterError(f"Only binary classification is supported. A search has two classes, not {len(parts)}")
    return parts[0]


def with_assumptions(admitted: AdmittedRows, *assumed: str) -> AdmittedRows:
    """The same table, with more on the list of what is assumed public."""
    return replace(admitted, assumed_public=(*admitted.assumed_public, *assumed))
