"""The coefficient table: names, units, and no more digits than the noise allows."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimators_support import people, schema
from tacit import Approx, PrivateLogisticRegression, PrivateRidge
from tacit.inference.summary import Summary, rounded_to


@pytest.mark.parametrize(
    ("value", "uncertainty", "shown"),
    [
        (1.23456, 0.01, "1.235"),
        (1.23456, 0.5, "1.23"),
        (-0.004, 0.02, "-0.004"),
        (123456.0, 3000.0, "123,500"),
        (123456.0, 12.0, "123,456"),
        (123456.0, 120.0, "123,460"),
        (0.0, 1e-9, "0.0000000000"),
        (1.0, 0.0, "1"),
        (float("nan"), 1.0, "nan"),
        (2.0, float("inf"), "2"),
        (1 / 3, 1e-15, "0.333333"),
    ],
)
def test_digits(value: float, uncertainty: float, shown: str) -> None:
    assert rounded_to(value, uncertainty) == shown


@given(value=st.floats(-1e9, 1e9), uncertainty=st.floats(1e-10, 1e9))
def test_shown_within_a_tenth_of_the_noise(value: float, uncertainty: float) -> None:
    """Rounding costs less than a twentieth of the uncertainty, and shows at most two of its digits."""
    shown = rounded_to(value, uncertainty)
    assert abs(float(shown.replace(",", "")) - value) <= 0.051 * uncertainty + 1e-6 * uncertainty
    decimals = len(shown.partition(".")[2])
    assert 10.0**-decimals >= 0.009 * uncertainty or decimals == 0


def table(noise: str = "privacy noise", sizes: tuple[float, float] = (0.02, 3.0), name: str = "age") -> Summary:
    columns = {"coefficient": [0.123456, -12.3456], noise: sizes}
    return Summary("A <model>", pd.DataFrame(columns, index=[name, "(intercept)"]), ("ε = 1 for R&D",))


def test_text() -> None:
    lines = str(table()).splitlines()
    assert lines[0] == "A <model>"
    assert lines[3].split() == ["age", "0.123", "±0.020"]
    assert lines[4].split() == ["(intercept)", "-12.3", "±3.0"]
    assert lines[-1] == "ε = 1 for R&D"
    assert len({len(line) for line in lines[2:5]}) == 1


def test_a_bound_is_called_one_and_takes_no_digits_away() -> None:
    text = str(table("privacy noise ≤", (5.0, 30.0)))
    assert text.splitlines()[3].split()[1] == "0.12"
    assert str(table(sizes=(5.0, 30.0))).splitlines()[3].split()[1] == "0.1"


def test_frame_keeps_all_digits() -> None:
    frame = table().to_frame()
    assert list(frame.index) == ["age", "(intercept)"]
    assert frame.loc["age", "coefficient"] == 0.123456


def test_html_is_escaped() -> None:
    page = table(name="<b>").to_html()
    assert "A &lt;model&gt;" in page
    assert "&lt;b&gt;" in page
    assert "R&amp;D" in page


def test_an_infinite_interval_is_shown_in_words() -> None:
    columns = {"coefficient": [0.5, 2.0], "standard error": [0.1, 9.0], "of which privacy": [0.05, 8.0]}
    columns |= {"lower": [0.3, -np.inf], "upper": [0.7, np.inf], "odds ratio": [1.6487, 7.4], "z": [5.0, 0.2]}
    frame = pd.DataFrame(columns | {"p": [5.7e-7, 1.0]}, index=["a", "b"])
    lines = str(Summary("T", frame, (), level=0.9)).splitlines()
    assert "90 % lower" in lines[2]
    assert lines[3].split() == ["a", "0.50", "0.10", "0.050", "0.30", "0.70", "1.65", "5.00", "<0.0001"]
    assert lines[4].split() == ["b", "not", "determined", *["—"] * 7]


def test_of_a_model() -> None:
    """One line a coefficient and class, in the user's names; noise is that of the mechanism in the user's units."""
    ridge = PrivateRidge(privacy=Approx(1.0, 1e-6), domain=schema("real")).fit(people(target="real"))
    frame = ridge.summary().to_frame()
    assert list(frame.index)[-1] == "(intercept)"
    assert np.array_equal(frame["coefficient"], [*ridge.coef_, ridge.intercept_])
    assert np.all(frame["privacy noise"] > 0)
    assert "one person" in str(ridge.summary())
    classes = PrivateLogisticRegression(domain=schema("classes")).fit(people(target="classes"))
    names = list(classes.summary().to_frame().index)
    assert len(names) == 3 * (len(classes.coef_[0]) + 1)
    assert names[0].startswith("no: ")


@pytest.mark.statistical
def test_noise_is_the_size_of_the_noise() -> None:
    """Output perturbation of rows without signal: released coefficients have the stated standard deviation."""
    X, y = np.zeros((50, 400)), np.zeros(50)
    model = PrivateRidge(privacy=Approx(1.0, 1e-6), mechanism="output", radius=1.0).fit(X, y)
    ratio = model.coef_ / model.summary().to_frame()["privacy noise"].to_numpy()[:-1]
    check_unit_deviation(ratio)
    with pytest.raises(AssertionError):
        check_unit_deviation(ratio * 2)


def check_unit_deviation(ratio: np.ndarray) -> None:
    """Mean square of 400 standard normals: 1 ± 0.45 is 6.3 standard deviations."""
    assert abs(np.mean(ratio**2) - 1) < 0.45
