"""A private density: counts of a grid with noise, the bin width fixed or chosen privately."""

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from sklearn.base import DensityMixin
from sklearn.utils.validation import check_is_fitted

from tacit.arithmetic import Floats
from tacit.errors import ParameterError
from tacit.estimators.admission import admit_table
from tacit.estimators.declarations import Bounds
from tacit.estimators.estimator import PrivateEstimator
from tacit.estimators.fits import Fit
from tacit.estimators.kinds import Part
from tacit.estimators.model_file import ModelFile
from tacit.estimators.parameters import plain_parameters
from tacit.estimators.pipeline import Admitted, Order
from tacit.ledger import Account
from tacit.mechanisms import Grid, Mechanism, NoisyCounts, Plan, Release, nearest_counts
from tacit.mechanisms.selection import WidthSearch
from tacit.noise import entropy_of
from tacit.privacy import Budget, as_budget
from tacit.rows import seal_points


class PrivateHistogram(DensityMixin, PrivateEstimator):  # type: ignore[misc]
    """A histogram density of one column, or of two on a product grid, that is differentially private.

    bin_widths: one width, or several to choose from with `select_privacy`. On a grid of two axes a width is a pair, or
    one number for both. Widths are adjusted so that whole bins fill the bounds.
    privacy: of the released histogram; Pure, ZCDP or Approx; a number means Pure.
    select_privacy: of the choice; None if there is one width. The whole costs both.
    low, high: public bounds, numbers or one for each axis. Points outside are clipped, what is not a number counts as
    the middle; nothing is refused for its value. validation: share of the points that score the candidates.
    ledger: an account to charge. random_state: a seed, for tests; the certificate then says NOT PRIVATE.

    After `fit`: grid_, counts_ (non-negative, summing to n), bin_width_, density_, certificate_.
    """

    _declared: Bounds
    grid_: Grid
    counts_: Floats
    density_: Floats

    def __init__(
        self,
        bin_widths: float | Sequence[Any] = 0.1,
        *,
        privacy: Budget | float = 1.0,
        select_privacy: Budget | float | None = None,
        low: float | Sequence[float] = 0.0,
        high: float | Sequence[float] = 1.0,
        validation: float = 0.2,
        ledger: Account | None = None,
        random_state: Any = None,
    ) -> None:
        self.bin_widths = bin_widths
        self.privacy = privacy
        self.select_privacy = select_privacy
        self.low = low
        self.high = high
        self.validation = validation
        self.ledger = ledger
        self.random_state = random_state

    def pdf(self, points: Any) -> Floats:
        """The released density at these points; 0 outside the bounds."""
        check_is_fitted(self)
        points = np.asarray(points, dtype=np.float64)
        table = points.reshape(-1, 1) if points.ndim < 2 else points
        if table.shape[1] != len(self.grid_.low):
            raise ParameterError(f"found points of {table.shape[1]} coordinates; expected {len(self.grid_.low)}")
        low, high = np.array(self.grid_.low), np.array(self.grid_.high)
        inside = np.all((table >= low) & (table <= high), axis=1)
        place = self.grid_.place_of(np.clip(np.where(np.isnan(table), low, table), low, high))
        values: Floats = np.where(inside, self.density_.ravel()[place], 0.0)
        return values.reshape(points.shape[:1]) if points.ndim else values[0]

    def score_samples(self, X: Any) -> Floats:
        """Logarithm of the density at each row; −inf where it is 0."""
        check_is_fitted(self)
        X = _as_column(X)
        admit_table(self, X, reset=False)
        with np.errstate(divide="ignore"):
            return np.log(self.pdf(np.asarray(X, dtype=np.float64)))

    def score(self, X: Any, y: Any = None) -> float:
        """Sum of the log densities."""
        return float(np.sum(self.score_samples(X)))

    def sample(self, size: int = 1, random_state: Any = None) -> Floats:
        """Points drawn from the released density, one row each: made from the release, so they cost nothing."""
        check_is_fitted(self)
        axes = len(self.grid_.bins)
        uniforms = entropy_of(random_state).words(size * (1 + axes)).astype(np.float64) * 2.0**-64
        sums = np.cumsum(self.counts_.ravel())
        place = np.searchsorted(sums, uniforms[:size] * sums[-1], side="right")
        cells = np.unravel_index(np.minimum(place, sums.size - 1), self.grid_.bins)
        within = uniforms[size:].reshape(axes, size)
        drawn = [
            edges[cell] + part * (edges[cell + 1] - edges[cell])
            for edges, cell, part in zip(self.grid_.edges, cells, within, strict=True)
        ]
        return np.column_stack(drawn)

    def plot(self, ax: Any = None) -> Any:
        """The released density: bars for one axis, a map for two. Needs matplotlib."""
        from tacit.estimators.density_plot import plot_density

        check_is_fitted(self)
        return plot_density(self.grid_, self.density_, ax)

    def _order(self, X: Any, y: Any) -> Order:
        X = _as_column(X)
        admit_table(self, X, reset=True)
        bounds = self._bounds(self.n_features_in_)
        points = seal_points(X, bounds.low, bounds.high)
        names = tuple(getattr(self, "feature_names_in_", ()))
        public = ("the number of rows", "the bounds", "the parameters of this estimator")
        return Order(
            type(self).__name__,
            plain_parameters(self),
            Admitted(points, bounds, self.n_features_in_, names, public),
            self._job(self._grids(bounds), points.n),
            as_budget(self.privacy),
        )

    def _keep(self, kept: ModelFile) -> None:
        (release,) = kept.released["vectors"]
        n, self._chosen = kept.certificate.n, release["chosen"]
        self.grid_ = self._grids(self._declared)[self._chosen]
        self._noisy = np.array(release["noisy"], dtype=np.float64)
        if self._noisy.shape != (self.grid_.cells,):
            raise ValueError("found another number of counts than the grid has cells")
        self.counts_ = nearest_counts(self._noisy, n).reshape(self.grid_.bins)
        self.density_ = self.counts_ / (n * self.grid_.volume)
        self.bin_width_ = self.grid_.widths[0] if len(self.grid_.bins) == 1 else self.grid_.widths

    def _released(self) -> dict[str, Any]:
        return {"vectors": [{"chosen": self._chosen, "noisy": self._noisy.tolist()}]}

    def _grids(self, bounds: Bounds) -> tuple[Grid, ...]:
        return tuple(Grid.of_width(bounds.low, bounds.high, width) for width in self._widths(len(bounds.low)))

    def _job(self, grids: tuple[Grid, ...], n: int) -> Fit:
        privacy = as_budget(self.privacy)
        if len(grids) == 1:
            if self.select_privacy is not None:
                raise ParameterError("there is one bin width, so nothing to choose: leave select_privacy out")
            return _fit(NoisyCounts(grids[0], privacy), "a histogram of the bin width that was asked for")
        if self.select_privacy is None:
            raise ParameterError(
                f"choosing among {len(grids)} bin widths looks at the rows and has to be paid: pass select_privacy"
            )
        search = WidthSearch(grids, n, privacy, as_budget(self.select_privacy), self.validation)
        held_out = search.sizes[1]
        why = f"bin width chosen among {len(grids)} by its score on {held_out:,} held-out points, then made anew of all"
        return _fit(search, why)

    def _bounds(self, axes: int) -> Bounds:
        low, high = _numbers("low", self.low), _numbers("high", self.high)
        low, high = (bound * axes if len(bound) == 1 else bound for bound in (low, high))
        if not len(low) == len(high) == axes:
            raise ParameterError(
                f"found {len(low)} low and {len(high)} high bounds; expected one for each of {axes} axes"
            )
        return Bounds(low, high)

    def _widths(self, axes: int) -> list[tuple[float, ...]]:
        listed = [self.bin_widths] if np.isscalar(self.bin_widths) else list(cast(Sequence[Any], self.bin_widths))
        widths = [_numbers("bin_widths", width) for width in listed]
        widths = [width * axes if len(width) == 1 else width for width in widths]
        if not widths or any(len(width) != axes for width in widths):
            raise ParameterError(f"bin_widths holds a number, or {axes} numbers, for each candidate; got {listed!r}")
        return widths

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        return tags


def _fit(mechanism: NoisyCounts | WidthSearch, why: str) -> Fit:
    """One release of counts; they are read from points where other fits read rows."""

    def packed(_: Mechanism, release: Release) -> dict[str, Any]:
        return {"chosen": int(release.statistics.get("chosen", [0])[0]), "noisy": release.theta.tolist()}

    return Fit(Plan(cast(Mechanism, mechanism), why), (Part(),), packed)


def _as_column(X: Any) -> Any:
    """A series, or an array of one dimension, is a table of one column."""
    if len(getattr(X, "shape", ())) != 1:
        return X
    return X.to_frame() if hasattr(X, "to_frame") else np.asanyarray(X).reshape(-1, 1)


def _numbers(name: str, given: Any) -> tuple[float, ...]:
    """A number or several, as floats."""
    try:
        return tuple(float(each) for each in np.atleast_1d(given))
    except (TypeError, ValueError):
        raise ParameterError(f"{name} must be a number, or one for each axis; got {given!r}") from None
