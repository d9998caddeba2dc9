"""The table of a sparse model: what it chose, largest first."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tacit.errors import ParameterError


def coefficient_table(
    coefficients: NDArray[np.float64], names: Sequence[str], classes: NDArray[np.generic] | None
) -> pd.DataFrame:
    """Coefficients that are not zero, one row each; with their classes if there is one vector for each class."""
    if len(names) != coefficients.shape[1]:
        raise ParameterError(f"found {len(names)} names; expected {coefficients.shape[1]}, one for each coefficient")
    vectors, columns = np.nonzero(coefficients)
    values = coefficients[vectors, columns]
    frame = pd.DataFrame({"feature": [names[int(j)] for j in columns], "column": columns, "coefficient": values})
    if classes is not None:
        frame.insert(0, "class", classes[vectors])
    order = frame["coefficient"].abs().sort_values(ascending=False, kind="stable").index
    return frame.loc[order].reset_index(drop=True)
