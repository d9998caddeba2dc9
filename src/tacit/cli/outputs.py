"""Files that a command writes. What can be wrong with them is found before anything is charged."""

import csv
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeAlias

import pandas as pd
import typer

from tacit.cli.messages import NOT_WRITTEN, out, say
from tacit.errors import ParameterError
from tacit.escaping import for_spreadsheets, printable

Files: TypeAlias = Mapping[str, tuple[Path | None, Callable[[Path], object]]]


def check_outputs(outputs: Mapping[str, Path | None], *read: Path) -> None:
    """Refuse what cannot be written: {option: path}; `read` are the files that the command reads. Leaves no trace."""
    taken = {path.resolve(): "" for path in read}
    for option, path in outputs.items():
        if path is None:
            continue
        place = path.resolve()
        if place in taken:
            other = f"{taken[place]} and {option} name the same file" if taken[place] else "is what the command reads"
            raise ParameterError(f"{option} {path}: {other}; choose another name")
        taken[place] = option
        _check_writable(option, path)


def check_picture(option: str, path: Path | None) -> None:
    """Refuse a picture that cannot be drawn; with None there is nothing to draw."""
    if path is None:
        return
    try:
        import matplotlib as mpl
        from matplotlib.backend_bases import FigureCanvasBase
    except ModuleNotFoundError:
        raise ParameterError(f"{option} needs matplotlib: pip install 'tacit-dp[plots]'") from None
    mpl.use("Agg")  # a picture in a file needs no screen
    if path.suffix.lower().removeprefix(".") not in FigureCanvasBase.get_supported_filetypes():
        raise ParameterError(f"{option} {path}: no picture ends in {path.suffix!r}; use .png, .svg or .pdf")


def deliver(files: Files, *shown: object, kept: bool = False) -> None:
    """Write the files, then print: whoever stops reading (`… | head`) loses lines and no file.

    files: {what: (where, how)}. kept: an account has stored the release, so that a full disk does not lose it.
    """
    written, failed = [], []
    for what, (path, write) in files.items():
        if path is None:
            continue
        try:
            write(path)
            written.append(f"{what} written to {path}")
        except OSError as problem:
            failed.append(f"{path} could not be written ({problem.strerror})")
    if failed:
        rescue = "; what was released is not lost: `tacit ledger fetch` returns it" if kept else ""
        out(stderr=True).print("\n".join(failed) + rescue)
    say("\n".join(map(str, (*shown, *written))))
    if failed:
        raise typer.Exit(NOT_WRITTEN)


def write_table(table: pd.DataFrame, path: Path | None = None) -> None:
    """A table as CSV, in a file or on standard output; no cell of it is a formula, and no name orders a terminal."""
    safe = table.rename(columns=for_spreadsheets).map(for_spreadsheets)
    text = safe.to_csv(index=False, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
    if path is not None:
        path.write_text(text, encoding="utf-8", newline="")
    else:
        typer.echo(printable(text, keep="\n") if sys.stdout.isatty() else text, nl=False)


def _check_writable(option: str, path: Path) -> None:
    try:
        if path.is_dir():
            raise ParameterError(f"{option} {path} is a folder; expected the name of a file")
        if not path.parent.is_dir():
            raise ParameterError(f"{option} {path}: there is no folder {path.parent}; make it first")
        if path.is_file():
            path.open("ab").close()
        elif not path.exists():
            path.open("xb").close()
            path.unlink()
    except OSError as problem:
        raise ParameterError(f"{option} {path} cannot be written ({problem.strerror}); choose another place") from None
