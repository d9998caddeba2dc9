"""The `random_state` of an estimator: None means the operating system, anything else is for tests only."""

import numpy as np

from tacit.errors import ParameterError
from tacit.noise.entropy import Entropy, SeededEntropy, SystemEntropy


def entropy_of(random_state: object) -> Entropy:
    """The source that a `random_state` stands for; every source but the system's marks its results NOT PRIVATE."""
    if random_state is None:
        return SystemEntropy()
    if isinstance(random_state, int | np.integer) and random_state >= 0:
        return SeededEntropy(int(random_state))
    if isinstance(random_state, np.random.RandomState):
        return SeededEntropy(int(random_state.randint(2**31)))
    if isinstance(random_state, np.random.Generator):
        return SeededEntropy(int(random_state.integers(2**31)))
    raise ParameterError(
        "random_state must be None (private), or for tests an int from 0 on or a numpy generator, "
        f"got {random_state if isinstance(random_state, int) else type(random_state).__name__}"
    )
