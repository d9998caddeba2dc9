"""Numbers for simulations in a released world: not secret, not global, the same whenever the release is the same.

The stream is seeded with a hash of released arrays, so intervals are a deterministic function of what was released:
post-processing that anybody can repeat.
"""

import hashlib

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincinv, ndtri

from tacit.arithmetic import Floats
from tacit.mechanisms import AddedLaw, Gaussian, SphericalLaplace, WishartDifference
from tacit.mechanisms.intervals import svec
from tacit.noise import SeededEntropy, matrix_order


class Stream:
    """A reproducible stream of numbers that depends on released arrays only."""

    def __init__(self, *released: Floats) -> None:
        digest = hashlib.sha256(b"".join(np.ascontiguousarray(part, dtype=np.float64).tobytes() for part in released))
        self._entropy = SeededEntropy(int.from_bytes(digest.digest()[:16], "little"))

    def uniforms(self, *shape: int) -> Floats:
        """Uniform on (0, 1), never 0 or 1."""
        words = self._entropy.words(int(np.prod(shape)))
        return (((words >> np.uint64(12)).astype(np.float64) + 0.5) * 2.0**-52).reshape(shape)

    def normals(self, *shape: int) -> Floats:
        """Standard normal, by inversion."""
        return np.asarray(ndtri(self.uniforms(*shape)))

    def laplaces(self, *shape: int) -> Floats:
        """Laplace of scale 1, by inversion."""
        uniforms = self.uniforms(*shape)
        return np.asarray(np.where(uniforms < 0.5, np.log(2 * uniforms), -np.log(2 * (1 - uniforms))))

    def integers(self, count: int, below: int) -> NDArray[np.int64]:
        """Uniform on 0, ..., below − 1."""
        return np.minimum((self.uniforms(count) * below).astype(np.int64), below - 1)

    def noise(self, law: AddedLaw, count: int, size: int) -> Floats:
        """Independent noise vectors of a spherical, Gaussian or Wishart law, one a row."""
        if isinstance(law, WishartDifference):
            return np.array([self._wishart(law.scale, matrix_order(size)) for _ in range(count)])
        vectors = self.normals(count, size)
        match law:
            case Gaussian(scale):
                return vectors * scale
            case SphericalLaplace(scale):
                # Sph(k, s) = s√(2V)·N(0, I) with V ~ Γ((k + 1)/2)
                return vectors * (scale * np.sqrt(2 * gammaincinv((size + 1) / 2, self.uniforms(count, 1))))
        raise TypeError(f"no simulation for {law.name}")

    def _wishart(self, scale: float, order: int) -> Floats:
        """svec of (s/2)(UVᵀ + VUᵀ), U and V m×(m+1) standard normal."""
        u, v = self.normals(2, order, order + 1)
        return svec(scale / 2 * (u @ v.T + v @ u.T))
