"""A paid look at the columns before a fit: where they lie and how far they spread, released once with noise."""

from tacit.mechanisms.centring.column_summary import ColumnSummary, NoisySummary
from tacit.mechanisms.centring.recipe import CLASSIFICATION_CENTRING, REGRESSION_CENTRING, Centring, Shares

__all__ = ["CLASSIFICATION_CENTRING", "REGRESSION_CENTRING", "Centring", "ColumnSummary", "NoisySummary", "Shares"]
