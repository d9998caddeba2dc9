"""Checks of public declarations: each refusal says where, what was found, what is expected, what to do."""

from __future__ import annotations

import math
import numbers
import reprlib
from collections.abc import Iterable, Mapping
from typing import NoReturn

from tacit.errors import ParameterError, SchemaError

DeclarationError = type[ParameterError] | type[SchemaError]

LARGEST = 1e150
"""Bounds beyond ±1e150 are refused: below it widths, squares and scale factors neither overflow nor vanish."""

NARROWEST = 1e-150


def refuse(error: DeclarationError, where: str, found: object, expected: str, remedy: str) -> NoReturn:
    """Raise `error` with one sentence for each of: where, found, expected, what to do."""
    raise error(f"{printable(where)}: found {shown(found)}; expected {expected}. {remedy}")


def real_number(error: DeclarationError, where: str, value: object, remedy: str) -> float:
    """A finite real number of moderate size; a bool is a slip, not a number."""
    expected = "a finite number between -1e150 and 1e150"
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        refuse(error, where, value, expected, remedy)
    try:
        number = float(value)
    except OverflowError:
        refuse(error, where, value, expected, remedy)
    if not math.isfinite(number) or abs(number) > LARGEST:
        refuse(error, where, value, expected, remedy)
    return number


def positive_number(error: DeclarationError, where: str, value: object, remedy: str) -> float:
    """A finite number in [1e-150, 1e150]."""
    number = real_number(error, where, value, remedy)
    if not number >= NARROWEST:
        refuse(error, where, value, "a number above 0 (at least 1e-150)", remedy)
    return number


def interval(error: DeclarationError, where: str, low: object, high: object) -> tuple[float, float]:
    """Public bounds low < high, far enough apart to divide by their distance."""
    remedy = "Give the bounds that are known without looking at the rows."
    lower = real_number(error, f"{where}.min", low, remedy)
    upper = real_number(error, f"{where}.max", high, remedy)
    if not upper - lower >= NARROWEST:
        refuse(error, where, InWords(f"min={lower!r}, max={upper!r}"), "min < max (at least 1e-150 apart)", remedy)
    return lower, upper


def inside(error: DeclarationError, where: str, value: object, low: float, high: float) -> float:
    """A public number inside the declared bounds."""
    remedy = f"Choose a value in [{low!r}, {high!r}] or leave it out."
    number = real_number(error, where, value, remedy)
    if not low <= number <= high:
        refuse(error, where, value, f"a number in [{low!r}, {high!r}]", remedy)
    return number


def text(error: DeclarationError, where: str, value: object, remedy: str) -> str:
    """A string with something in it."""
    if not isinstance(value, str) or not value.strip():
        refuse(error, where, value, "a non-empty text", remedy)
    return value


def known_keys(where: str, found: Iterable[object], allowed: Iterable[str]) -> None:
    """Refuse unknown keys of a schema mapping: a misspelt rule must not be silently ignored."""
    names = sorted(allowed)
    for key in found:
        if key not in names:
            unknown = InWords(f"the unknown key {shown(key)}")
            refuse(SchemaError, where, unknown, "only " + ", ".join(names), "Correct or remove it.")


def mapping(where: str, value: object, expected: str) -> Mapping[object, object]:
    """A mapping of a schema file."""
    if not isinstance(value, Mapping):
        refuse(SchemaError, where, value, expected, "Write it as `key: value` lines.")
    return value


class InWords(str):
    """What was found, said in words rather than shown as a value."""


class _Short(reprlib.Repr):
    """A few parts of a value: written out in full, a short file can stand for a very long text."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel, self.maxstring, self.maxlong, self.maxother = 3, 77, 77, 77

    def repr_int(self, number: int, level: int) -> str:
        """Python refuses to write very long integers."""
        bits = number.bit_length()
        return super().repr_int(number, level) if bits < 10_000 else f"a whole number of {bits} bits"


def shown(value: object) -> str:
    """A value as messages show it: about 80 characters at most, none of which commands a terminal."""
    words = value if isinstance(value, InWords) else _Short().repr(value)
    return printable(words if len(words) <= 80 else words[:77] + "...")


def printable(text: str) -> str:
    """A text in which characters that are not shown are replaced by their codes."""
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text)
