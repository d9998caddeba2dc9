"""`tacit fit`, `tacit accuracy-first` and `tacit tune`: from a table and its schema to a released model."""

from pathlib import Path
from typing import Annotated, Any

import typer

from tacit.cli.messages import NOT_MET, explained, out
from tacit.cli.options import (
    ESTIMATORS,
    L2,
    AccountName,
    Data,
    Delta,
    Epsilon,
    LedgerUrl,
    ModelName,
    Out,
    Radius,
    Rho,
    SchemaFile,
    account,
    budget,
)
from tacit.cli.report import write_report
from tacit.cli.tables import read_table
from tacit.domain import Schema
from tacit.estimators import AccuracyFirst, PrivateSearch
from tacit.privacy import Approx, Pure

MechanismName = Annotated[str, typer.Option("--mechanism", help="How noise enters; auto: from public facts.")]
Report = Annotated[Path | None, typer.Option(help="Where to write coefficients and certificate (HTML).")]


def fit(
    data: Data,
    schema: SchemaFile,
    model: ModelName,
    epsilon: Epsilon = None,
    delta: Delta = None,
    rho: Rho = None,
    l2: L2 = None,
    radius: Radius = None,
    mechanism: MechanismName = "auto",
    intervals: Annotated[bool, typer.Option("--intervals", help="Spend a part on confidence intervals.")] = False,
    ledger: LedgerUrl = None,
    account_name: AccountName = None,
    save: Out = None,
    report: Report = None,
) -> None:
    """Fit a private model and print its coefficients and certificate."""
    with explained():
        declared = Schema.load(schema)
        estimator = ESTIMATORS[model](
            privacy=budget(epsilon, delta, rho),
            domain=declared,
            l2=l2,
            radius=radius,
            mechanism=mechanism,
            inference=intervals,
            ledger=account(ledger, account_name),
        )
        _deliver(estimator.fit(read_table(data, declared.columns)), save, report, schema.stem)


def accuracy_first(
    data: Data,
    schema: SchemaFile,
    model: ModelName,
    excess_risk: Annotated[float, typer.Option(help="How much worse than the best the risk may be.")],
    failure: Annotated[float, typer.Option(help="Probability of accepting a model that is worse.")] = 0.1,
    max_epsilon: Annotated[float, typer.Option(help="The most that may be spent; a ledger reserves it.")] = 5.0,
    delta: Annotated[float | None, typer.Option(help="δ: search with Gaussian noise.", show_default=False)] = None,
    l2: L2 = None,
    radius: Radius = None,
    ledger: LedgerUrl = None,
    account_name: AccountName = None,
    save: Out = None,
    report: Report = None,
    plot: Annotated[Path | None, typer.Option(help="Where to draw what each level would have cost.")] = None,
) -> None:
    """Find the least ε whose model is accurate enough. Exit code 5: none was; no parameters are released."""
    with explained():
        declared = Schema.load(schema)
        search = AccuracyFirst(
            ESTIMATORS[model](domain=declared, l2=l2, radius=radius, ledger=account(ledger, account_name)),
            excess_risk=excess_risk,
            failure=failure,
            max_privacy=Pure(max_epsilon) if delta is None else Approx(max_epsilon, delta),
            method="noise-reduction" if delta is None else "brownian",
        ).fit(read_table(data, declared.columns))
    if plot is not None:
        search.plot().figure.savefig(plot)
    if not search.met_:
        out().print(str(search.certificate_), markup=False)
        out().print(f"no model was accurate enough within ε = {max_epsilon:g}; {search.loss_} was spent")
        raise typer.Exit(NOT_MET)
    _deliver(search.best_estimator_, save, report, schema.stem)
    out().print(f"paid: {search.loss_}")


def tune(
    data: Data,
    schema: SchemaFile,
    model: ModelName,
    candidate: Annotated[list[float], typer.Option("--l2", help="A value of λ to try; repeat the option.")],
    epsilon: Annotated[float, typer.Option(help="ε of one fit.")],
    select_epsilon: Annotated[float, typer.Option(help="ε of the choice.")],
    method: Annotated[str, typer.Option(help="How the choice is made; see PrivateSearch.")] = "stability",
    mechanism: MechanismName = "auto",
    ledger: LedgerUrl = None,
    account_name: AccountName = None,
    save: Out = None,
    report: Report = None,
) -> None:
    """Choose λ on held-out rows and fit with it: one charge for the whole search."""
    with explained():
        declared = Schema.load(schema)
        estimator = ESTIMATORS[model](
            privacy=epsilon,
            domain=declared,
            mechanism=mechanism,
            ledger=account(ledger, account_name),
        )
        search = PrivateSearch(
            estimator,
            [{"l2": l2} for l2 in candidate],
            select_privacy=select_epsilon,
            method=method,
            progress=True,
        ).fit(read_table(data, declared.columns))
        _deliver(search.best_estimator_, save, report, schema.stem)
        out().print(f"chosen: l2 = {search.best_params_['l2']:g}")


def _deliver(model: Any, save: Path | None, report: Path | None, title: str) -> None:
    console = out()
    console.print(str(model.summary()), markup=False)
    console.print()
    console.print(str(model.certificate_), markup=False)
    if model.ledger is None:
        console.print("no account was charged: nobody counts what repeated runs on these rows add up to")
    if save is not None:
        model.save(save)
        console.print(f"model written to {save}", markup=False)
    if report is not None:
        write_report(report, f"{title}: a private model", model)
        console.print(f"report written to {report}", markup=False)
