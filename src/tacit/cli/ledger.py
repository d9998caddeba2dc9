"""`tacit ledger`: open accounts, see what is left, read and verify the history."""

from typing import Annotated

import typer
from rich.table import Table

from tacit.cli.messages import explained, out
from tacit.cli.options import Delta, Epsilon, Rho, budget, existing_ledger
from tacit.ledger import Ledger

app = typer.Typer(help="Accounts of privacy: open, show, history, verify.", no_args_is_help=True)

Url = Annotated[str, typer.Argument(help="The ledger: a file, sqlite:///… or postgresql://…", show_default=False)]
Name = Annotated[str, typer.Argument(help="The account, named after the dataset.", show_default=False)]


@app.command("open")
def open_account(url: Url, name: Name, epsilon: Epsilon = None, delta: Delta = None, rho: Rho = None) -> None:
    """Open an account with a limit, which never changes; the ledger is made if there is none."""
    with explained():
        account = Ledger(url).open(name, limit=budget(epsilon, delta, rho))
        out().print(f"{name}: {account.remaining} of {account.limit} left", markup=False)


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
        out().print(events[["kind", "part", "key", "loss", "label", "at"]].to_string(), markup=False)


@app.command()
def verify(url: Url) -> None:
    """Check every page, hash, sum and limit."""
    with explained():
        found = existing_ledger(url).verify()
        out().print(f"whole: {found.events:,} events, {found.charges:,} charges; head {found.head}", markup=False)
