"""Errors on the command line: the message that the library gives, no traceback, and an exit code for scripts."""

from collections.abc import Iterator
from contextlib import contextmanager

import typer
from rich.console import Console

from tacit.errors import BudgetExceeded, TacitError

NOT_AS_ASKED = 2
VIOLATED = 3
TOO_EXPENSIVE = 4
NOT_MET = 5


def out() -> Console:
    """Where results go: no colours invented for numbers, no lines broken."""
    return Console(highlight=False, soft_wrap=True)


def refuse(message: str) -> typer.Exit:
    """Say what cannot be done and why; raise what is returned."""
    Console(stderr=True, highlight=False, soft_wrap=True).print(message, markup=False)
    return typer.Exit(NOT_AS_ASKED)


@contextmanager
def explained() -> Iterator[None]:
    """What tacit refuses is said in its own words; a charge that does not fit has an exit code of its own."""
    try:
        yield
    except TacitError as error:
        stop = refuse(str(error))
        raise (typer.Exit(TOO_EXPENSIVE) if isinstance(error, BudgetExceeded) else stop) from None
