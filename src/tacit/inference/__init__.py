"""Post-processing of releases for people: coefficient tables."""

from tacit.inference.summary import Summary

__all__ = ["Summary"]
