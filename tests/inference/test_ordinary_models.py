"""Logistic models with intervals for ordinary coefficients, as a user runs them: tables, contrasts, tests, files."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy.special import expit

import tacit
from tacit import ZCDP, Approx, PrivateLogisticRegression, PrivateRidge, Pure, Schema
from tacit.errors import ParameterError

N = 20_000
RICH = ZCDP(1000.0)  # hardly any noise: what is left is the sample


def schema(**region):
    features = {
        "age": {"type": "number", "min": 20, "max": 80},
        "smokes": {"type": "flag"},
        "region": {"type": "category", "values": ["north", "south", "west"]} | region,
    }
    target = {"name": "ill", "type": "binary", "positive": 1, "negative": 0}
    return Schema.from_dict({"name": "survey", "rows": N, "features": features, "target": target})


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({"age": rng.uniform(20, 80, N), "smokes": rng.integers(0, 2, N)})
    frame["region"] = rng.choice(["north", "south", "west"], N, p=[0.5, 0.3, 0.2])
    south, west = frame["region"] == "south", frame["region"] == "west"
    score = -3 + 0.04 * frame["age"] + 0.8 * frame["smokes"] - 0.5 * south + 0.3 * west
    return frame.assign(ill=(rng.random(N) < expit(score)).astype(int))


@pytest.fixture(scope="module")
def plain(people):
    """What statsmodels says, with robust errors."""
    levels = pd.get_dummies(people["region"], dtype=float)[["south", "west"]]
    design = sm.add_constant(pd.concat([people[["age", "smokes"]], levels], axis=1))
    return sm.Logit(people["ill"], design).fit(disp=0, cov_type="HC0")


@pytest.fixture(scope="module")
def model(people):
    return PrivateLogisticRegression(privacy=RICH, domain=schema(), inference=True).fit(people)


NAMES = ["age", "smokes", "region=south", "region=west", "(intercept)"]
ORDER = ["age", "smokes", "south", "west", "const"]


def test_with_little_noise_the_table_is_that_of_statsmodels(model, plain):
    shown = model.summary().to_frame()
    assert list(shown.index) == NAMES
    errors = plain.bse[ORDER].to_numpy()
    assert np.all(np.abs(shown["coefficient"] - plain.params[ORDER].to_numpy()) < 0.1 * errors)
    assert shown["standard error"].to_numpy() == pytest.approx(errors, rel=0.08)
    assert shown["z"].to_numpy() == pytest.approx(plain.tvalues[ORDER].to_numpy(), rel=0.1, abs=0.3)
    assert np.all(shown["of which privacy"] < 0.3 * shown["standard error"])
    assert shown["odds ratio"].to_numpy() == pytest.approx(np.exp(shown["coefficient"].to_numpy()))


def test_the_summary_says_in_words_what_it_covers(model):
    text = str(model.summary(0.9))
    assert "ordinary coefficients of the population, without a penalty" in text
    assert "levels are compared with region=north" in text
    assert "90 % lower" in text
    assert "logistic loss" in text


def test_an_explicit_l2_covers_penalised_coefficients_and_says_so(people):
    model = PrivateLogisticRegression(privacy=RICH, domain=schema(), inference=True, l2=0.01).fit(people)
    assert "the penalised coefficients (l2 = 0.01)" in str(model.summary())


def test_another_baseline_is_a_contrast_and_costs_nothing(model, people):
    other = PrivateLogisticRegression(privacy=RICH, domain=schema(baseline="west"), inference=True).fit(people)
    assert "region=west" not in other.conf_int().index
    assert other.coef_.shape == model.coef_.shape == (1, 5)
    contrast = model.contrast({"region=south": 1, "region=west": -1})
    direct = other.summary().to_frame().loc["region=south"]
    assert contrast["coefficient"].item() == pytest.approx(direct["coefficient"], abs=0.2 * direct["standard error"])
    assert contrast["standard error"].item() == pytest.approx(direct["standard error"], rel=0.15)
    against_baseline = model.contrast({"region=south": 1, "region=north": -1})
    assert against_baseline["coefficient"].item() == pytest.approx(model.coef_[0][3])


def test_contrasts_add_up(model):
    frame = model.summary().to_frame()
    ten_years = model.contrast({"age": 10.0, "smokes": -1.0})
    expected = 10 * frame.loc["age", "coefficient"] - frame.loc["smokes", "coefficient"]
    assert ten_years["coefficient"].item() == pytest.approx(expected)
    assert ten_years["lower"].item() < expected < ten_years["upper"].item()
    with pytest.raises(ParameterError, match="hours"):
        model.contrast({"hours": 1})


def test_levels_are_tested_together_as_statsmodels_does(model, plain):
    test = model.wald_test(["region=south", "region=west"])
    theirs = plain.wald_test("south = 0, west = 0", scalar=True)
    assert test.degrees == 2
    assert test.statistic == pytest.approx(float(theirs.statistic), rel=0.2)
    assert test.p_value < 1e-6


def test_probabilities_of_rows_have_intervals_around_the_predicted_ones(model, people):
    rows = people.iloc[:50]
    found, predicted = model.probability_interval(rows), model.predict_proba(rows)[:, 1]
    assert np.all((found["lower"] < predicted) & (predicted < found["upper"]))
    assert np.all((found["lower"] > 0) & (found["upper"] < 1))
    odds = model.odds_ratios()
    assert np.all((odds["lower"] < odds["odds ratio"]) & (odds["odds ratio"] < odds["upper"]))
    assert odds.loc["age", "odds ratio"] == pytest.approx(np.exp(model.coef_[0][0]))


def test_corrected_p_values_are_larger_and_shown(model):
    single, several = model.p_values(), model.p_values("holm")
    assert np.all(several >= single)
    assert model.summary(correction="holm").to_frame()["p"].to_numpy() == pytest.approx(several.to_numpy())


def test_a_saved_model_keeps_its_intervals(model, people, tmp_path):
    model.save(tmp_path / "model.json")
    loaded = tacit.load(tmp_path / "model.json")
    pd.testing.assert_frame_equal(loaded.summary(0.9).to_frame(), model.summary(0.9).to_frame())
    pd.testing.assert_frame_equal(loaded.score_interval(people[:3]), model.score_interval(people[:3]))


def test_what_a_small_budget_cannot_determine_is_said_with_a_remedy(people):
    model = PrivateLogisticRegression(privacy=Pure(0.01), domain=schema(), inference=True).fit(people)
    assert np.isinf(model.conf_int().to_numpy()).all()
    text = str(model.summary())
    assert "not determined" in text
    assert "larger budget" in text or "raise the budget" in text
    assert np.all(model.p_values() == 1.0)
    assert np.isnan(model.wald_test(["age"]).statistic)
    assert "can determine a column" in str(model.certificate_)


def test_a_plan_is_told_before_anything_is_spent(people):
    told = PrivateLogisticRegression(privacy=ZCDP(0.5), domain=schema(), inference=True).preview(people)
    assert "ρ = 0.5" in told
    assert "spread given the others" in told


@pytest.mark.parametrize("budget", [ZCDP(0.5), Approx(1.0, 1e-6), Pure(1.0)])
def test_a_fit_costs_no_more_than_was_asked(budget, people):
    model = PrivateLogisticRegression(privacy=budget, domain=schema(), inference=True).fit(people)
    match budget, model.certificate_.guarantee:
        case Approx(epsilon, delta), paid:
            assert paid.to_approx(delta).epsilon <= epsilon
        case asked, paid:
            assert paid.amount <= asked.amount


def test_without_intervals_the_noise_is_a_guess_and_called_one(people):
    model = PrivateLogisticRegression(privacy=1.0, domain=schema()).fit(people)
    summary = model.summary()
    assert "privacy noise ≈" in summary.to_frame().columns
    assert "guess from public facts" in str(summary)
    assert "no log odds ratios" in str(summary)
    plain = PrivateLogisticRegression(privacy=1.0, domain=schema(), loss="logistic").fit(people)
    assert "no log odds ratios" not in str(plain.summary())


@pytest.mark.statistical
@pytest.mark.parametrize("centre", [True, False])
def test_the_guess_is_the_size_of_the_noise(centre):
    """On a table whose columns are as wide as the guess supposes: within a factor of four, where a bound is far off."""
    rng = np.random.default_rng(8)
    frame = pd.DataFrame({"age": rng.normal(50, 7.5, N), "smokes": (rng.random(N) < 1 / 3).astype(int)})
    frame["region"] = rng.choice(["north", "south", "west"], N)
    frame["ill"] = (rng.random(N) < expit(-3 + 0.04 * frame["age"])).astype(int)
    model = PrivateLogisticRegression(privacy=1.0, domain=schema(), centre=centre)
    guess = model.fit(frame).summary().to_frame()["privacy noise ≈"]
    spread = np.std([model.fit(frame).coef_[0] for _ in range(40)], axis=0)
    for name, place in (("age", 0), ("smokes", 1)):
        assert 0.25 < guess[name] / spread[place] < 4
    bound = np.sqrt(model._directions() ** 2 @ model._vectors[0].deviation ** 2)
    assert bound[0] / spread[0] > 4


def test_levels_of_a_regression_are_compared_with_a_baseline(people):
    declared = schema().to_dict() | {"target": {"name": "age", "type": "real", "min": 20, "max": 80}}
    declared["features"] = {name: declared["features"][name] for name in ("smokes", "region")}
    model = PrivateRidge(privacy=ZCDP(50.0), domain=Schema.from_dict(declared), inference=True).fit(people)
    shown = model.summary()
    assert list(shown.to_frame().index) == ["smokes", "region=south", "region=west", "(intercept)"]
    assert "homoskedastic error" in shown.to_frame().columns
    assert "robust" in str(shown)
