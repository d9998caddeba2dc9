"""The command line: thin, it composes what the library offers."""

import typer

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


@app.callback()
def _commands() -> None:
    """One command for each job."""


def main() -> None:
    """Entry point of the `tacit` command."""
    app()
