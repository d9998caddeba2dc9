"""Accuracy first: gradual releases, a private test of each, and the plan that makes the total smallest."""

from tacit.mechanisms.accuracy.above_threshold import InteractiveAboveThreshold, OneSidedNoise, TwoSidedNoise
from tacit.mechanisms.accuracy.gradual_noise import LaplaceReduction, SphericalReduction
from tacit.mechanisms.accuracy.plan import (
    AccuracyProblem,
    AccuracyRequest,
    plan_brownian,
    plan_doubling,
    plan_noise_reduction,
)
from tacit.mechanisms.accuracy.published import published_doubling, published_noise_reduction, published_theory
from tacit.mechanisms.accuracy.search import AccuracySearch, Outcome
from tacit.mechanisms.accuracy.sources import PURE_NOISES
from tacit.mechanisms.accuracy.theory import plan_theory

__all__ = [
    "PURE_NOISES",
    "AccuracyProblem",
    "AccuracyRequest",
    "AccuracySearch",
    "InteractiveAboveThreshold",
    "LaplaceReduction",
    "OneSidedNoise",
    "Outcome",
    "SphericalReduction",
    "TwoSidedNoise",
    "plan_brownian",
    "plan_doubling",
    "plan_noise_reduction",
    "plan_theory",
    "published_doubling",
    "published_noise_reduction",
    "published_theory",
]
