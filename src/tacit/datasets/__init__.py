"""Generated data with known answers: instances that theorems are about. No private rows here."""

from tacit.datasets.fingerprinting import LassoInstance, fingerprinting_lasso

__all__ = ["LassoInstance", "fingerprinting_lasso"]
