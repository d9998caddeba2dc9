"""Privacy arithmetic: currencies, conversions, composition and the Gaussian profile, all rounded outward."""

from tacit.privacy.budgets import ZCDP, Approx, Budget, Pure
from tacit.privacy.compose import compose, share_among, side_by_side
from tacit.privacy.ex_post import ExPost
from tacit.privacy.gaussian import gaussian_delta, gaussian_mu, gaussian_strength
from tacit.privacy.reading import as_budget, budget_from_dict, loss_from_dict
from tacit.privacy.renyi import best_excess, epsilon_at_order

__all__ = [
    "ZCDP",
    "Approx",
    "Budget",
    "ExPost",
    "Pure",
    "as_budget",
    "best_excess",
    "budget_from_dict",
    "compose",
    "epsilon_at_order",
    "gaussian_delta",
    "gaussian_mu",
    "gaussian_strength",
    "loss_from_dict",
    "share_among",
    "side_by_side",
]
