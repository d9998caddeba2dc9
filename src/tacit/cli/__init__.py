"""The command line: thin, it composes what the library offers."""

import io
import sys
from typing import Annotated

import typer

from tacit._version import __version__
from tacit.cli import audit, demo, density, fitting, ledger, models

app = typer.Typer(
    name="tacit",
    help="Differentially private regression, classification and selection: the ε it prints is the ε it delivers.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command("demo")(demo.run)
app.command("fit")(fitting.fit)
app.command("accuracy-first")(fitting.accuracy_first)
app.command("tune")(fitting.tune)
app.command("density")(density.density)
app.command("predict")(models.predict)
app.command("certificate")(models.certificate)
app.add_typer(ledger.app, name="ledger")
app.command("audit")(audit.audit)
app.command("attack")(audit.attack)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"tacit {__version__}")
        raise typer.Exit


@app.callback()
def _commands(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and stop.")
    ] = False,
) -> None:
    """One command for each job."""


def main() -> None:
    """Entry point of the `tacit` command. A terminal without Greek letters gets escapes and not an error."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    app()
