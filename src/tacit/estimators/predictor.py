"""What models share whose predictions are made from linear scores: admission, encoding, prediction."""

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from tacit.arithmetic import Floats
from tacit.domain import Domain, Encoding, Geometry, Outcome, Placement, Schema
from tacit.estimators.admission import AdmittedRows, admit_rows, admit_table
from tacit.estimators.declarations import encoding_of
from tacit.estimators.estimator import PrivateEstimator
from tacit.estimators.kinds import Kind
from tacit.rows import linear_scores


class PrivatePredictor(PrivateEstimator):
    """Base of the models with coefficients."""

    default_domain: ClassVar[Domain]

    domain: Domain | Schema | None
    coef_: Floats
    intercept_: Any
    encoded_coef_: Floats
    classes_: NDArray[Any]
    _declared: Domain | Schema

    @property
    @abstractmethod
    def kind(self) -> Kind:
        """Regression or classification."""

    def admit(self, X: Any, y: Any) -> AdmittedRows:
        """The public checks of a table: shapes, names and kinds. Only labels that nobody declared are read, from y."""
        declaration = self.default_domain if self.domain is None else self.domain
        return admit_rows(self, X, y, declaration, self._geometry())

    def predict(self, X: Any) -> NDArray[Any]:
        """The class with the highest score, or targets in the user's units."""
        return self.kind.predicted(self._scores(X), self._encoding().target)

    @abstractmethod
    def _geometry(self) -> Geometry:
        """How rows are placed in the unit ball, by public facts."""

    def _placement(self) -> Placement:
        """How rows were placed for the fit."""
        return self._geometry()

    def _encoding(self) -> Encoding:
        names = tuple(map(str, getattr(self, "feature_names_in_", ())))
        return encoding_of(self._declared, self._placement(), self.n_features_in_, names, self._units())

    def _units(self) -> Outcome | None:
        """What a score is decoded to: None for the target as it was encoded, something else if the model has a link."""
        return None

    def _keep_vectors(self, thetas: Floats, encoding: Encoding) -> None:
        """Set the coefficients, in encoded units and in the user's."""
        if len(thetas) != len(self.kind.parts(encoding.target)):
            raise ValueError("found another number of vectors than the classes need")
        if encoding.target.classes is not None:
            self.classes_ = np.array(encoding.target.classes)
        self.encoded_coef_ = thetas
        self.coef_, self.intercept_ = self.kind.coefficients([encoding.decode(theta) for theta in thetas])

    def _scores(self, X: Any) -> Floats:
        """⟨x̃, θ⟩ for each row and each released vector, rows encoded as for the fit."""
        check_is_fitted(self)
        if isinstance(self._declared, Domain):
            admit_table(self, X, reset=False)
        return linear_scores(X, self.encoded_coef_.T, self._declared, self._placement())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        # Cells are never refused: what is not a number is missing, as declared.
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        return tags
