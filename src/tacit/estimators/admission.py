"""What scikit-learn may refuse before a fit: public facts only.

scikit-learn's own validation looks at cells: it refuses NaN, infinities and text that is not a number, with the cell in
the message. Whether a fit raises would then tell something about a row. Here shapes, kinds and names are checked, which
are public; cells are left to the declaration, which clips them or takes them as missing.
"""

from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d, validate_data

from tacit.domain import label_text
from tacit.errors import ParameterError, SchemaError


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
    column = getattr(y, "ndim", 1) == 2 and y.shape[1] == 1
    return column_or_1d(y, warn=True) if column else y


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
