"""Two logistic losses: one for prediction, with its own link, and one for log odds and intervals."""

import numpy as np
import pytest
from scipy.special import expit

from tacit import Domain, PrivateLogisticRegression, load
from tacit.errors import ParameterError
from tacit.losses import CappedLogistic, Logistic


def rows(classes: int = 2, n: int = 4000) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(n, 3)) / 3
    scores = X @ rng.normal(size=(3, classes)) * 5 + rng.gumbel(size=(n, classes))
    return X, scores.argmax(axis=1)


def fitted(loss: str, classes: int = 2, **options: object) -> tuple[PrivateLogisticRegression, np.ndarray]:
    X, y = rows(classes)
    domain = Domain(radius=2.0, classes=tuple(range(classes)))
    return PrivateLogisticRegression(loss=loss, domain=domain, random_state=1, **options).fit(X, y), X


@pytest.mark.proof("capped-link")
@pytest.mark.parametrize(("loss", "link"), [("logistic", expit), ("capped", CappedLogistic().probability)])
def test_probabilities_come_from_the_link_of_the_loss(loss, link):
    model, X = fitted(loss)
    positive = link(model.decision_function(X))
    np.testing.assert_allclose(model.predict_proba(X), np.column_stack([1 - positive, positive]), rtol=1e-12)
    assert np.array_equal(model.predict(X), model.predict_proba(X).argmax(axis=1))


def test_the_two_links_differ():
    model, X = fitted("capped")
    assert np.abs(model.predict_proba(X)[:, 1] - expit(model.decision_function(X))).max() > 0.02


def test_several_classes_have_probabilities_that_sum_to_one():
    model, X = fitted("capped", classes=3, privacy=20.0)
    probabilities = model.predict_proba(X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    assert np.array_equal(model.predict(X), probabilities.argmax(axis=1))


def test_the_loss_survives_a_file(tmp_path):
    model, X = fitted("capped")
    model.save(tmp_path / "model.json")
    np.testing.assert_array_equal(load(tmp_path / "model.json").predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize(
    ("options", "loss"),
    [({}, CappedLogistic()), ({"inference": True}, Logistic()), ({"mechanism": "functional"}, Logistic())],
)
def test_auto_takes_the_loss_that_the_purpose_needs(options, loss):
    assert PrivateLogisticRegression(loss="auto", **options).request().loss == loss


def test_the_capped_loss_needs_half_the_noise():
    model, other = fitted("capped", l2=0.01)[0], fitted("logistic", l2=0.01)[0]
    scales = [each.certificate_.releases[0]["noise"]["scale"] for each in (model, other)]
    assert 0.45 < scales[0] / scales[1] < 0.6


@pytest.mark.parametrize(
    ("options", "message"),
    [({"loss": "capped", "inference": True}, "log odds"), ({"loss": "squared"}, "'auto', 'capped' or 'logistic'")],
)
def test_what_cannot_be_is_refused_before_a_row_is_read(options, message):
    with pytest.raises(ParameterError, match=message):
        PrivateLogisticRegression(domain=Domain(classes=(0, 1)), **options).fit(*rows())
