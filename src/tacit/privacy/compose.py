"""Composition: what several releases on the same rows lose together. Valid for adaptively chosen mechanisms."""

from collections.abc import Sequence

from tacit.errors import ParameterError
from tacit.privacy.budgets import ZCDP, Approx, Budget, ExPost, Pure
from tacit.privacy.rounding import sum_up

Loss = Budget | ExPost


def compose(*losses: Loss, delta: float | None = None) -> Budget:
    """The guarantee of all the releases together, in the strongest currency they share. By `composition`.

    Pure losses add up; with any zCDP among them the ρ's add up; with any (ε, δ) among them the ε's and δ's add
    up. zCDP beside (ε, δ) needs `delta`, the δ at which the zCDP part is to be expressed. With `delta` given,
    pure and zCDP losses are reported as the smaller of the two (ε, δ) statements.
    """
    if not losses:
        raise ParameterError("compose needs at least one privacy loss")
    parts = [Pure(x.total) if isinstance(x, ExPost) else x for x in losses]
    approx = [x for x in parts if isinstance(x, Approx)]
    exact = [x for x in parts if not isinstance(x, Approx)]
    if not approx:
        return _concentrated(exact, delta)
    if any(isinstance(x, ZCDP) for x in exact) and delta is None:
        raise ParameterError("composing zCDP with (ε, δ) needs a δ for the zCDP part: compose(..., delta=1e-6)")
    if exact:
        rest = _concentrated(exact, delta)
        approx = [*approx, rest] if isinstance(rest, Approx) else approx
        pure = [rest.epsilon] if isinstance(rest, Pure) else []
    else:
        pure = []
    return Approx(sum_up(*pure, *(x.epsilon for x in approx)), sum_up(*(x.delta for x in approx)))


def _concentrated(losses: Sequence[Pure | ZCDP], delta: float | None) -> Budget:
    rho = ZCDP(sum_up(*(x.to_zcdp().rho for x in losses)))
    pure = [x.epsilon for x in losses if isinstance(x, Pure)]
    total = Pure(sum_up(*pure)) if len(pure) == len(losses) else None
    if delta is None:
        return total or rho
    options = [x.to_approx(delta) for x in (rho, total) if x is not None]
    return min(options, key=lambda option: option.epsilon)
