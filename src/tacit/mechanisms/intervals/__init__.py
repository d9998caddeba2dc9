"""What confidence intervals need: private curvature and score moments at a released θ."""

from tacit.mechanisms.intervals.choice import plan_with_intervals
from tacit.mechanisms.intervals.debiased import DebiasedWithIntervals
from tacit.mechanisms.intervals.joint_release import JointMoments, JointRelease
from tacit.mechanisms.intervals.newton import RESOLVED, NewtonWithIntervals
from tacit.mechanisms.intervals.ordinary import plan_ordinary, resolution
from tacit.mechanisms.intervals.row_weights import Curvature, SquaredSlope
from tacit.mechanisms.intervals.shares import HESSIAN_NOISE_OVER_L2_HIGH, SMALL_WIDTH, Split
from tacit.mechanisms.intervals.weighted_moments import WeightedMoments
from tacit.mechanisms.intervals.with_intervals import FitWithIntervals, RegressionWithIntervals
from tacit.mechanisms.svec import smat, svec, svec_size

__all__ = [
    "HESSIAN_NOISE_OVER_L2_HIGH",
    "RESOLVED",
    "SMALL_WIDTH",
    "Curvature",
    "DebiasedWithIntervals",
    "FitWithIntervals",
    "JointMoments",
    "JointRelease",
    "NewtonWithIntervals",
    "RegressionWithIntervals",
    "Split",
    "SquaredSlope",
    "WeightedMoments",
    "plan_ordinary",
    "plan_with_intervals",
    "resolution",
    "smat",
    "svec",
    "svec_size",
]
