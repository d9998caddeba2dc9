"""What the command line says: results, and refusals in the library's own words, with an exit code for scripts."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import typer
from rich.console import Console
from rich.text import Text

from tacit.errors import BudgetExceeded, TacitError
from tacit.escaping import printable

NOT_WRITTEN = 1
NOT_AS_ASKED = 2
VIOLATED = 3
TOO_EXPENSIVE = 4
NOT_MET = 5

# Parameters of the library by the option that sets them.
OPTIONS: Mapping[str, str] = {
    "max_privacy": "--max-epsilon",
    "select_privacy": "--select-epsilon",
    "excess_risk": "--excess-risk",
    "bin_widths": "--width",
    "inference": "--intervals",
    "domain": "--schema",
    **{name: f"--{name}" for name in ("epsilon", "delta", "rho", "l2", "radius", "mechanism", "method", "failure")},
    **{name: f"--{name}" for name in ("low", "high")},
}
# As in "l2 must be …", "mechanism='magic'", "for example epsilon=0.5", "pass select_privacy"; elsewhere such a name is
# a word like any other.
_PARAMETER = f"(?:{'|'.join(OPTIONS)})"
_NAMED = re.compile(
    rf"(?<![\w-])(?:{_PARAMETER}(?= must\b)|{_PARAMETER}=(?=')|(?<=example ){_PARAMETER}=|(?<=pass ){_PARAMETER}\b"
    r"|\w+_\w+)"
)


class _Plain(Console):
    """A console on which text is text, in lines and in the cells of tables: no markup, no orders to the terminal."""

    def render_str(self, text: str, **options: Any) -> Text:
        return super().render_str(printable(text, keep="\n"), **options)


def out(*, stderr: bool = False) -> Console:
    """Where results go: no colours invented for numbers, no lines broken, nothing in a name obeyed."""
    return _Plain(stderr=stderr, markup=False, emoji=False, highlight=False, soft_wrap=True)


def say(text: object = "", style: str = "") -> None:
    """Print a result."""
    out().print(str(text), style=style)


def refuse(message: str) -> typer.Exit:
    """Say what cannot be done and why; raise what is returned."""
    out(stderr=True).print(message)
    return typer.Exit(NOT_AS_ASKED)


@contextmanager
def explained() -> Iterator[None]:
    """What tacit refuses is said in its own words; a charge that does not fit has an exit code of its own."""
    try:
        yield
    except TacitError as error:
        stop = refuse(in_options(str(error)))
        raise (typer.Exit(TOO_EXPENSIVE) if isinstance(error, BudgetExceeded) else stop) from None


def in_options(message: str) -> str:
    """A message of the library with the options that were typed in place of its parameters."""

    def option(found: re.Match[str]) -> str:
        name = found.group().rstrip("=")
        return OPTIONS.get(name, name) + (" " if found.group().endswith("=") else "")

    return _NAMED.sub(option, message)
