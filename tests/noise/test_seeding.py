"""`random_state`: nothing but None is private, and anything else is reproducible or refused."""

import numpy as np
import pytest

from tacit.errors import ParameterError
from tacit.noise import SystemEntropy, entropy_of


def test_none_is_the_operating_system() -> None:
    assert isinstance(entropy_of(None), SystemEntropy)
    assert entropy_of(None).private


@pytest.mark.parametrize(
    "make", [lambda: 7, lambda: np.int64(7), lambda: np.random.RandomState(7), lambda: np.random.default_rng(7)]
)
def test_a_seed_repeats_itself_and_is_not_private(make) -> None:
    first, second = entropy_of(make()), entropy_of(make())
    assert not first.private
    assert np.array_equal(first.words(8), second.words(8))


@pytest.mark.parametrize("wrong", ["7", 7.0, [7], object()])
def test_anything_else_is_refused(wrong: object) -> None:
    with pytest.raises(ParameterError, match="random_state must be None"):
        entropy_of(wrong)
