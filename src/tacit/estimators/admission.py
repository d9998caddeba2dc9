"""What may be refused before a fit: public facts only.

scikit-learn's own validation looks at cells: it refuses NaN, infinities and text that is not a number, with the cell in
the message. Whether a fit raises would then tell something about a row. Here shapes, kinds and names are checked, which
are public; cells are left to the declaration, which clips them or takes them as missing.
"""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from tacit.domain import Domain, Geometry, Schema, label_text
from tacit.errors import ParameterError, SchemaError
from tacit.estimators.pipeline import Admitted
from tacit.rows import SealedRows, seal

ALWAYS_PUBLIC = ("the number of rows", "the declaration (bounds, categories, unit)", "the parameters of this estimator")


@dataclass(frozen=True)
class AdmittedRows(Admitted):
    """A table with targets that passed the public checks."""

    rows: SealedRows
    declaration: Domain | Schema


def admit_rows(estimator: Any, X: Any, y: Any, declaration: Any, geometry: Geometry) -> AdmittedRows:
    """The table of an estimator of some kind, behind a closed door."""
    if not isinstance(declaration, (Domain, Schema)):
        raise ParameterError(f"domain must be a Domain or a Schema, got {type(declaration).__name__}")
    if isinstance(declaration, Domain):
        admit_table(estimator, X, reset=True)
        y = admit_target(estimator, y)
    in_force, assumed = estimator.kind.declared(declaration, y, paid=estimator.ledger is not None)
    rows = seal(X, y, in_force, geometry)
    if isinstance(in_force, Schema):
        columns, names = len(in_force.features), tuple(in_force.features)
    else:
        columns, names = estimator.n_features_in_, tuple(getattr(estimator, "feature_names_in_", ()))
    return AdmittedRows(rows, in_force, columns, names, (*ALWAYS_PUBLIC, *assumed))


def admit_table(estimator: Any, X: Any, *, reset: bool) -> None:
    """Check the shape and kind of X, and set or compare n_features_in_ and feature_names_in_."""
    shape, dtype = getattr(X, "shape", None), getattr(X, "dtype", None)
    if shape is not None and len(shape) == 1:
        raise SchemaError(
            "X: found 1 dimension; expected 2. Reshape your data: X.reshape(-1, 1) for one feature, "
            "X.reshape(1, -1) for one row."
        )
    if shape is not None and len(shape) == 2 and shape[1] == 0:
        raise SchemaError(f"X: found 0 feature(s) (shape={tuple(shape)}) while a minimum of 1 is required.")
    if isinstance(dtype, np.dtype) and dtype.kind == "c":
        raise SchemaError("X: Complex data not supported; pass the real parts as columns.")
    validate_data(estimator, X, reset=reset, skip_check_array=True)


def admit_target(estimator: Any, y: Any) -> Any:
    """y as one column; its cells are not looked at."""
    if y is None:
        raise SchemaError(
            f"This {type(estimator).__name__} estimator requires y to be passed, but the target y is None. Only a "
            "table with a Schema that names its target column needs no y."
        )
    if len(getattr(y, "shape", ())) == 2 and y.shape[1] == 1:
        warnings.warn(
            "A column-vector y was passed when a 1d array was expected. Please change the shape of y to "
            "(n_samples, ), for example using ravel().",
            DataConversionWarning,
            stacklevel=6,
        )
        return y[:, 0] if isinstance(y, np.ndarray) else y
    return y


def found_classes(y: Any) -> tuple[Any, ...]:
    """The labels in y, read as they are: only for callers who declared none, and said so on the certificate."""
    cells = np.asarray(y)
    if cells.dtype.kind == "f" and not np.all(np.isfinite(cells)):
        raise ParameterError("y holds cells that are no labels, and none were declared: domain=Domain(classes=(...))")
    check_classification_targets(y)
    labels = np.unique(cells)
    if len({label_text(label) for label in labels.tolist()}) < len(labels):
        raise ParameterError(
            "y spells a label in several ways (1 and '1' are one), and none were declared: domain=Domain(classes=(...))"
        )
    if len(labels) < 2:
        raise ParameterError(
            "y holds one class and none were declared; a classifier needs two. Declare them: "
            "domain=Domain(classes=(...))"
        )
    return tuple(labels.tolist())
