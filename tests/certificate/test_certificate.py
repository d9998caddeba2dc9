"""The certificate says everything a data-protection officer asks for, the same in text, JSON and HTML."""

import html
import json
import re
from typing import Any

import numpy as np
import pytest

from tacit import ZCDP, Approx, Domain, PrivateLasso, PrivateLinearSVC, PrivateLogisticRegression, PrivateRidge, Pure
from tacit.certificate import Certificate
from tacit.privacy import budget_from_dict, compose

X = np.random.default_rng(0).normal(size=(40, 12)) / 4
DOMAIN = Domain(classes=("low", "high"), target=(-2.0, 2.0))
Y = np.array(["low", "high"] * 20)

FITS: dict[str, Any] = {
    "logistic, pure": PrivateLogisticRegression(privacy=1.0, domain=DOMAIN),
    "logistic, zCDP": PrivateLogisticRegression(privacy=ZCDP(0.1), domain=DOMAIN),
    "logistic, (ε, δ)": PrivateLogisticRegression(privacy=Approx(1.0, 1e-8), domain=DOMAIN),
    "logistic, output": PrivateLogisticRegression(privacy=1.0, domain=DOMAIN, mechanism="output"),
    "logistic, functional": PrivateLogisticRegression(privacy=1.0, domain=DOMAIN, mechanism="functional"),
    "svc, hinge": PrivateLinearSVC(loss="hinge", domain=DOMAIN),
    "ridge, pure": PrivateRidge(privacy=1.0, domain=DOMAIN),
    "ridge, (ε, δ)": PrivateRidge(privacy=Approx(1.0, 1e-8), domain=DOMAIN),
    "ridge, radius": PrivateRidge(privacy=1.0, domain=DOMAIN, mechanism="objective", radius=2.0, l2=0.5),
}


def fitted(model: Any) -> Certificate:
    return model.fit(X, X[:, 0] if isinstance(model, PrivateRidge) else Y).certificate_


def plain(certificate: Certificate) -> list[str]:
    """The text and the HTML as words with single spaces."""
    text = re.sub(r"\s+", " ", str(certificate))
    page = re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", certificate.to_html())))
    return [text, page]


def check_complete(certificate: Certificate, pages: list[str]) -> None:
    """Every fact of the certificate's data is on every page."""
    stored = certificate.to_dict()
    facts = [*stored["currencies"].values(), stored["neighbours"], stored["unit"], stored["choice"]]
    facts += [f"n = {stored['n']:,}", stored["randomness"], *stored["assumed_public"], stored["schema_fingerprint"]]
    facts += [f"tacit {stored['tacit']}"]
    for release in stored["releases"]:
        facts += [release["mechanism"], *release["theorems"], *release["notes"], release["noise"]["law"]]
        facts += [f"scale {release['noise']['scale']:.6g}", f"multiples of {release['noise']['grid']:.4g}"]
        facts += [f"{release['sensitivity']['total']:.6g} in {release['sensitivity']['norm']}"]
        facts += [f"{value:.4g} ({what})" for what, value in release["sensitivity"]["parts"].items()]
        facts += [f"l2 = {release['l2']:.6g}"] if release["l2"] else []
        facts += [f"radius {release['radius']:.4g}"] if release["radius"] else []
        facts += [f"within {release['solver_tolerance']:.3g} of"] if release["solver_tolerance"] else []
    for page in pages:
        for fact in facts:
            assert re.sub(r"\s+", " ", fact) in page, fact


@pytest.mark.parametrize("model", FITS.values(), ids=FITS)
def test_complete(model: Any) -> None:
    certificate = fitted(model)
    check_complete(certificate, plain(certificate))
    assert "NOT PRIVATE" not in str(certificate) + certificate.to_html() + certificate.to_json()


@pytest.mark.parametrize("lost", ["scale", "rounding|old row", "os.urandom", "ε = 1", "replaced", "sha256 .{64}"])
def test_an_incomplete_page_is_caught(lost: str) -> None:
    certificate = fitted(FITS["logistic, pure"])
    with pytest.raises(AssertionError):
        check_complete(certificate, [re.sub(lost, "", page) for page in plain(certificate)])


@pytest.mark.parametrize("model", FITS.values(), ids=FITS)
def test_sound(model: Any) -> None:
    """Releases add up to the guarantee, parts to the sensitivity; the grid is a power of two."""
    certificate = fitted(model)
    releases = certificate.releases
    assert compose(*(budget_from_dict(release["charge"]) for release in releases)) == certificate.guarantee
    for release in releases:
        assert sum(release["sensitivity"]["parts"].values()) <= release["sensitivity"]["total"] * (1 + 1e-12)
        assert np.frexp(release["noise"]["grid"])[0] == 0.5
        assert release["noise"]["scale"] > release["noise"]["grid"] > 0


@pytest.mark.parametrize("model", FITS.values(), ids=FITS)
def test_json_comes_back(model: Any) -> None:
    certificate = fitted(model)
    assert Certificate.from_dict(json.loads(certificate.to_json())).to_dict() == certificate.to_dict()
    assert str(Certificate.from_dict(json.loads(certificate.to_json()))) == str(certificate)


def test_currencies() -> None:
    assert set(fitted(FITS["logistic, pure"]).currencies) == {"pure", "zCDP", "approximate"}
    assert set(fitted(FITS["logistic, zCDP"]).currencies) == {"zCDP", "approximate"}
    assert fitted(FITS["ridge, (ε, δ)"]).currencies == {"approximate": str(Approx(1.0, 1e-8))}


@pytest.mark.filterwarnings("ignore:at this budget the noise of a selection:UserWarning")
def test_the_currency_that_was_asked_for_comes_first() -> None:
    """Whatever the noise was calibrated in; the text also says what was proved, the JSON has the same fields."""
    for asked in (Pure(1.0), ZCDP(0.1), Approx(1.0, 1e-6), Approx(1.0, 1e-9)):
        certificate = PrivateLasso(privacy=asked, steps=2).fit(X, X[:, 0]).certificate_
        own = next(iter(asked.statements(1e-6)))
        for again in (certificate, Certificate.from_dict(json.loads(certificate.to_json()))):
            assert next(iter(again.currencies)) == own
            assert f"Guarantee          {again.headline}" in str(again)
            assert str(again.guarantee) in str(again)
    assert certificate.guarantee.to_dict()["currency"] == "zcdp"
    assert certificate.headline == str(Approx(1.0, 1e-9))
    model = PrivateLogisticRegression(privacy=Approx(1.0, 1e-8), domain=DOMAIN).fit(X, Y)
    assert model.certificate_.headline in str(model.summary())


@pytest.mark.parametrize("asked", [Pure(2.0**20), ZCDP(2.0**30)], ids=str)
def test_a_guarantee_that_no_other_currency_can_state(asked: Any) -> None:
    certificate = PrivateLasso(privacy=asked, steps=2).fit(X, X[:, 0]).certificate_
    assert certificate.headline == str(asked)


@pytest.mark.parametrize("budget", [Pure(0.1), ZCDP(2.0), Approx(3.0, 1e-5)], ids=str)
def test_budgets_come_back(budget: Any) -> None:
    assert budget_from_dict(json.loads(json.dumps(budget.to_dict()))) == budget


def test_seal() -> None:
    """Whoever knows the seed can subtract the noise, so a seeded fit says so everywhere."""
    model = PrivateLogisticRegression(domain=DOMAIN, random_state=7).fit(X, Y)
    assert not model.certificate_.private
    for sheet in (model.certificate_, model.summary()):
        assert "NOT PRIVATE" in str(sheet)
        assert "NOT PRIVATE" in sheet.to_html()
    assert json.loads(model.certificate_.to_json())["private"] is False


def test_labels_read_from_y_are_said_to_be_assumed_public() -> None:
    undeclared = PrivateLogisticRegression().fit(X, Y).certificate_
    assert "class labels, read from y" in str(undeclared)
    assert "class labels" not in str(fitted(FITS["logistic, pure"]))


def test_equal_releases_are_told_once() -> None:
    model = PrivateLogisticRegression(domain=Domain(classes=("a", "b", "c")), mechanism="objective")
    three = model.fit(X, ["a", "b"] * 20).certificate_
    text = str(three)
    assert "3 releases" in text
    assert "a against the rest; b against the rest; c against the rest" in text
    assert text.count("objective-pure") == 1
    assert "cost of each" in text


def test_markup_in_declarations_stays_text() -> None:
    hostile = Domain(classes=("<script>alert(1)</script>", "b", "c"))
    certificate = PrivateLogisticRegression(domain=hostile).fit(X, ["b", "c"] * 20).certificate_
    assert "<script>" not in certificate.to_html()
    assert "&lt;script&gt;" in certificate.to_html()
