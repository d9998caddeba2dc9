"""Options that several commands share, and what they mean for the library."""

from pathlib import Path
from typing import Annotated, Any

import typer

from tacit.errors import ParameterError
from tacit.estimators import MODELS
from tacit.ledger import Account, Ledger
from tacit.privacy import ZCDP, Approx, Budget, Pure


def _model(name: str) -> Any:
    """The estimator that a name of the table stands for."""
    if name not in MODELS:
        raise typer.BadParameter(f"{name!r} is not known; expected {', '.join(MODELS)}")
    return MODELS[name]


Data = Annotated[
    Path, typer.Argument(help="The rows: .csv or .parquet; columns are found by name.", show_default=False)
]
SchemaFile = Annotated[
    Path, typer.Option("--schema", help="Public declaration: bounds, categories, target.", show_default=False)
]
Model = Annotated[
    Any, typer.Option(parser=_model, metavar="|".join(MODELS), help="What is fitted.", show_default=False)
]
Epsilon = Annotated[float | None, typer.Option(help="ε, alone or together with δ.", show_default=False)]
Delta = Annotated[float | None, typer.Option(help="δ, together with ε.", show_default=False)]
Rho = Annotated[float | None, typer.Option(help="ρ of zero-concentrated privacy, instead of ε.", show_default=False)]
L2 = Annotated[float | None, typer.Option(help="λ of the mean loss; default: from public facts.", show_default=False)]
Radius = Annotated[float | None, typer.Option(help="Public bound on the coefficients.", show_default=False)]
MechanismName = Annotated[
    str,
    typer.Option(
        "--mechanism",
        help="How noise enters: auto (public facts decide), output, objective, functional; ridge: covariance, centred.",
    ),
]
LedgerUrl = Annotated[
    str | None, typer.Option("--ledger", help="Ledger to charge: a file, sqlite:///… or postgresql://…")
]
AccountName = Annotated[
    str | None, typer.Option("--account", help="Account of that ledger, opened before by `tacit ledger open`.")
]
Out = Annotated[Path | None, typer.Option("--out", help="Where to write the model (JSON).", show_default=False)]
Report = Annotated[
    Path | None, typer.Option(help="Where to write coefficients and certificate (HTML).", show_default=False)
]
Plot = Annotated[Path | None, typer.Option(help="Where to draw it (.png, .svg, .pdf).", show_default=False)]


def budget(epsilon: float | None, delta: float | None, rho: float | None) -> Budget:
    """--epsilon E is pure, --epsilon E --delta D approximate, --rho R concentrated."""
    match epsilon, delta, rho:
        case float(), None, None:
            return Pure(epsilon)
        case float(), float(), None:
            return Approx(epsilon, delta)
        case None, None, float():
            return ZCDP(rho)
        case _:
            raise ParameterError("say what may be spent: --epsilon E, or --epsilon E --delta D, or --rho R")


def pure(option: str, epsilon: float) -> Pure:
    """The ε of an option that is not called --epsilon."""
    try:
        return Pure(epsilon)
    except ParameterError as problem:
        raise ParameterError(str(problem).replace("epsilon=", "epsilon ").replace("epsilon", option)) from None


def account(ledger: str | None, name: str | None) -> Account | None:
    """The account to charge; None without a ledger."""
    if ledger is None and name is None:
        return None
    if ledger is None or name is None:
        raise ParameterError("an account is named by two options: --ledger URL --account NAME")
    return existing_ledger(ledger).account(name)


def existing_ledger(url: str) -> Ledger:
    """A ledger that is there: a file that is not is a mistake, not a wish for a new ledger."""
    path = url.removeprefix("sqlite:///")
    if "://" not in path and not Path(path).is_file():
        raise ParameterError(f"there is no ledger at {path}; `tacit ledger open` makes one")
    return Ledger(url)
