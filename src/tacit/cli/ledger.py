"""`tacit ledger`: open accounts, see what is left, read and verify the history, fetch what was released."""

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from tacit.cli.messages import explained, out, say
from tacit.cli.options import budget, existing_ledger
from tacit.cli.outputs import check_outputs, deliver
from tacit.domain import Schema
from tacit.ledger import Ledger

app = typer.Typer(help="Accounts of privacy: open, show, history, fetch, verify.", no_args_is_help=True)

Url = Annotated[str, typer.Argument(help="The ledger: a file, sqlite:///… or postgresql://…", show_default=False)]
Name = Annotated[str, typer.Argument(help="The account, named after the dataset.", show_default=False)]
Key = Annotated[str, typer.Argument(help="The key of the charge, as in the history.", show_default=False)]
Epsilon = Annotated[float | None, typer.Option(help="ε of the limit, for all charges together.", show_default=False)]
Delta = Annotated[float | None, typer.Option(help="δ of the limit, together with ε.", show_default=False)]
Rho = Annotated[float | None, typer.Option(help="ρ of the limit (zCDP), instead of ε.", show_default=False)]
Declaration = Annotated[
    Path | None, typer.Option("--schema", help="The declaration it is for; others are refused.", show_default=False)
]
File = Annotated[
    Path | None, typer.Option("--out", help="Where to write it; default: standard output.", show_default=False)
]


@app.command("open")
def open_account(
    url: Url,
    name: Name,
    epsilon: Epsilon = None,
    delta: Delta = None,
    rho: Rho = None,
    declaration: Declaration = None,
) -> None:
    """Open an account with a limit, which never changes; the ledger is made if there is none."""
    with explained():
        limit = budget(epsilon, delta, rho)
        schema = None if declaration is None else Schema.load(declaration).fingerprint()
        account = Ledger(url).open(name, limit, schema=schema)
        say(f"{name}: {account.remaining} of {account.limit} left")


@app.command()
def show(url: Url) -> None:
    """What each account may spend, has spent and has left."""
    with explained():
        ledger = existing_ledger(url)
        table = Table("account", "limit", "spent", "left")
        for name in ledger.accounts():
            account = ledger.account(name)
            table.add_row(name, str(account.limit), str(account.spent), str(account.remaining))
        out().print(table)


@app.command()
def history(url: Url, name: Name) -> None:
    """Every event of an account, oldest first."""
    with explained():
        events = existing_ledger(url).account(name).history()
        say(events[["kind", "part", "key", "loss", "label", "at"]].to_string())


@app.command()
def fetch(url: Url, name: Name, key: Key, file: File = None) -> None:
    """A stored release, as it was released: a model file for a fit. It costs nothing and is checked first."""
    with explained():
        check_outputs({"--out": file})
        release = existing_ledger(url).account(name).fetch(key)
    if file is None:
        typer.get_binary_stream("stdout").write(release)
    else:
        deliver({"release": (file, lambda path: path.write_bytes(release))}, kept=True)


@app.command()
def verify(url: Url) -> None:
    """Check every page, hash, sum, limit and stored release."""
    with explained():
        found = existing_ledger(url).verify()
        say(f"whole: {found.events:,} events, {found.charges:,} charges; head {found.head}")
