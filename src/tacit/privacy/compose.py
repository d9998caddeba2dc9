"""Composition: what several releases on the same rows lose together. Valid for adaptively chosen mechanisms."""

from collections.abc import Sequence
from fractions import Fraction
from typing import TypeAlias, overload

from tacit.arithmetic import sum_up
from tacit.errors import ParameterError
from tacit.privacy.budgets import SMALLEST, ZCDP, Approx, Budget, Pure
from tacit.privacy.ex_post import ExPost
from tacit.privacy.renyi import epsilon_of_rho

Loss: TypeAlias = Budget | ExPost


@overload
def compose(*losses: Budget, delta: float | None = None) -> Budget: ...
@overload
def compose(*losses: Loss, delta: float | None = None) -> Loss: ...
def compose(*losses: Loss, delta: float | None = None) -> Loss:
    """The guarantee of all the releases together, in the strongest currency they share. By `composition`.

    Pure losses add up; with any zCDP among them the ρ's add up; with any (ε, δ) among them the ε's and δ's add
    up. zCDP beside (ε, δ) needs `delta`, the δ at which the zCDP part is to be expressed. With `delta` given,
    pure and zCDP losses are reported as the smallest of the known (ε, δ) statements.

    Realised losses (`ExPost`) add up among themselves and with pure ones, and the sum is again a realised loss.
    """
    if not losses:
        raise ParameterError("compose needs at least one privacy loss")
    if any(isinstance(x, ExPost) for x in losses):
        return _realised(losses, delta)
    pure = [x.epsilon for x in losses if isinstance(x, Pure)]
    rhos = [x.rho for x in losses if isinstance(x, ZCDP)]
    approx = [x for x in losses if isinstance(x, Approx)]
    if delta is not None and (pure or rhos):
        d = Approx(1.0, delta).delta
        return _added([], [*approx, Approx(_smallest_epsilon(pure, rhos, d), d)])
    if rhos and approx:
        raise ParameterError("composing zCDP with (ε, δ) needs a δ for the zCDP part: compose(..., delta=1e-6)")
    if rhos:
        return ZCDP(_total_rho(pure, rhos))
    return _added(pure, approx) if approx else Pure(sum_up(*pure))


def share_among(budget: Budget, count: int) -> Pure | ZCDP:
    """The budget of one of `count` releases; (ε, δ) is shared as zCDP, where `count` costs a root, not a factor."""
    return budget.additive().share(Fraction(1, count))


def side_by_side(first: Budget, second: Budget) -> Budget:
    """What releases on disjoint public parts of a table lose, where one row is in one part: the larger of the two.

    In the strongest currency they share. By `disjoint-parts`.
    """
    match first, second:
        case Pure(), Pure():
            return Pure(max(first.epsilon, second.epsilon))
        case ((Pure() | ZCDP()), (Pure() | ZCDP())):
            return ZCDP(max(first.to_zcdp().rho, second.to_zcdp().rho))
        case ((Pure() | Approx()), (Pure() | Approx())):
            return Approx(max(first.epsilon, second.epsilon), max(first.own_delta, second.own_delta))
        case _:
            return compose(first, second)


def _added(pure: Sequence[float], approx: Sequence[Approx]) -> Approx:
    """Basic composition: the ε's add up and the δ's add up."""
    return Approx(sum_up(*pure, *(x.epsilon for x in approx)), sum_up(*(x.delta for x in approx)))


def _total_rho(pure: Sequence[float], rhos: Sequence[float]) -> float:
    return sum_up(*rhos, *(Pure(epsilon).to_zcdp().rho for epsilon in pure))


def _smallest_epsilon(pure: Sequence[float], rhos: Sequence[float], delta: float) -> float:
    """The better of two true statements: every pure loss enters as zCDP, or the pure losses stay pure."""
    concentrated = epsilon_of_rho(_total_rho(pure, rhos), delta)
    if rhos:
        separate = sum_up(*pure, epsilon_of_rho(sum_up(*rhos), delta))
    else:
        separate = Pure(sum_up(*pure)).to_approx(delta).epsilon
    return max(SMALLEST, min(concentrated, separate))


def _realised(losses: Sequence[Loss], delta: float | None) -> ExPost:
    """A realised loss is a number that came out of the run: it bounds no Rényi divergence and knows no δ."""
    known = [x for x in losses if isinstance(x, (Pure, ExPost))]
    if len(known) < len(losses) or delta is not None:
        raise ParameterError(
            "a realised (ex post) loss adds up with pure losses only and has no δ; "
            "to compose it with zCDP or (ε, δ), charge the most the mechanism may spend: Pure(maximum)"
        )
    tests = [x.test for x in known if isinstance(x, ExPost)]
    hypotheses = [x.hypothesis if isinstance(x, ExPost) else x.epsilon for x in known]
    deltas = [x.delta for x in known if isinstance(x, ExPost)]
    return ExPost(test=sum_up(*tests), hypothesis=sum_up(*hypotheses), delta=sum_up(*deltas))
