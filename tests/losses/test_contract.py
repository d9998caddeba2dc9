"""One list of losses, one list of properties."""

import math
from collections.abc import Callable

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import approx_fprime, minimize

from tacit.arithmetic import UNIT_ROUNDOFF
from tacit.errors import ParameterError
from tacit.losses import CappedLogistic, Hinge, HuberHinge, Logistic, Loss, LossConstants, Squared
from tacit.losses.huber import Huber
from tacit.losses.poisson import Poisson

SMOOTH: list[Loss] = [
    Logistic(),
    CappedLogistic(),
    Squared(),
    Squared(target_bound=3.5),
    HuberHinge(),
    HuberHinge(width=1e-9),
    HuberHinge(width=3.0),
    Huber(),
    Huber(threshold=0.65),
    Huber(threshold=4.5),
    Poisson(),
    Poisson(start=0.05, bend=0.25),
    Poisson(start=0.3, bend=0.3),
]
EVERY: list[Loss] = [*SMOOTH, Hinge()]
BOUNDS = [0.0, 0.25, 1.0, 7.0, 40.0]


def exact_value(loss: Loss, s: mpmath.mpf, y: float) -> mpmath.mpf:
    z = s * y
    match loss:
        case Logistic():
            return mpmath.log1p(mpmath.exp(-z))
        case CappedLogistic():
            return mpmath.log1p(mpmath.exp(-z)) if z >= 0 else mpmath.log(2) - z / 2
        case Squared():
            return (y - s) ** 2 / 2
        case Hinge():
            return max(mpmath.mpf(0), 1 - z)
        case Huber(threshold=h):
            r = abs(s - y)
            return r * r / 2 if r <= h else mpmath.mpf(h) * (r - mpmath.mpf(h) / 2)
        case Poisson():
            t = (1 + mpmath.mpf(y)) / 2
            return poisson_integral(loss, s) - t * s - poisson_least(loss, t)
        case HuberHinge(width=h):
            return 1 - z if z < 1 - h else (mpmath.mpf(0) if z > 1 + h else (1 + mpmath.mpf(h) - z) ** 2 / (4 * h))
    raise AssertionError(loss)


def exact_slope(loss: Loss, s: mpmath.mpf, y: float) -> mpmath.mpf:
    z = s * y
    match loss:
        case Logistic():
            return -y / (1 + mpmath.exp(z))
        case CappedLogistic():
            return -y / (1 + mpmath.exp(max(z, mpmath.mpf(0))))
        case Squared():
            return s - y
        case Hinge():
            return mpmath.mpf(-y if z < 1 else 0)
        case Huber(threshold=h):
            return max(-mpmath.mpf(h), min(mpmath.mpf(h), s - y))
        case Poisson(start=start, bend=bend):
            bent = mpmath.log(mpmath.mpf(bend) / start)
            mean = start * mpmath.exp(s) if s <= bent else min(mpmath.mpf(1), bend * (1 + s - bent))
            return mean - (1 + mpmath.mpf(y)) / 2
        case HuberHinge(width=h):
            return -y * min(mpmath.mpf(1), max(mpmath.mpf(0), (1 + mpmath.mpf(h) - z) / (2 * mpmath.mpf(h))))
    raise AssertionError(loss)


def poisson_integral(loss: Poisson, s: mpmath.mpf) -> mpmath.mpf:
    """∫m from −∞ to s, piece by piece."""
    start, bend = mpmath.mpf(loss.start), mpmath.mpf(loss.bend)
    bent = mpmath.log(bend / start)
    line = max(mpmath.mpf(0), min(s, bent + 1 / bend - 1) - bent)
    beyond = max(mpmath.mpf(0), s - (bent + 1 / bend - 1))
    return start * mpmath.exp(min(s, bent)) + bend * line + bend * line**2 / 2 + beyond


def poisson_least(loss: Poisson, t: mpmath.mpf) -> mpmath.mpf:
    """min over s of ∫m − ts, at the score whose mean is t."""
    start, bend = mpmath.mpf(loss.start), mpmath.mpf(loss.bend)
    if t == 0:
        return mpmath.mpf(0)
    at = mpmath.log(t / start) if t <= bend else mpmath.log(bend / start) + t / bend - 1
    return poisson_integral(loss, at) - t * at


def targets(loss: Loss) -> list[float]:
    return [-1.0, 1.0] if loss.labels else [-loss.target_bound, 0.0, 0.3, loss.target_bound]


def score_grid(loss: Loss, bound: float) -> np.ndarray:
    corners = [0.0, bound]
    if isinstance(loss, HuberHinge):
        corners += [abs(1.0 - loss.width), 1.0, 1.0 + loss.width]
    if isinstance(loss, Poisson):
        bent = math.log(loss.bend / loss.start)
        corners += [bent, bent * (1 - 1e-9), bent + 1 / loss.bend - 1]
    near = [np.nextafter(c, v) for c in corners for v in (-np.inf, np.inf)]
    grid = np.concatenate([np.linspace(-bound, bound, 1001), corners, near, np.negative(corners)])
    return grid[np.abs(grid) <= bound]


@pytest.mark.parametrize("loss", EVERY, ids=repr)
def test_values_and_slopes_agree_with_long_arithmetic(loss: Loss) -> None:
    with mpmath.workdps(60):
        for y in targets(loss):
            for s in score_grid(loss, 30.0)[::7]:
                score, target = np.array([s]), np.array([y])
                v, g = exact_value(loss, mpmath.mpf(s), y), exact_slope(loss, mpmath.mpf(s), y)
                assert abs(loss.value(score, target)[0] - v) <= 1e-14 * (1 + abs(v))
                assert abs(loss.slope(score, target)[0] - g) <= 1e-14 * (1 + abs(g))


def check_rounding(loss: Loss, bound: float, constants: LossConstants) -> None:
    scores = score_grid(loss, bound)
    scores = np.concatenate([scores[:: max(1, len(scores) // 150)], scores[-12:]])
    with mpmath.workdps(60):
        for y in targets(loss):
            target = np.full_like(scores, y)
            slopes, values = loss.slope(scores, target), loss.value(scores, target)
            for s, slope, value in zip(scores, slopes, values, strict=True):
                score = mpmath.mpf(float(s))
                slope_error = abs(mpmath.mpf(float(slope)) - exact_slope(loss, score, y))
                value_error = abs(mpmath.mpf(float(value)) - exact_value(loss, score, y))
                assert slope_error <= constants.slope_rounding * UNIT_ROUNDOFF
                assert value_error <= constants.value_rounding * UNIT_ROUNDOFF


@pytest.mark.proof("loss-constants")
@pytest.mark.parametrize("bound", [0.5, 2.5, 40.0])
@pytest.mark.parametrize("loss", EVERY, ids=repr)
def test_evaluation_error_is_within_its_bound(loss: Loss, bound: float) -> None:
    check_rounding(loss, bound, loss.constants(bound))


@pytest.mark.parametrize("loss", [Logistic(), Squared()], ids=repr)
def test_a_loss_that_claims_exact_arithmetic_is_caught(loss: Loss) -> None:
    c = loss.constants(2.5)
    with pytest.raises(AssertionError):
        check_rounding(loss, 2.5, LossConstants(c.value, c.slope, c.curvature, 0.0, 0.0))


def check_constants_hold(loss: Loss, bound: float, constants: LossConstants) -> None:
    for y in targets(loss):
        scores = score_grid(loss, bound)
        target = np.full_like(scores, y)
        assert np.max(np.abs(loss.value(scores, target))) <= constants.value
        assert np.max(np.abs(loss.slope(scores, target))) <= constants.slope
        if loss.smooth:
            assert np.max(loss.curvature(scores, target)) <= constants.curvature


@pytest.mark.proof("loss-constants")
@pytest.mark.proof("huber-constants")
@pytest.mark.proof("poisson-constants")
@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize("loss", EVERY, ids=repr)
def test_constants_hold_on_the_domain(loss: Loss, bound: float) -> None:
    check_constants_hold(loss, bound, loss.constants(bound))


SHRINK: dict[str, Callable[[LossConstants], LossConstants]] = {
    "value": lambda c: LossConstants(c.value * 0.99, c.slope, c.curvature, c.value_rounding, c.slope_rounding),
    "slope": lambda c: LossConstants(c.value, c.slope * 0.99, c.curvature, c.value_rounding, c.slope_rounding),
    "curvature": lambda c: LossConstants(c.value, c.slope, c.curvature * 0.99, c.value_rounding, c.slope_rounding),
}


@pytest.mark.parametrize("field", SHRINK)
@pytest.mark.parametrize("loss", SMOOTH, ids=repr)
def test_constants_one_percent_too_small_are_caught(loss: Loss, field: str) -> None:
    with pytest.raises(AssertionError):
        check_constants_hold(loss, 7.0, SHRINK[field](loss.constants(7.0)))


@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize("loss", EVERY, ids=repr)
def test_constants_are_attained(loss: Loss, bound: float) -> None:
    c = loss.constants(bound)
    scores = score_grid(loss, bound)
    at = [(scores, np.full_like(scores, y)) for y in targets(loss)]
    assert max(np.max(loss.value(*a)) for a in at) >= c.value * (1 - 1e-6)
    assert max(np.max(np.abs(loss.slope(*a))) for a in at) >= c.slope * (1 - 1e-6)
    if loss.smooth:
        assert max(np.max(loss.curvature(*a)) for a in at) >= c.curvature * (1 - 1e-6)


@pytest.mark.parametrize("loss", EVERY, ids=repr)
def test_no_bound_on_the_score_is_the_limit_of_large_bounds(loss: Loss) -> None:
    free, large = loss.constants(None), loss.constants(1e3)
    assert free.slope >= large.slope
    assert free.curvature == large.curvature
    assert free.value == math.inf


@pytest.mark.parametrize("loss", SMOOTH, ids=repr)
def test_slope_is_the_derivative_of_value(loss: Loss) -> None:
    for y in targets(loss):
        for s in (-3.1, -0.4, 0.2, 0.73, 2.6, 5.0):

            def f(t: np.ndarray, y: float = y) -> float:
                return float(loss.value(t, np.array([y]))[0])

            expected = approx_fprime(np.array([s]), f, 1e-7)[0]
            assert loss.slope(np.array([s]), np.array([y]))[0] == pytest.approx(expected, abs=3e-6)


@pytest.mark.parametrize("loss", SMOOTH, ids=repr)
def test_curvature_is_the_derivative_of_slope(loss: Loss) -> None:
    step = 1e-4 * loss.width if isinstance(loss, HuberHinge) else 1e-7
    places = [-3.1, -0.4, 0.2, 5.0]
    if isinstance(loss, HuberHinge):
        places += [1.0 - 0.5 * loss.width, 1.0 + 0.5 * loss.width]
    for y in targets(loss):
        for s in (sign * p for p in places for sign in (1, -1)):
            up, down, at = np.array([s + step]), np.array([s - step]), np.array([y])
            expected = (loss.slope(up, at) - loss.slope(down, at)) / (up - down)
            assert loss.curvature(np.array([s]), at)[0] == pytest.approx(expected[0], rel=1e-5, abs=1e-7)


@pytest.mark.parametrize("loss", EVERY, ids=repr)
@given(
    a=st.floats(-1e3, 1e3),
    b=st.floats(-1e3, 1e3),
    sign=st.sampled_from([-1.0, 1.0]),
)
def test_losses_are_convex(loss: Loss, a: float, b: float, sign: float) -> None:
    y = np.array([sign])
    left, right, middle = (loss.value(np.array([s]), y)[0] for s in (a, b, 0.5 * (a + b)))
    assert middle <= 0.5 * (left + right) + 1e-12 * (1 + left + right)
    if a <= b:
        assert loss.slope(np.array([a]), y)[0] <= loss.slope(np.array([b]), y)[0]


@pytest.mark.parametrize("loss", EVERY, ids=repr)
def test_any_finite_score_is_evaluated_without_a_floating_point_event(loss: Loss) -> None:
    scores = np.array([0.0, -0.0, 5e-324, 1e-300, 709.9, 745.2, 1e5, 1e150, 1e308])
    scores = np.concatenate([scores, -scores])
    for y in targets(loss):
        at = np.full_like(scores, y)
        with np.errstate(all="raise"):
            slope, curvature = loss.slope_and_curvature(scores, at)
            np.testing.assert_array_equal(slope, loss.slope(scores, at))
            np.testing.assert_allclose(curvature, loss.curvature(scores, at), rtol=1e-12, atol=1e-300)
            value = loss.value(scores, at)
        assert np.all(np.isfinite(slope))
        assert np.all(np.isfinite(curvature))
        assert not np.any(np.isnan(value))


@pytest.mark.parametrize("loss", EVERY, ids=repr)
def test_one_sided_slope_is_what_it_says(loss: Loss) -> None:
    scores = score_grid(loss, 30.0)
    both = np.concatenate([y * loss.slope(scores, np.full_like(scores, y)) for y in targets(loss)])
    assert loss.one_sided_slope == bool(np.all(both <= 0.0))


def test_huber_hinge_lies_within_a_quarter_width_above_the_hinge() -> None:
    scores = np.linspace(-3, 3, 6001)
    y = np.ones_like(scores)
    for width in (1e-3, 0.5, 2.0):
        gap = HuberHinge(width).value(scores, y) - Hinge().value(scores, y)
        assert np.min(gap) >= -1e-15
        assert np.max(gap) == pytest.approx(width / 4, rel=1e-6)


@pytest.mark.parametrize("width", [0.0, -1.0, math.nan, math.inf])
def test_bad_widths_are_refused(width: float) -> None:
    with pytest.raises(ParameterError, match="width"):
        HuberHinge(width)


def test_bad_bounds_are_refused() -> None:
    with pytest.raises(ParameterError, match="target_bound"):
        Squared(target_bound=math.inf)
    with pytest.raises(ParameterError, match="score_bound"):
        Logistic().constants(math.nan)


@pytest.mark.parametrize("loss", SMOOTH, ids=repr)
@pytest.mark.proof("loss-constants")
def test_curvature_keeps_within_what_the_slope_leaves(loss: Loss) -> None:
    tie = loss.curvature_tie
    for y in targets(loss):
        scores = score_grid(loss, 30.0)
        slope, curvature = loss.slope_and_curvature(scores, np.full_like(scores, y))
        pull = np.abs(slope)
        left = tie.constant + tie.linear * pull - tie.quadratic * pull**2
        assert np.all(curvature <= left * (1 + 1e-12) + 1e-15)
        assert np.max(curvature - 0.99 * left) > 0  # one per cent less would be refuted


def check_pull(loss: Loss, largest: float) -> None:
    scores = np.concatenate([np.linspace(-30.0, 30.0, 60_001), score_grid(loss, 3.0)])
    found = max(np.max(-scores * loss.slope(scores, np.full_like(scores, y))) for y in targets(loss))
    assert 0.999 * largest <= found <= largest


@pytest.mark.parametrize("loss", SMOOTH, ids=repr)
@pytest.mark.proof("stationary-norm")
@pytest.mark.proof("huber-constants")
@pytest.mark.proof("poisson-constants")
def test_no_row_pulls_its_own_score_further_than_stated(loss: Loss) -> None:
    check_pull(loss, loss.largest_pull)
    with pytest.raises(AssertionError):
        check_pull(loss, 0.99 * loss.largest_pull)


def check_capped(loss: Loss, cap: float, slope: float) -> None:
    for y in targets(loss):
        scores = score_grid(loss, 40.0)
        at = np.full_like(scores, y)
        assert np.max(np.abs(loss.slope(scores, at)[loss.value(scores, at) <= cap]), initial=0.0) <= slope


@pytest.mark.parametrize("cap", [0.001, 0.3, 2.0])
@pytest.mark.parametrize("loss", EVERY, ids=repr)
@pytest.mark.proof("score-constants")
def test_slopes_below_a_cap_keep_their_bound(loss: Loss, cap: float) -> None:
    check_capped(loss, cap, loss.capped_slope(cap))


@pytest.mark.parametrize("end", [0.5, 3.0])
@pytest.mark.parametrize("loss", SMOOTH, ids=repr)
@pytest.mark.proof("truncated-excess-risk")
def test_a_loss_swings_no_further_than_stated(loss: Loss, end: float) -> None:
    for reach in (0.1, 0.7, 2 * end):
        scores = np.linspace(-end, end, 1201)
        steps = max(1, int(reach / (scores[1] - scores[0])))
        for y in targets(loss):
            values = loss.value(scores, np.full_like(scores, y))
            moves = [np.max(np.abs(values[k:] - values[:-k])) for k in range(1, min(steps, 1200) + 1)]
            assert max(moves) <= loss.swing(end, reach + 1e-9)


@pytest.mark.parametrize("loss", [Huber(), Huber(threshold=0.65)], ids=repr)
@pytest.mark.proof("huber-constants")
def test_two_rows_reach_twice_the_threshold(loss: Huber) -> None:
    """θ = 0, rows x and −x, both with y = 1: gradients −hx and hx."""
    assert loss.gradient_change(1.0, 3.0) == pytest.approx(2 * min(loss.threshold, 4.0))
    assert 2 * abs(loss.slope(np.zeros(1), np.ones(1))[0]) == pytest.approx(loss.gradient_change(1.0, 3.0))


@pytest.mark.parametrize("loss", [Poisson(), Poisson(start=0.05, bend=0.25)], ids=repr)
@pytest.mark.proof("poisson-constants")
def test_two_rows_come_near_twice_the_largest_count(loss: Poisson) -> None:
    """θ at −B along the constant, rows (z, c) and (−z, c) with z orthogonal to θ, both at the largest count."""
    bound, c = 8.0, 0.01
    pull = abs(loss.slope(np.array([-bound * c / c]), np.ones(1))[0])
    assert 2 * pull * math.sqrt(1 - c * c) >= 0.999 * loss.gradient_change(1.0, bound) - 1e-3


@pytest.mark.proof("poisson-constants")
def test_rounding_of_the_largest_poisson_value_is_covered() -> None:
    """S + B ≤ 20 sup φ, so that 64u(S + B) is below 2⁻⁴⁰ sup φ."""
    for bend in np.geomspace(2.0**-29, 1.0, 12):
        for start in np.geomspace(2.0**-30, bend, 8)[:-1]:
            loss = Poisson(float(start), float(bend))
            for bound in (0.0, 0.3, 3.0, 1e4):
                assert loss.constants(bound).value_rounding / 64 <= 20 * loss.constants(bound).value


@pytest.mark.proof("poisson-constants")
def test_the_mean_is_what_minimises_the_expected_loss() -> None:
    loss = Poisson(start=0.05, bend=0.25)
    for share in (0.01, 0.2, 0.5, 0.9):
        score = expected_minimiser(loss, share)
        assert loss.mean(np.array([score]))[0] == pytest.approx(share, rel=1e-9)


@pytest.mark.parametrize(("start", "bend"), [(0.0, 1.0), (0.5, 0.4), (0.1, 1.5), (math.nan, 1.0)])
def test_bad_starts_and_bends_are_refused(start: float, bend: float) -> None:
    with pytest.raises(ParameterError, match="start"):
        Poisson(start, bend)


def test_bad_thresholds_are_refused() -> None:
    with pytest.raises(ParameterError, match="threshold"):
        Huber(0.0)


def expected_minimiser(loss: Loss, share: float) -> float:
    """The score that minimises the expected loss when a label is 1 with this probability, by bisection."""
    low, high = -20.0, 20.0
    for _ in range(80):
        middle = np.array([(low + high) / 2])
        pull = share * loss.slope(middle, np.ones(1)) + (1 - share) * loss.slope(middle, -np.ones(1))
        low, high = (low, middle[0]) if pull[0] > 0 else (middle[0], high)
    return low


SHARES = (0.001, 0.03, 0.2, 0.4999, 0.5, 0.7, 0.9, 0.999)


def check_link(loss: Loss, link: Callable[[np.ndarray], np.ndarray]) -> None:
    scores = np.array([expected_minimiser(loss, share) for share in SHARES])
    np.testing.assert_allclose(link(scores), SHARES, rtol=1e-9)


@pytest.mark.proof("capped-link")
@pytest.mark.parametrize("loss", [Logistic(), CappedLogistic()], ids=repr)
def test_the_link_tells_the_probability_that_a_score_stands_for(loss: Logistic | CappedLogistic) -> None:
    check_link(loss, loss.probability)


def test_a_cap_without_its_link_is_caught() -> None:
    with pytest.raises(AssertionError):
        check_link(CappedLogistic(), Logistic().probability)


def farthest_gradients(reach: float, tries: int = 40) -> float:
    """The largest distance of two rows' gradients found by hill climbing over rows of a disc, θ = (reach, 0)."""
    rng = np.random.default_rng(int(1000 * reach))

    def distance(rows: np.ndarray) -> float:
        inside = rows.reshape(2, 2) / np.maximum(1.0, np.linalg.norm(rows.reshape(2, 2), axis=1))[:, None]
        pulls = -Logistic().slope(inside @ [reach, 0.0], np.ones(2))
        return float(np.linalg.norm(pulls[0] * inside[0] - pulls[1] * inside[1]))

    found = [minimize(lambda rows: -distance(rows), rng.normal(size=4), method="Nelder-Mead") for _ in range(tries)]
    return -min(each.fun for each in found)


@pytest.mark.proof("logistic-gradient-change")
@pytest.mark.parametrize("reach", [0.1, 0.5, 1.0, 1.3, 1.499])
def test_gradients_of_two_rows_are_no_farther_apart_than_stated(reach: float) -> None:
    stated, found = Logistic().gradient_change(1.0, reach), farthest_gradients(reach)
    assert found <= stated * (1 + 1e-12)
    assert found > 0.9999 * stated
    assert stated < 2 * Logistic().constants(reach).slope * 0.97
    assert Logistic().gradient_change(2.0, reach / 2) == pytest.approx(2 * stated, rel=1e-12)


def test_beyond_the_proved_reach_twice_the_steepest_gradient_is_stated() -> None:
    assert Logistic().gradient_change(1.0, 1.6) == pytest.approx(2 * Logistic().constants(1.6).slope)
