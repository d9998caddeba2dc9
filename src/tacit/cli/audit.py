"""`tacit audit` and `tacit attack`: what a mechanism spends, and what a model still tells."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pandas as pd
import typer
from rich import box
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from tacit.attacks import invert
from tacit.audit import Case, Finding, Observation, diffprivlib_cases, examine, opendp_cases, own_cases, own_replays
from tacit.cli.messages import VIOLATED, explained, out
from tacit.errors import ParameterError
from tacit.estimators import load


def audit(
    peer: Annotated[str | None, typer.Option(help="Audit another library: diffprivlib or opendp.")] = None,
    python: Annotated[
        str, typer.Option(help="Interpreter in which the audited peer is installed (diffprivlib only).")
    ] = "python",
    confidence: Annotated[float, typer.Option(help="Confidence of each lower bound.")] = 0.999,
    effort: Annotated[float, typer.Option(help="Multiplies the number of runs; 1 takes about a minute.")] = 1.0,
) -> None:
    """Measure lower bounds on ε on worst-case neighbours and compare them with the claims. Exit code 3: violated."""
    console = out()
    with explained():
        findings = _examined(_cases(peer, python, effort), confidence, console)
    console.print(_table(findings, confidence))
    replays = own_replays() if peer is None else []
    if replays:
        console.print(_replay_table(replays))
    if any(finding.violated for finding in findings) or not all(seen.holds for _, seen in replays):
        raise typer.Exit(VIOLATED)


def attack(
    model: Annotated[Path, typer.Argument(help="A model saved by tacit (JSON).")],
    data: Annotated[Path, typer.Argument(help="CSV or Parquet with the attributes and the outcome of some people.")],
    hidden: Annotated[str, typer.Option(help="The column to guess; its true values in the data are only compared.")],
    outcome: Annotated[str, typer.Option(help="The column that the model predicts.")],
) -> None:
    """Guess a hidden attribute from the others, the outcome and a released model (model inversion)."""
    with explained():
        people = _people(data, hidden, outcome)
    truth = people[hidden].to_numpy()
    prior = people[hidden].value_counts(normalize=True).to_dict()
    with explained():
        guesses = invert(load(model), people, hidden=hidden, prior=prior, outcome=outcome)
    table = Table(title=f"Guessing {hidden} of {len(people):,} people")
    table.add_column("knowing")
    table.add_column("right", justify="right")
    table.add_row("the commonest value only", f"{max(prior.values()):.1%}")
    table.add_row("the other attributes, the outcome and the model", f"{float(np.mean(guesses == truth)):.1%}")
    out().print(table)


def _people(path: Path, *columns: str) -> pd.DataFrame:
    """A table that is nobody's secret here, with its types as pandas finds them."""
    try:
        people = pd.read_parquet(path) if path.suffix == ".parquet" else pd.read_csv(path)
    except (OSError, ValueError) as problem:
        raise ParameterError(f"{path} cannot be read ({type(problem).__name__}); expected .csv or .parquet") from None
    if missing := [column for column in columns if column not in people]:
        raise ParameterError(f"{path.name} has no column {missing[0]!r}; it has {', '.join(map(str, people.columns))}")
    return people


def _cases(peer: str | None, python: str, effort: float) -> Sequence[Case]:
    match peer:
        case None:
            return own_cases(effort)
        case "opendp":
            return opendp_cases(effort)
        case "diffprivlib":
            return diffprivlib_cases(python, effort)
        case _:
            raise typer.BadParameter(f"{peer!r} is not known; expected diffprivlib or opendp", param_hint="--peer")


def _examined(cases: Sequence[Case], confidence: float, console: Console) -> list[Finding]:
    columns: tuple[Any, ...] = (SpinnerColumn(), *Progress.get_default_columns()[:2], TimeElapsedColumn())
    findings = []
    with Progress(*columns, TextColumn("{task.fields[case]}"), console=console, transient=True) as progress:
        task = progress.add_task("auditing", total=len(cases), case="")
        for case in cases:
            progress.update(task, case=case.name)
            findings.append(examine(case, confidence))
            progress.advance(task)
    return findings


def _table(findings: Sequence[Finding], confidence: float) -> Table:
    table = Table(
        title=f"ε on worst-case neighbours: claimed, exact, and at least (confidence {confidence:g})", box=box.SIMPLE
    )
    table.add_column("mechanism", no_wrap=True)
    for heading in ("claimed", "exact", "at least"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("verdict")
    for finding in findings:
        case = finding.case
        table.add_row(
            case.name if case.delta == 0 else f"{case.name}, δ = {case.delta:g}",
            f"{case.epsilon:.3g}",
            "" if case.pair_loss is None else f"{case.pair_loss:.3f}",
            f"{finding.bound:.3f}",
            finding.verdict,
            style="bold red" if finding.violated else "",
        )
    return table


def _replay_table(replays: Sequence[tuple[str, Observation]]) -> Table:
    table = Table(title="Same random bits on neighbouring tables: how far the release moves", box=box.SIMPLE)
    table.add_column("mechanism", no_wrap=True)
    for heading in ("declared", "moved"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("verdict")
    for name, seen in replays:
        verdict = "nothing found" if seen.holds else "VIOLATED"
        table.add_row(name, f"{seen.allowed:.4g}", f"{seen.moved:.4g}", verdict, style="" if seen.holds else "bold red")
    return table
