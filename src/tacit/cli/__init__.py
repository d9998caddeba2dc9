"""The command line: thin, it composes what the library offers."""

import typer

from tacit.cli import audit, demo

app = typer.Typer(
    name="tacit",
    help="Differentially private regression, classification and selection: the ε it prints is the ε it delivers.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command("demo")(demo.run)
app.command("audit")(audit.audit)
app.command("attack")(audit.attack)


@app.callback()
def _commands() -> None:
    """One command for each job."""


def main() -> None:
    """Entry point of the `tacit` command."""
    app()
