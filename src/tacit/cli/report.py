"""A model as one HTML page: coefficients and certificate, readable without anything else."""

from pathlib import Path
from typing import Any

from jinja2 import Environment

from tacit._version import __version__

PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{ title }}</title>
<style>
  body { font: 15px/1.5 system-ui, sans-serif; color: #223; max-width: 60em; margin: 2em auto; padding: 0 1em }
  table { border-collapse: collapse } th, td { padding: 2px 14px 2px 0; text-align: left }
  table.dataframe td:not(:first-child), table.dataframe th:not(:first-child) { text-align: right }
  footer { color: #667; margin-top: 2em }
</style>
<h1>{{ title }}</h1>
{{ summary | safe }}
{{ certificate | safe }}
<footer>tacit {{ version }}</footer>
</html>
"""


def write_report(path: Path, title: str, model: Any) -> None:
    """Write the page of a fitted model; only released numbers and public facts are on it."""
    page = Environment(autoescape=True).from_string(PAGE)
    text = page.render(
        title=title,
        summary=model.summary().to_html(),
        certificate=model.certificate_.to_html(),
        version=__version__,
    )
    path.write_text(text, encoding="utf-8")
