"""Private selection: choose among candidates by their score on held-out rows, and say what the choice costs."""

from tacit.mechanisms.selection.candidates import Candidate, Search, Watch, no_progress
from tacit.mechanisms.selection.noisy_choice import ExponentialChoice, NoisyChoice
from tacit.mechanisms.selection.random_stopping import Geometric, Logarithmic, RandomStopping
from tacit.mechanisms.selection.scores import CappedLoss, Ramp, Score, default_score
from tacit.mechanisms.selection.split import public_parts, validation_size
from tacit.mechanisms.selection.splits import BudgetSplit, DataSplit, RandomChoice
from tacit.mechanisms.selection.stability_search import StabilitySearch
from tacit.mechanisms.selection.widths import WidthSearch

__all__ = [
    "BudgetSplit",
    "Candidate",
    "CappedLoss",
    "DataSplit",
    "ExponentialChoice",
    "Geometric",
    "Logarithmic",
    "NoisyChoice",
    "Ramp",
    "RandomChoice",
    "RandomStopping",
    "Score",
    "Search",
    "StabilitySearch",
    "Watch",
    "WidthSearch",
    "default_score",
    "no_progress",
    "public_parts",
    "validation_size",
]
