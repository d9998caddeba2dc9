"""`tacit fit`, `tacit accuracy-first` and `tacit tune`: from a table and its schema to a released model."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from tacit.cli.messages import NOT_MET, explained, say
from tacit.cli.options import (
    L2,
    AccountName,
    Data,
    Delta,
    Epsilon,
    LedgerUrl,
    MechanismName,
    Model,
    Out,
    Plot,
    Radius,
    Report,
    Rho,
    SchemaFile,
    account,
    budget,
    pure,
)
from tacit.cli.outputs import check_outputs, check_picture, deliver
from tacit.cli.report import write_report
from tacit.cli.tables import closed_table
from tacit.domain import Schema
from tacit.estimators import AccuracyFirst, PrivateSearch
from tacit.privacy import Approx


def fit(
    data: Data,
    schema: SchemaFile,
    model: Model,
    epsilon: Epsilon = None,
    delta: Delta = None,
    rho: Rho = None,
    l2: L2 = None,
    radius: Radius = None,
    mechanism: MechanismName = "auto",
    intervals: Annotated[bool, typer.Option("--intervals", help="Spend a part on confidence intervals.")] = False,
    plan: Annotated[bool, typer.Option("--plan", help="Say what would be released at what cost, and stop.")] = False,
    ledger: LedgerUrl = None,
    account_name: AccountName = None,
    save: Out = None,
    report: Report = None,
) -> None:
    """Fit a private model and print its coefficients and certificate."""
    with explained():
        check_outputs({"--out": save, "--report": report}, data, schema)
        declared = Schema.load(schema)
        estimator = model(
            privacy=budget(epsilon, delta, rho),
            domain=declared,
            l2=l2,
            radius=radius,
            mechanism=mechanism,
            inference=intervals,
            ledger=account(ledger, account_name),
        )
        table = closed_table(data, declared.columns)
        if plan:
            say(estimator.preview(table))
            return
        fitted = estimator.fit(table)
    _deliver(fitted, save, report, schema.stem)


def accuracy_first(
    data: Data,
    schema: SchemaFile,
    model: Model,
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
    plot: Plot = None,
) -> None:
    """Find the least ε whose model is accurate enough. Exit code 5: none was; no parameters are released."""
    with explained():
        check_outputs({"--out": save, "--report": report, "--plot": plot}, data, schema)
        check_picture("--plot", plot)
        declared = Schema.load(schema)
        most = pure("--max-epsilon", max_epsilon)
        search = AccuracyFirst(
            model(domain=declared, l2=l2, radius=radius, ledger=account(ledger, account_name)),
            excess_risk=excess_risk,
            failure=failure,
            max_privacy=most if delta is None else Approx(max_epsilon, delta),
            method="noise-reduction" if delta is None else "brownian",
        ).fit(closed_table(data, declared.columns))
    picture = {"picture": (plot, lambda path: search.plot().figure.savefig(path))}
    if search.met_:
        _deliver(search.best_estimator_, save, report, schema.stem, f"paid: {search.loss_}", **picture)
        return
    missed = f"no model was accurate enough within ε = {max_epsilon:g}; {search.loss_} was spent"
    deliver(picture, search.certificate_, missed, kept=ledger is not None)
    raise typer.Exit(NOT_MET)


def tune(
    data: Data,
    schema: SchemaFile,
    model: Model,
    candidate: Annotated[list[float], typer.Option("--l2", help="A value of λ to try; repeat the option.")],
    epsilon: Annotated[float, typer.Option(help="ε of one fit.")],
    select_epsilon: Annotated[float, typer.Option(help="ε of the choice.")],
    method: Annotated[
        str, typer.Option(help="How the choice is made: stability, split-data, random-stopping, …")
    ] = "stability",
    mechanism: MechanismName = "auto",
    ledger: LedgerUrl = None,
    account_name: AccountName = None,
    save: Out = None,
    report: Report = None,
) -> None:
    """Choose λ on held-out rows and fit with it: one charge for the whole search."""
    with explained():
        check_outputs({"--out": save, "--report": report}, data, schema)
        declared = Schema.load(schema)
        estimator = model(
            privacy=epsilon,
            domain=declared,
            mechanism=mechanism,
            ledger=account(ledger, account_name),
        )
        search = PrivateSearch(
            estimator,
            [{"l2": l2} for l2 in candidate],
            select_privacy=pure("--select-epsilon", select_epsilon),
            method=method,
            progress=sys.stdout.isatty(),  # a bar on a pipe that breaks would end a fit that is paid for
        ).fit(closed_table(data, declared.columns))
    _deliver(search.best_estimator_, save, report, schema.stem, f"chosen: l2 = {search.best_params_['l2']:g}")


def _deliver(model: Any, save: Path | None, report: Path | None, title: str, *more: str, **pictures: Any) -> None:
    """Write and print a model that was released."""
    uncounted = "no account was charged: nobody counts what repeated runs on these rows add up to"
    deliver(
        {
            "model": (save, model.save),
            "report": (report, lambda path: write_report(path, f"{title}: a private model", model)),
            **pictures,
        },
        model.summary(),
        "",
        model.certificate_,
        *(() if model.ledger is not None else (uncounted,)),
        *more,
        kept=model.ledger is not None,
    )
