"""Privacy arithmetic: currencies, conversions, composition and the Gaussian profile, all rounded outward."""

from tacit.privacy.budgets import ZCDP, Approx, Budget, ExPost, Pure, as_budget
from tacit.privacy.compose import compose
from tacit.privacy.gaussian import gaussian_delta, gaussian_mu
from tacit.privacy.within import pure_within, zcdp_within

__all__ = [
    "ZCDP",
    "Approx",
    "Budget",
    "ExPost",
    "Pure",
    "as_budget",
    "compose",
    "gaussian_delta",
    "gaussian_mu",
    "pure_within",
    "zcdp_within",
]
