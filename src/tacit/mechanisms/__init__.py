"""Mechanisms: the only room that reads private rows. Calibrate, charge, read, add exact noise, release."""

from tacit.mechanisms.accuracy.above_threshold import InteractiveAboveThreshold, OneSidedNoise, TwoSidedNoise

__all__ = ["InteractiveAboveThreshold", "OneSidedNoise", "TwoSidedNoise"]
