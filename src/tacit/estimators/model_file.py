"""The model file: parameters, declaration, released values and certificate as JSON, for every estimator.

Opening one runs no code. Floats are written with as many digits as give the same bits back. The same bytes are what a
ledger stores under a key, so that a release that was paid for can be fetched, opened and checked like a saved model.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tacit.certificate import Certificate
from tacit.errors import ParameterError

FORMAT = "tacit-model"
FORMAT_VERSION = 2
WRONG_CONTENT = (LookupError, TypeError, ValueError, ArithmeticError, AttributeError, RecursionError)
"""What reading a file raises that has not the content of a model."""


@dataclass(frozen=True)
class ModelFile:
    """A fitted model as plain values. declaration: {"domain" or "schema" or "bounds": its plain values}."""

    estimator: str
    parameters: Mapping[str, Any]
    declaration: Mapping[str, Any]
    columns: int
    names: tuple[str, ...]
    released: Mapping[str, Any]
    certificate: Certificate

    def to_bytes(self) -> bytes:
        """The file."""
        stored = {
            "format": FORMAT,
            "format_version": FORMAT_VERSION,
            "estimator": self.estimator,
            "parameters": self.parameters,
            "declaration": self.declaration,
            "columns": self.columns,
            "feature_names": self.names,
            "released": self.released,
            "certificate": self.certificate.to_dict(),
        }
        return json.dumps(stored).encode("ascii") + b"\n"

    @classmethod
    def from_bytes(cls, content: bytes, where: str = "the stored model") -> "ModelFile":
        """The model that `to_bytes` wrote; a ParameterError says what else this is."""
        try:
            stored = json.loads(content)
        except (ValueError, RecursionError) as problem:
            raise ParameterError(f"{where} is not readable ({_first_line(problem)}); {_EXPECTED}") from None
        if not isinstance(stored, dict) or stored.get("format") != FORMAT:
            raise ParameterError(f"{where} is JSON but not a tacit model; {_EXPECTED}")
        if stored.get("format_version") != FORMAT_VERSION:
            raise ParameterError(
                f"{where} has format version {_shown(stored.get('format_version'))}; this version of tacit reads "
                f"{FORMAT_VERSION}. Open it with the tacit that wrote it, or fit and save again"
            )
        try:
            return cls(
                estimator=_is(str, stored["estimator"]),
                parameters=_is(dict, stored["parameters"]),
                declaration=_is(dict, stored["declaration"]),
                columns=_is(int, stored["columns"]),
                names=tuple(_is(str, name) for name in stored["feature_names"]),
                released=_is(dict, stored["released"]),
                certificate=_certificate(stored["certificate"]),
            )
        except WRONG_CONTENT as problem:
            raise damaged(where, problem) from None


def read_model_file(path: Path) -> ModelFile:
    """The model file at this place."""
    try:
        content = path.read_bytes()
    except OSError as problem:
        raise ParameterError(f"{path} cannot be read ({problem.strerror}); {_EXPECTED}") from None
    return ModelFile.from_bytes(content, path.name)


def damaged(where: str, problem: Exception) -> ParameterError:
    """The refusal of a file that claims to be a model and has not the content of one."""
    return ParameterError(
        f"{where} is a damaged tacit model ({type(problem).__name__}: {_first_line(problem)}); {_EXPECTED}"
    )


_EXPECTED = "expected a file written by save()"


def _first_line(problem: Exception) -> str:
    return str(problem).partition("\n")[0][:120]


def _shown(value: object) -> str:
    return repr(value)[:40] if isinstance(value, int | float | str | None) else type(value).__name__


def _certificate(stored: Any) -> Certificate:
    certificate = Certificate.from_dict(stored)
    if _is(int, certificate.n) < 1:
        raise ValueError("a model without rows")
    return certificate


def _is(kind: type, value: Any) -> Any:
    """The value, if it is of this kind."""
    if type(value) is not kind:
        raise TypeError(f"found {type(value).__name__} where {kind.__name__} belongs")
    return value
