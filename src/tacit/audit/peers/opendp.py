"""OpenDP: its noise and its selection, in this process."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from tacit.audit import pair_loss
from tacit.audit.cases import Case
from tacit.audit.lower_bound import lower_bound
from tacit.audit.reachability import reachability
from tacit.audit.targets import Batches
from tacit.errors import ParameterError


def opendp_cases(effort: float = 1.0) -> list[Case]:
    """Laplace and Gaussian noise on vectors, the low bits of Laplace noise, and noisy selection."""
    if find_spec("opendp") is None:
        raise ParameterError("opendp is not installed here: pip install opendp, then run the audit again")
    dp: Any = import_module("opendp.prelude")
    dp.enable_features("contrib")
    atom = dp.atom_domain(T=float, nan=False)
    laplace = dp.m.make_laplace(dp.vector_domain(atom), dp.l1_distance(T=float), scale=1.0)
    sigma = 4.0
    gaussian = dp.m.make_gaussian(dp.vector_domain(atom), dp.l2_distance(T=float), scale=sigma)
    select = dp.m.make_noisy_max(dp.vector_domain(atom), dp.linf_distance(T=float), dp.max_divergence(), scale=2.0)
    delta = 1e-3
    claimed = float(dp.c.make_fix_delta(dp.c.make_zCDP_to_approxDP(gaussian), delta).map(1.0)[0])
    runs = max(100, int(200_000 * effort))

    def vector(mechanism: Any) -> Batches:
        return Batches(lambda centre, count: np.array(mechanism(np.full(count, centre).tolist())))

    def low_bits(confidence: float) -> float:
        pair = (np.zeros(10), np.full(10, 0.1))
        return reachability(lambda values: laplace(values.tolist()), pair, 500, confidence, scale=1.0)

    scores = ([0.0, 1.0, 1.0], [1.0, 0.0, 0.0])
    flips = [pair_loss.permute_and_flip_law(each, 2.0) for each in scores]
    return [
        Case("opendp make_laplace", 1.0, 1.0, lambda c: lower_bound(vector(laplace), (0.0, 1.0), runs, c)),
        Case(
            "opendp make_gaussian",
            claimed,
            pair_loss.gaussian_pair_loss(1.0, sigma, delta),
            lambda c: lower_bound(vector(gaussian), (0.0, 1.0), runs, c, delta=delta),
            delta,
        ),
        Case("opendp make_laplace, low bits", 1.0, None, low_bits),
        Case(
            "opendp make_noisy_max",
            float(select.map(1.0)),
            pair_loss.largest_log_ratio(*flips),
            lambda c: lower_bound(select, scores, runs // 10, c),
        ),
    ]
