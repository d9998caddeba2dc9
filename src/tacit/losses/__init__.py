"""Losses of a linear score, with the constants that sensitivities and certificates need."""

from tacit.losses.base import LOGISTIC_TIE, CurvatureTie, Expansion, Loss, LossConstants
from tacit.losses.hinge import Hinge, HuberHinge
from tacit.losses.logistic import CappedLogistic, Logistic
from tacit.losses.squared import Squared

__all__ = [
    "LOGISTIC_TIE",
    "CappedLogistic",
    "CurvatureTie",
    "Expansion",
    "Hinge",
    "HuberHinge",
    "Logistic",
    "Loss",
    "LossConstants",
    "Squared",
]
