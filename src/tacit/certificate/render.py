"""Certificates for people: plain text for a terminal, HTML for a report."""

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Any

from tacit.certificate.certificate import ASSUMED, NEIGHBOURS, SEAL, Certificate
from tacit.escaping import printable
from tacit.privacy import budget_from_dict

_WIDTH = 100
_LABEL = 18


def as_text(certificate: Certificate) -> str:
    """A boxed sheet of label and value."""
    title = "Privacy certificate" if certificate.private else f"Privacy certificate — {SEAL}"
    lines = [title, "─" * _WIDTH]
    for label, value in _entries(certificate):
        lines += _wrapped(label, printable(value))
    lines.append("─" * _WIDTH)
    return "\n".join(lines)


def as_html(certificate: Certificate) -> str:
    """The same sheet as an HTML table; self-contained, readable without a style sheet."""
    seal = "" if certificate.private else f' <strong style="color:#b00020">{SEAL}</strong>'
    rows = "".join(
        f'<tr><th style="text-align:left;vertical-align:top;padding:2px 14px 2px 0">{escape(label)}</th>'
        f'<td style="padding:2px 0">{escape(printable(value))}</td></tr>'
        for label, value in _entries(certificate)
    )
    return (
        '<div style="font:14px/1.45 system-ui,sans-serif;max-width:60em;border:1px solid #ccd;border-radius:6px;'
        f'padding:12px 18px"><h3 style="margin:0 0 8px">Privacy certificate{seal}</h3>'
        f'<table style="border-collapse:collapse">{rows}</table></div>'
    )


def _entries(certificate: Certificate) -> Iterator[tuple[str, str]]:
    if not certificate.private:
        yield SEAL, "noise came from a seed; whoever knows the seed can subtract it. For tests only."
    yield from _guarantee_entries(certificate)
    yield "Neighbours", NEIGHBOURS
    yield "Unit of privacy", f"{certificate.unit}; n = {certificate.n:,}"
    yield "Choice", certificate.choice
    for alike in _grouped(certificate.releases):
        yield from _release_entries(alike, costs=len(certificate.releases) > 1)
    yield "Randomness", certificate.randomness
    yield "Assumed public", "; ".join(certificate.assumed_public)
    yield "You confirm", ASSUMED
    yield "Declaration", f"sha256 {certificate.schema_fingerprint}"
    if certificate.ledger:
        yield "Ledger", certificate.ledger
    yield "Made by", f"tacit {certificate.version}"


def _guarantee_entries(certificate: Certificate) -> Iterator[tuple[str, str]]:
    """First what was asked for, then what was proved if that is stronger, then what else follows from it."""
    stated, *others = certificate.currencies.values()
    yield "Guarantee", stated
    proved = str(certificate.guarantee)
    if proved != stated:
        yield "which follows from", proved
    if rest := [each for each in others if each != proved]:
        yield "which implies" if proved == stated else "and so does", "; ".join(rest)


def _grouped(releases: Iterable[Mapping[str, Any]]) -> list[list[Mapping[str, Any]]]:
    """Releases in order, those that differ in nothing but their label together."""
    groups: list[list[Mapping[str, Any]]] = []
    for release in releases:
        if groups and {**groups[-1][0], "label": None} == {**release, "label": None}:
            groups[-1].append(release)
        else:
            groups.append([release])
    return groups


def _release_entries(alike: Sequence[Mapping[str, Any]], *, costs: bool) -> Iterator[tuple[str, str]]:
    release = alike[0]
    if len(alike) == 1:
        yield "Release", " of ".join(part for part in (release["mechanism"], release["label"]) if part)
    else:
        yield f"{len(alike)} releases", f"{release['mechanism']}, each with noise of its own"
        yield "  one for each of", "; ".join(str(each["label"]) for each in alike)
    if costs:
        yield "  cost" if len(alike) == 1 else "  cost of each", str(budget_from_dict(release["charge"]))
    sensitivity = release["sensitivity"]
    parts = " + ".join(f"{value:.4g} ({what})" for what, value in sensitivity["parts"].items())
    yield "  sensitivity", f"{sensitivity['total']:.6g} in {sensitivity['norm']} = {parts}"
    noise = release["noise"]
    grid = "" if noise["grid"] is None else f", released on multiples of {noise['grid']:.4g}"
    yield "  noise", f"{noise['law']}, scale {noise['scale']:.6g}{grid}"
    if release["l2"] != 0:
        yield "  regularisation", _regularisation(release)
    if release["solver_tolerance"]:
        yield "  solver", f"certified within {release['solver_tolerance']:.3g} of the exact minimiser"
    yield "  proofs", ", ".join(release["theorems"])
    for note in release["notes"]:
        yield "  note", note


def _regularisation(release: Mapping[str, Any]) -> str:
    l2 = "chosen from the released moments" if release["l2"] is None else f"l2 = {release['l2']:.6g}"
    return l2 if release["radius"] is None else f"{l2}, coefficients inside a ball of radius {release['radius']:.4g}"


def _wrapped(label: str, value: str) -> list[str]:
    pieces = textwrap.wrap(value, _WIDTH - _LABEL - 1, break_on_hyphens=False) or [""]
    rest = [" " * (_LABEL + 1) + piece for piece in pieces[1:]]
    return [f"{label:<{_LABEL}} {pieces[0]}", *rest]
