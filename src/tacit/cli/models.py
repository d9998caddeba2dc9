"""`tacit predict` and `tacit certificate`: what a saved model says, and what it promises."""

from pathlib import Path
from typing import Annotated, Any

import pandas as pd
import typer

from tacit.cli.messages import explained
from tacit.cli.options import Data
from tacit.cli.outputs import check_outputs, deliver, write_table
from tacit.cli.tables import read_table
from tacit.estimators import load

ModelFile = Annotated[Path, typer.Argument(help="A model saved by tacit (JSON).", show_default=False)]


def predict(
    model: ModelFile,
    data: Data,
    save: Annotated[
        Path | None, typer.Option("--out", help="Where to write them (CSV); default: standard output.")
    ] = None,
) -> None:
    """Predict the rows of a table with a saved model; nothing is charged."""
    with explained():
        check_outputs({"--out": save}, model, data)
        fitted = load(model)
        predictions = _predictions(fitted, read_table(data, getattr(fitted, "feature_names_in_", None)))
    if save is None:
        write_table(predictions)
    else:
        deliver({"predictions": (save, lambda path: write_table(predictions, path))})


def certificate(
    model: ModelFile,
    html: Annotated[
        Path | None, typer.Option(help="Write it as HTML instead of printing it.", show_default=False)
    ] = None,
) -> None:
    """Print the privacy certificate of a saved model."""
    with explained():
        check_outputs({"--html": html}, model)
        sheet = load(model).certificate_
    page = f'<!doctype html><meta charset="utf-8">{sheet.to_html()}\n'
    shown = () if html is not None else (sheet,)
    deliver({"certificate": (html, lambda path: path.write_text(page, encoding="utf-8"))}, *shown)


def _predictions(model: Any, table: pd.DataFrame) -> pd.DataFrame:
    """The prediction of each row, and the probability of each class where the model has one."""
    found = pd.DataFrame({"prediction": model.predict(table)})
    if hasattr(model, "predict_proba"):
        names = [f"probability of {label}" for label in model.classes_]
        found[names] = model.predict_proba(table)
    return found
