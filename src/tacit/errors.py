"""Errors for people: what happened, what was expected, what to do.

No message is ever built from a row's value: parameters and declarations are public, rows are not.
"""


class TacitError(Exception):
    """Base of everything tacit raises on purpose."""


class ParameterError(TacitError, ValueError):
    """A public parameter (budget, bound, tolerance, option) is not acceptable."""


class SchemaError(TacitError, ValueError):
    """A table does not have the declared shape: column names, number of columns, kinds, lengths."""


class LedgerError(TacitError):
    """The ledger cannot be read, written or trusted."""


class BudgetExceeded(TacitError):
    """A charge does not fit the account: nothing was charged, read or released."""
