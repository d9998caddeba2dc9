"""Mechanisms: the only room that reads private rows. Calibrate, charge, read, add exact noise, release."""

from tacit.mechanisms.accuracy import InteractiveAboveThreshold, OneSidedNoise, TwoSidedNoise
from tacit.mechanisms.centred import CentredObjective
from tacit.mechanisms.choice import FitRequest, Plan, plan_fit
from tacit.mechanisms.covariance import TARGET_WEIGHT, CovariancePerturbation
from tacit.mechanisms.functional import FunctionalMechanism
from tacit.mechanisms.histogram import Grid, NoisyCounts, nearest_counts
from tacit.mechanisms.laws import AddedLaw, Gaussian, Laplace, NoiseLaw, SphericalLaplace, WishartDifference
from tacit.mechanisms.moments import Entrywise, Frobenius, Nuclear
from tacit.mechanisms.objective import FINISHING_SHARE, ObjectivePerturbation
from tacit.mechanisms.output import OutputPerturbation
from tacit.mechanisms.problem import Problem, Shape
from tacit.mechanisms.release import Facts, Mechanism, Release

__all__ = [
    "FINISHING_SHARE",
    "TARGET_WEIGHT",
    "AddedLaw",
    "CentredObjective",
    "CovariancePerturbation",
    "Entrywise",
    "Facts",
    "FitRequest",
    "Frobenius",
    "FunctionalMechanism",
    "Gaussian",
    "Grid",
    "InteractiveAboveThreshold",
    "Laplace",
    "Mechanism",
    "NoiseLaw",
    "NoisyCounts",
    "Nuclear",
    "ObjectivePerturbation",
    "OneSidedNoise",
    "OutputPerturbation",
    "Plan",
    "Problem",
    "Release",
    "Shape",
    "SphericalLaplace",
    "TwoSidedNoise",
    "WishartDifference",
    "nearest_counts",
    "plan_fit",
]
