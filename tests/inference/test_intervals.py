"""Intervals: closed forms, coverage, storage, refusals, and mutants that must be caught."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom, norm
from sklearn.exceptions import NotFittedError

import tacit
from tacit import Approx, Domain, PrivateLinearSVC, PrivateLogisticRegression, PrivateRidge, Pure
from tacit.errors import ParameterError
from tacit.inference import Split, variability_interval
from tacit.inference.evidence import eigenvalues_raised
from tacit.inference.minimum_evidence import COVARIANCE_ALLOWANCE, OUTPUT_ALLOWANCE, MinimumEvidence
from tacit.inference.stream import Stream
from tacit.mechanisms.laws import Gaussian, SphericalLaplace
from tacit.privacy import ZCDP, compose

BINARY = Domain(classes=(0, 1))


def classified(n, seed=0, width=3):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-0.5, 0.5, (n, width))
    return X, (rng.random(n) < 1 / (1 + np.exp(-3 * X[:, 0]))).astype(int)


def test_streams_depend_on_what_was_released_and_on_nothing_else():
    first, again, other = (Stream(np.array(v)).normals(4) for v in ([1.0], [1.0], [1.0 + 1e-15]))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def positive_definite(repaired):
    assert np.linalg.eigvalsh(repaired).min() >= 0.01 * (1 - 1e-9)


def test_eigenvalues_are_raised_after_the_noise():
    """Mutant: raise first, add noise then; what comes out can be indefinite."""
    hessian, noise = np.diag([0.2, 0.011]), np.diag([0.0, -0.05])
    positive_definite(eigenvalues_raised(hessian + noise, 0.01))
    with pytest.raises(AssertionError):
        positive_definite(eigenvalues_raised(hessian, 0.01) + noise)


def test_the_release_keeps_the_noisy_hessian_as_it_came_and_repairs_it_afterwards():
    X, y = classified(60)
    model = PrivateLogisticRegression(privacy=0.5, domain=BINARY, inference=True, l2=0.05)
    smallest = []
    for _ in range(40):
        evidence = model.fit(X, y)._evidence[0]
        smallest.append(np.linalg.eigvalsh(evidence.hessian).min())
        assert np.linalg.eigvalsh(evidence.curvature).min() >= evidence.l2 * (1 - 1e-9)
    assert min(smallest) < 0  # noise of this size: all 40 positive has probability far below 1e-9


def known_evidence(**changes):
    """A world without matrix noise to speak of: the interval has a closed form."""
    theta, hessian = np.array([1.0, -2.0]), np.array([[0.2, 0.05], [0.05, 0.1]])
    scores = np.array([[0.3, 0.1], [0.1, 0.2]])
    tiny = Gaussian(1e-12)
    values = {"n": 1000, "l2": 0.01, "theta": theta, "hessian": hessian, "hessian_law": tiny, "scores": scores}
    values |= {"scores_law": tiny, "fit_law": Gaussian(5.0), "tilted": True}
    return MinimumEvidence(**(values | changes))


def closed_form(evidence, direction, level):
    a = np.linalg.solve(evidence.hessian, direction)
    covariance = evidence.scores - evidence.l2**2 * np.outer(evidence.theta, evidence.theta)
    load = a / evidence.n if evidence.tilted else direction
    variance = a @ covariance @ a / evidence.n + evidence.fit_law.scale**2 * load @ load
    allowance = COVARIANCE_ALLOWANCE if evidence.tilted else OUTPUT_ALLOWANCE
    return allowance * norm.isf((1 - level) / 2) * math.sqrt(variance)


@pytest.mark.parametrize("changes", [{}, {"tilted": False, "fit_law": Gaussian(0.1)}])
def test_a_world_with_known_matrices_has_the_closed_form(changes):
    evidence = known_evidence(**changes)
    directions = np.array([[1.0, 0.0], [0.3, -0.7]])
    for level in (0.8, 0.95):
        expected = [closed_form(evidence, g, level) for g in directions]
        assert evidence.half_widths(directions, level) == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize(
    ("width", "covariance", "law", "loudness", "share"),
    [
        (2, True, Gaussian, 0.1, 0.2),
        (2, True, Gaussian, 0.5, 0.525),
        (2, True, Gaussian, 3.0, 0.8),
        (2, True, SphericalLaplace, 3.0, 0.6),
        (2, False, Gaussian, 3.0, 0.6),
        (5, True, Gaussian, 3.0, 0.3),
        (5, True, Gaussian, 9.0, 0.6),
        (5, False, SphericalLaplace, 0.1, 0.2),
    ],
)
def test_the_hessian_is_lowered_by_public_facts(width, covariance, law, loudness, share):
    scores = np.eye(width) if covariance else np.ones(1)
    zero = {"theta": np.zeros(width), "hessian": np.eye(width), "scores": scores}
    assert known_evidence(hessian_law=law(1e-3), **zero)._lowering(loudness) == pytest.approx(share)


def test_noise_in_the_hessian_widens_intervals():
    quiet, noisy = known_evidence(), known_evidence(hessian_law=Gaussian(0.02))
    assert np.all(noisy.half_widths(np.eye(2), 0.95) > 1.02 * quiet.half_widths(np.eye(2), 0.95))


def test_with_a_huge_budget_intervals_are_those_of_the_exact_sandwich():
    X, y = classified(4000)
    model = PrivateLogisticRegression(privacy=1e5, domain=BINARY, inference=True, l2=0.01).fit(X, y)
    rows = np.column_stack([X, np.ones(len(X))]) / math.sqrt(2)
    theta, signs = model.encoded_coef_[0], 2.0 * y - 1
    p = 1 / (1 + np.exp(signs * (rows @ theta)))
    hessian = (rows * (p * (1 - p))[:, None]).T @ rows / len(y) + 0.01 * np.eye(4)
    scores = (rows * (p * p)[:, None]).T @ rows / len(y) - 0.01**2 * np.outer(theta, theta)
    inverse = np.linalg.inv(hessian)
    errors = np.sqrt(np.diag(inverse @ scores @ inverse) / len(y)) / math.sqrt(2)
    half = (model.conf_int()["upper"] - model.conf_int()["lower"]) / 2
    assert half.to_numpy() == pytest.approx(1.96 * COVARIANCE_ALLOWANCE * errors, rel=0.03)
    assert model.standard_errors().to_numpy() == pytest.approx(errors, rel=0.03)


def covers_often_enough(hits):
    """Coverage of a 95 % interval; falls below the mark with probability under 1e−9 if the truth is 94 %."""
    assert sum(hits) >= binom.ppf(1e-9, len(hits), 0.94)


@pytest.mark.statistical
def test_intervals_cover_and_intervals_that_forget_the_privacy_noise_do_not():
    rng = np.random.default_rng()
    X, y = classified(20_000)
    cell = {"domain": BINARY, "l2": 0.01}
    truth = PrivateLogisticRegression(privacy=1e6, **cell).fit(X, y).coef_[0, 1]
    honest, forgetful = [], []
    for _ in range(90):
        sample = rng.integers(0, len(y), 1500)
        model = PrivateLogisticRegression(privacy=ZCDP(0.004), inference=True, **cell).fit(X[sample], y[sample])
        error = abs(model.coef_[0, 1] - truth)
        ends = model.conf_int().iloc[1]
        honest.append(error <= (ends["upper"] - ends["lower"]) / 2)
        sampling = model.standard_errors().iloc[1] ** 2 - model._vectors[0].noise(model._directions())[1] ** 2
        forgetful.append(error <= 1.96 * math.sqrt(max(sampling, 0.0)))
    covers_often_enough(honest)
    with pytest.raises(AssertionError):
        covers_often_enough(forgetful)


@pytest.mark.statistical
def test_regression_intervals_cover_and_forgetful_ones_do_not():
    rng = np.random.default_rng()
    X = rng.uniform(-0.5, 0.5, (20_000, 3))
    y = np.clip(X[:, 0] + 0.2 * rng.standard_normal(len(X)), -1, 1)
    rows = np.column_stack([X, 0.5 * np.ones(len(X))]) / math.sqrt(1.25)
    exact = np.linalg.solve(rows.T @ rows / len(X) + 0.02 * np.eye(4), rows.T @ y / len(X))[1] / math.sqrt(1.25)
    honest, forgetful = [], []
    for _ in range(90):
        sample = rng.integers(0, len(y), 1500)
        model = PrivateRidge(privacy=ZCDP(0.05), inference=True, l2=0.02).fit(X[sample], y[sample])
        error = abs(model.coef_[1] - exact)
        ends = model.conf_int().iloc[1]
        honest.append(error <= (ends["upper"] - ends["lower"]) / 2)
        forgetful.append(error <= 1.96 * 0.2 / math.sqrt(1500 / 12))
    covers_often_enough(honest)
    with pytest.raises(AssertionError):
        covers_often_enough(forgetful)


MODELS = [
    PrivateLogisticRegression(inference=True, domain=BINARY, l2=0.01),
    PrivateLogisticRegression(inference=True, domain=BINARY, mechanism="output", privacy=ZCDP(0.3)),
    PrivateLinearSVC(inference=True, domain=BINARY, privacy=Approx(1.0, 1e-6)),
    PrivateLogisticRegression(inference=Split(0.6, 0.3, 0.1), domain=Domain(classes=(0, 1, 2))),
    PrivateRidge(inference=True, domain=Domain(target=(0.0, 2.0)), fit_intercept=False),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda m: f"{type(m).__name__}-{m.mechanism}-{m.privacy}")
def test_intervals_are_stored_nested_and_free(model, tmp_path):
    X, y = classified(800)
    model.fit(X, y)
    model.save(tmp_path / "model.json")
    loaded = tacit.load(tmp_path / "model.json")
    pd.testing.assert_frame_equal(loaded.conf_int(0.9), model.conf_int(0.9))
    pd.testing.assert_frame_equal(loaded.score_interval(X[:5]), model.score_interval(X[:5]))
    assert loaded.get_params()["inference"] == model.inference
    narrow, wide = model.conf_int(0.8), model.conf_int(0.99)
    uncertain = [name for name in wide.index if model.fit_intercept or name != "(intercept)"]
    assert (wide["lower"] < narrow["lower"])[uncertain].all()
    assert (wide["upper"] > narrow["upper"])[uncertain].all()
    shown = model.summary()
    assert "penalised coefficients" in str(shown)
    assert {"lower", "upper"} <= set(shown.to_frame().columns)
    assert "lower" in shown.to_html()


@pytest.mark.parametrize("model", MODELS, ids=lambda m: f"{type(m).__name__}-{m.mechanism}-{m.privacy}")
def test_the_releases_of_a_fit_add_up_to_at_most_the_budget(model):
    X, y = classified(800)
    charge = model.fit(X, y).certificate_.guarantee
    match model.privacy:
        case Approx() as asked:
            assert charge.to_approx(asked.delta).epsilon <= asked.epsilon
        case ZCDP(rho):
            assert charge.rho <= rho
        case epsilon:
            assert charge.epsilon <= Pure(epsilon).epsilon
    assert compose(charge) == charge


def test_scores_have_intervals_around_the_decision_and_around_the_prediction():
    X, y = classified(800)
    classifier = PrivateLogisticRegression(inference=True, domain=BINARY, l2=0.01).fit(X, y)
    middle = classifier.score_interval(X[:9]).mean(axis=1)
    assert middle.to_numpy() == pytest.approx(classifier.decision_function(X[:9]))
    ridge = PrivateRidge(inference=True, domain=Domain(target=(-3.0, 7.0))).fit(X, y)
    assert ridge.score_interval(X[:9]).mean(axis=1).to_numpy() == pytest.approx(ridge.predict(X[:9]))
    several = PrivateLogisticRegression(inference=True, domain=Domain(classes=(0, 1, 2))).fit(X, y)
    assert several.score_interval(X[:2])[1].shape == (2, 2)


def test_intervals_of_scores_keep_the_index_of_a_table():
    X, y = classified(800)
    model = PrivateLogisticRegression(inference=True, domain=BINARY).fit(X, y)
    table = pd.DataFrame(X[:3], index=["a", "b", "c"])
    assert list(model.score_interval(table).index) == ["a", "b", "c"]


def test_a_model_that_is_not_fitted_says_so():
    model = PrivateLogisticRegression(inference=True, domain=BINARY)
    for ask in (model.conf_int, model.standard_errors, model.summary):
        with pytest.raises(NotFittedError):
            ask()


def test_units_change_intervals_as_they_change_coefficients():
    X, y = classified(800)
    kwargs = {"inference": True, "random_state": 3}
    model = PrivateLogisticRegression(domain=BINARY, **kwargs).fit(X, y)
    cents = PrivateLogisticRegression(domain=Domain(radius=100.0, classes=(0, 1)), **kwargs).fit(100 * X, y)
    assert 100 * cents.conf_int().iloc[:3].to_numpy() == pytest.approx(model.conf_int().iloc[:3].to_numpy(), rel=1e-6)


def test_what_cannot_have_intervals_is_refused_before_rows_are_read():
    X, y = classified(50)
    hinge = PrivateLinearSVC(loss="hinge", inference=True, domain=BINARY)
    ball = PrivateLogisticRegression(radius=1.0, inference=True, domain=BINARY)
    functional = PrivateLogisticRegression(mechanism="functional", inference=True, domain=BINARY)
    wrong = PrivateLogisticRegression(inference="yes", domain=BINARY)
    for model, words in ((hinge, "huber"), (ball, "radius"), (functional, "no intervals"), (wrong, "inference must")):
        with pytest.raises(ParameterError, match=words):
            model.fit(X, y)
    with pytest.raises(ParameterError, match="inference=True"):
        PrivateLogisticRegression(domain=BINARY).fit(X, y).conf_int()
    with pytest.raises(ParameterError, match="level"):
        PrivateLogisticRegression(domain=BINARY, inference=True).fit(X, y).conf_int(95)
    with pytest.raises(ParameterError, match="at most 1"):
        Split(0.9, 0.2, 0.1)


def test_variability_intervals_are_sealed_and_contain_the_fits():
    X, y = classified(300)
    frame = variability_interval(PrivateLogisticRegression(domain=BINARY, privacy=50.0), X, y, replicates=30)
    assert frame.columns.name == "NOT PRIVATE"
    assert "NOT PRIVATE" in str(frame)
    assert frame.shape == (4, 2)
    assert frame["lower"].iloc[0] < frame["upper"].iloc[0]
