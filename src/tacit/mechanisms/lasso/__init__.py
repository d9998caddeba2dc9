"""Frank–Wolfe over polytopes and other convex sets: private LASSO for many sparse columns."""

from tacit.mechanisms.lasso.candidates import BOTH_SIGNS, SIGNS_IN_TURN, Candidates
from tacit.mechanisms.lasso.convex_sets import L1Ball, L2Ball, Simplex
from tacit.mechanisms.lasso.frank_wolfe import expanded
from tacit.mechanisms.lasso.loss import ClippedLogistic, ClippedLoss, ClippedSquared
from tacit.mechanisms.lasso.noisy_frank_wolfe import PrivateFrankWolfe
from tacit.mechanisms.lasso.path import PATH
from tacit.mechanisms.lasso.plan import SparseFitRequest, plan_lasso
from tacit.mechanisms.lasso.schedule import SCHEDULES

__all__ = [
    "BOTH_SIGNS",
    "PATH",
    "SCHEDULES",
    "SIGNS_IN_TURN",
    "Candidates",
    "ClippedLogistic",
    "ClippedLoss",
    "ClippedSquared",
    "L1Ball",
    "L2Ball",
    "PrivateFrankWolfe",
    "Simplex",
    "SparseFitRequest",
    "expanded",
    "plan_lasso",
]
