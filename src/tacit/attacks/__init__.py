"""Attacks: what a released model still tells about a person."""

from tacit.attacks.candidates import Bins
from tacit.attacks.inversion import invert
from tacit.attacks.membership import LikelihoodRatio, LossThreshold, Trials, membership
from tacit.attacks.roc import Roc, largest_true_positive

__all__ = [
    "Bins",
    "LikelihoodRatio",
    "LossThreshold",
    "Roc",
    "Trials",
    "invert",
    "largest_true_positive",
    "membership",
]
