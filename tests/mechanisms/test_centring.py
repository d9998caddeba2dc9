"""A paid look at the columns: what one row moves, what is attained, and that nothing but the release decides."""

import math
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mechanisms_support import profile, without_noise
from tacit.domain import REGRESSION, Binary, Category, Flag, Number, Real, Schema, placed_encoding
from tacit.errors import ParameterError
from tacit.mechanisms.centring import CLASSIFICATION_CENTRING, REGRESSION_CENTRING, Centring, ColumnSummary
from tacit.noise import RecordedEntropy, SystemEntropy
from tacit.privacy import ZCDP, Approx, Pure, compose
from tacit.rows import open_rows

pytestmark = pytest.mark.proof("centre-release")

BUDGETS = [Pure(1.0), ZCDP(0.5), Approx(1.0, 1e-6)]
SCHEMA = Schema(
    {
        "age": Number(20, 80),
        "gain": Number(-3, 100, reference=0),
        "member": Flag(),
        "region": Category(("n", "s", "w"), other=True),
        "code": Category((1, 2)),
    },
    Real(0, 10),
)
CELLS = st.sampled_from([math.nan, math.inf, -math.inf, 0.0, 35.0, 50.0, 80.0, 20.0, 1e300, -3.0, 49.9])
ROWS = st.tuples(
    CELLS, CELLS, st.sampled_from([0, 1, 7, math.nan]), st.sampled_from("nswx?"), st.sampled_from([1, 2, 3]), CELLS
)


def table(cells, schema=SCHEMA):
    cells = list(cells)
    columns = [np.array([row[k] for row in cells], dtype=object) for k in range(len(schema.features))]
    frame = dict(zip(schema.features, columns, strict=True))
    import pandas as pd

    return open_rows(pd.DataFrame(frame), np.array([row[-1] for row in cells]), schema, REGRESSION)


def check_moved(release, tables, declared):
    first, second = (without_noise(release, "law", rows) for rows in tables)
    assert np.linalg.norm(first - second, 1 if release.sensitivity.norm == "l1" else 2) <= declared


@pytest.mark.parametrize("budget", BUDGETS, ids=lambda b: type(b).__name__)
@settings(max_examples=40, deadline=None)
@given(rows=st.lists(ROWS, min_size=1, max_size=4), other=ROWS, weight=st.sampled_from([0, 3]), place=st.integers(0, 3))
def test_one_replaced_row_moves_the_vector_by_at_most_its_sensitivity(budget, rows, other, weight, place):
    replaced = list(rows)
    replaced[place % len(rows)] = other
    first, second = table(rows), table(replaced)
    release = ColumnSummary(SCHEMA, first.n, budget, weight)
    check_moved(release, (first, second), release.sensitivity.total)
    counts = []
    for data in (first, second):
        entropy = RecordedEntropy(SystemEntropy())
        release(data, entropy)
        counts.append(entropy.count)
    assert counts[0] == counts[1] > 0


ONE = Schema({"x": Number(-1, 1)}, Real(-1, 1))


def check_number(budget, cells, bound):
    """One number, one row: what the pair moves is exactly the bound."""
    tables = tuple(table([(cell, 0.0)], ONE) for cell in cells)
    release = ColumnSummary(ONE, 1, budget)
    moved = np.linalg.norm(
        without_noise(release, "law", tables[0]) - without_noise(release, "law", tables[1]),
        1 if release.sensitivity.norm == "l1" else 2,
    )
    assert moved <= release.sensitivity.total
    assert moved <= bound * (1 + 1e-12), "the pair moves more than the bound"
    assert moved >= bound * (1 - 1e-12), "the bound is not attained"
    assert moved / release.law.scale <= (budget.epsilon if isinstance(budget, Pure) else math.sqrt(2 * budget.rho))


def test_a_row_at_one_against_minus_a_half_attains_nine_quarters_and_two_is_not_enough():
    check_number(Pure(1.0), (1.0, -0.5), 2.25)
    check_number(ZCDP(0.5), (1.0, -1.0), 2.0)
    with pytest.raises(AssertionError, match="more than the bound"):
        check_number(Pure(1.0), (1.0, -0.5), 2.0)
    with pytest.raises(AssertionError, match="not attained"):
        check_number(Pure(1.0), (1.0, -1.0), 2.25)


@pytest.mark.parametrize(("budget", "sensitivity"), [(Pure(1.0), 9 / 4 * 2 + 1 + 2 * 2), (ZCDP(1.0), math.sqrt(13))])
def test_sensitivities_add_up_over_columns(budget, sensitivity):
    assert ColumnSummary(SCHEMA, 1000, budget).sensitivity.total == pytest.approx(sensitivity, rel=1e-9)
    with_target = ColumnSummary(SCHEMA, 1000, budget, 3).sensitivity.total
    expected = sensitivity + 27 / 4 if isinstance(budget, Pure) else math.sqrt(13 + 4 * (27 / 16) ** 2)
    assert with_target == pytest.approx(expected, rel=1e-9)


# nothing but the release decides


@dataclass(frozen=True)
class FixedLaw:
    """Stands in for the noise: whatever the rows are, this comes out."""

    noisy: tuple[float, ...]
    scale: float = 1.0

    def add(self, values, entropy):
        return np.array(self.noisy)

    def deviation(self, width):
        return 1.0


class ExactCentre(ColumnSummary):
    """Mutant: the centre is read from the rows."""

    def __call__(self, rows, entropy):
        return self.read(self.total(rows))


class ExactMode(ColumnSummary):
    """Mutant: the most frequent level is taken from exact counts."""

    def __call__(self, rows, entropy):
        noisy, exact = super().__call__(rows, entropy), self.read(self.total(rows))
        return type(noisy)(noisy.means, noisy.squares, exact.shares, noisy.target)


def check_only_the_release_decides(kind):
    rng = np.random.default_rng(0)
    release = kind(SCHEMA, 4, Pure(1.0), 3)
    release.__dict__["law"] = FixedLaw(tuple(rng.normal(size=release.size)))
    tables = (
        table([(20.0, 0.0, 0, "n", 1, 1.0)] * 4),
        table([(20.0, 0.0, 0, "n", 1, 1.0)] * 2 + [(70.0, 99.0, 1, "w", 2, 9.0)] * 2),
        table([(80.0, 50.0, 1, "s", 2, 9.0)] * 4),
    )
    first, *others = [REGRESSION_CENTRING.geometry(release, release(rows, SystemEntropy())) for rows in tables]
    assert all(other == first for other in others)


@pytest.mark.proof("released-encoding")
def test_tables_with_the_same_release_get_the_same_geometry():
    check_only_the_release_decides(ColumnSummary)
    for mutant in (ExactCentre, ExactMode):
        with pytest.raises(AssertionError):
            check_only_the_release_decides(mutant)


# the recipe


def released(rows, schema, recipe, charge):
    release = ColumnSummary(schema, rows.n, charge, recipe.target_weight)
    return recipe.geometry(release, release(rows, SystemEntropy()))


def test_with_little_noise_rows_come_to_lie_around_their_centre_in_units_of_their_spread():
    rng = np.random.default_rng(1)
    n = 4000
    cells = zip(
        np.clip(rng.normal(35, 4, n), 20, 80),
        np.full(n, 3.0),
        rng.random(n) < 0.9,
        rng.choice(list("nsw"), n, p=[0.1, 0.7, 0.2]),
        rng.choice([1, 2], n, p=[0.4, 0.6]),
        rng.normal(7, 0.5, n),
        strict=True,
    )
    rows = table(cells)
    geometry = released(rows, SCHEMA, REGRESSION_CENTRING, Pure(1e5))
    assert geometry.centres == pytest.approx((-0.5, 0.03, 0.4), abs=0.02)
    assert geometry.scales == pytest.approx((0.5 / (4 / 30), 8.0, 1.0), rel=0.1)
    assert geometry.zero_levels == (1, 1)
    assert geometry.target == pytest.approx((0.4, 1 / (2.5 * 0.1)), rel=0.1)
    encoding = placed_encoding(SCHEMA, geometry)
    sums = rows.re_encoded(encoding).total(lambda X, y: (X.sum(axis=0), np.sum(X**2, axis=0)))
    np.testing.assert_allclose(sums[0][:3] / n, 0.0, atol=0.02)
    assert math.sqrt(sums[1][:-1].sum() / n) <= 1.05 * encoding.constant / geometry.constant


@pytest.mark.parametrize("recipe", [CLASSIFICATION_CENTRING, REGRESSION_CENTRING])
@pytest.mark.parametrize("charge", BUDGETS)
def test_any_release_gives_a_geometry_with_certified_norms(recipe, charge):
    rows = table([(35.0, 1.0, 1, "n", 2, 5.0)] * 3)
    for _ in range(20):
        geometry = released(rows, SCHEMA, recipe, charge)  # so few rows that the release is all noise
        assert placed_encoding(SCHEMA, geometry).norms.l2 <= 1
        assert (geometry.l1_radius is None) == (not isinstance(charge, Pure))


def test_the_switch_is_decided_by_public_facts():
    schema = Schema({f"x{j}": Number(0, 1) for j in range(4)}, Binary(1, 0))
    blur = math.sqrt(2) * 9 / 0.1  # times 1/n at ε = 1, of which a tenth is spent
    on, off = math.ceil(blur / 0.15) + 1, math.floor(blur / 0.15) - 1
    shares = CLASSIFICATION_CENTRING.shares(Pure(1.0))
    assert CLASSIFICATION_CENTRING.look(schema, on, shares) is not None
    assert CLASSIFICATION_CENTRING.look(schema, off, shares) is None
    assert Centring(largest_blur=1.0).look(schema, off, shares) is not None


def test_shares_never_exceed_the_budget_and_nonsense_is_refused():
    for budget in BUDGETS[:2]:
        shares = REGRESSION_CENTRING.shares(budget, gaussian=True)
        assert shares.look.amount + shares.rest.amount <= budget.amount
        assert shares.look.amount / budget.amount == pytest.approx(0.12 if isinstance(budget, Pure) else 0.06)
        assert shares.whole == budget
    for wrong in ({"pure_share": 1.0}, {"edge": 0.0}, {"largest_blur": -1.0}, {"least_radius": -0.1}):
        with pytest.raises(ParameterError, match="Centring"):
            Centring(**wrong)


@pytest.mark.proof("gaussian-composition")
def test_an_epsilon_delta_budget_is_shared_as_a_strength_only_where_all_noise_is_gaussian():
    budget = Approx(1.0, 1e-6)
    exact, through_zcdp = (REGRESSION_CENTRING.shares(budget, gaussian=gaussian) for gaussian in (True, False))
    assert exact.whole == through_zcdp.whole == budget
    assert (exact.composed_by, through_zcdp.composed_by) == ("gaussian-composition", "composition")
    strength = math.sqrt(2 * (exact.look.amount + exact.rest.amount))
    assert profile(1.0, strength) <= 1e-6 * (1 + 1e-9)
    assert profile(1.0, 1.001 * strength) > 1e-6
    assert compose(through_zcdp.look, through_zcdp.rest).to_approx(1e-6).epsilon <= 1.0
    assert exact.rest.amount > 1.05 * through_zcdp.rest.amount
