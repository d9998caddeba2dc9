"""What a list of charges would be worth had it been fixed beforehand: information, never a guarantee.

Privacy loss distributions compose mechanisms that were all chosen before the first answer more tightly than a filter
can. They are evaluated in floats by dp-accounting, so nothing is admitted or promised by them.
"""

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping

from tacit.arithmetic import sum_up
from tacit.errors import ParameterError
from tacit.ledger.chain import Event
from tacit.ledger.filters import budget_from_text
from tacit.privacy import ZCDP, Budget, ExPost

_GRID = 1e-4  # of the privacy loss, rounded pessimistically


def planned_spending(events: Iterable[Event], part: str, delta: float) -> float:
    """ε at this δ of an account's charges to the whole and to one part; settled ones add the ε and δ they paid.

    A settled charge has ∫(p − e^ε(o) q)₊ ≤ δᵢ, so what is left of δ for the others is δ − Σδᵢ; without any, ε = ∞.
    """
    concerned = [event for event in events if event.part in ("", part)]
    charged = {event.key: budget_from_text(event.loss) for event in concerned if event.kind == "charge"}
    paid = [_paid(event, charged.pop(event.key)) for event in concerned if event.kind == "settle"]
    left = -sum_up(-delta, *(loss.delta for loss in paid))
    if left < 0 or (charged and left == 0):
        return math.inf
    planned = planned_epsilon(charged.values(), left) if charged else 0.0
    return sum_up(planned, *(loss.total for loss in paid))


def _paid(event: Event, reserved: Budget) -> ExPost:
    """The loss a settlement states; one written without δ kept the δ that was reserved."""
    test, hypothesis, *delta = json.loads(event.loss)[1:]
    return ExPost(test, hypothesis, delta[0] if delta else reserved.own_delta)


def planned_epsilon(charges: Iterable[Budget], delta: float) -> float:
    """ε at this δ for charges fixed beforehand; zCDP charges, which have no loss distribution, take half of δ."""
    counted = Counter(charges)
    concentrated = sum_up(*(charge.amount * n for charge, n in counted.items() if charge.unit == "rho"))
    others = {charge: n for charge, n in counted.items() if charge.unit != "rho"}
    if not concentrated:
        return _by_loss_distribution(others, delta)
    if not others:
        return ZCDP(concentrated).to_approx(delta).epsilon
    half = delta / 2
    return sum_up(ZCDP(concentrated).to_approx(half).epsilon, _by_loss_distribution(others, half))


def _by_loss_distribution(counted: Mapping[Budget, int], delta: float) -> float:
    try:
        from dp_accounting.pld import common, privacy_loss_distribution
    except ImportError as error:
        raise ParameterError('this figure needs dp-accounting: pip install "tacit-dp[accounting]"') from error
    total = privacy_loss_distribution.identity(_GRID)
    for charge, n in counted.items():
        law = common.DifferentialPrivacyParameters(charge.amount, charge.own_delta)
        one = privacy_loss_distribution.from_privacy_parameters(law, value_discretization_interval=_GRID)
        total = total.compose(one.self_compose(n))
    return float(total.get_epsilon_for_delta(delta))
