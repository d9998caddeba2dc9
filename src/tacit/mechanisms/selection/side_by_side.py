"""What releases on disjoint parts of a table cost: one row is in one part, so the dearest part, not the sum."""

from tacit.privacy import ZCDP, Approx, Budget, Pure, compose


def side_by_side(first: Budget, second: Budget) -> Budget:
    """The larger of two losses on disjoint public parts, in the strongest currency they share. By `disjoint-parts`."""
    if isinstance(first, Pure) and isinstance(second, Pure):
        return Pure(max(first.epsilon, second.epsilon))
    if isinstance(first, Pure | ZCDP) and isinstance(second, Pure | ZCDP):
        return ZCDP(max(first.to_zcdp().rho, second.to_zcdp().rho))
    if isinstance(first, Pure | Approx) and isinstance(second, Pure | Approx):
        deltas = [loss.delta for loss in (first, second) if isinstance(loss, Approx)]
        return Approx(max(first.epsilon, second.epsilon), max(deltas))
    return compose(first, second)
