# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linear algebra: a Gaussian process by Cholesky factors, a system by elimination, and a filter by
the fast Fourier transform."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import PartitionSpec as P

from programs.program import Constrain, Program, normal

BATCH, POINTS, TIME = 8, 6, 24


def cholesky_arguments(rng: np.random.Generator):
    return normal(rng, BATCH, POINTS, 2), normal(rng, BATCH, POINTS, 1)


def build_cholesky(constrain: Constrain):
    def log_likelihood(points, values):
        distances = jnp.sum((points[:, :, None] - points[:, None, :]) ** 2, axis=-1)
        covariance = jnp.exp(-0.5 * distances) + 0.1 * jnp.eye(POINTS)
        factor = jnp.linalg.cholesky(constrain(covariance, "data", None, None))
        white = jax.lax.linalg.triangular_solve(factor, values, left_side=True, lower=True)
        determinant = jnp.sum(jnp.log(jnp.diagonal(factor, axis1=1, axis2=2)), axis=1)
        return -0.5 * jnp.sum(white**2, axis=(1, 2)) - determinant

    def cholesky_solve(points, values):
        likelihood = log_likelihood(points, values)
        gradient = jax.grad(lambda p: jnp.sum(log_likelihood(p, values)))(points)
        return likelihood, gradient

    return cholesky_solve


def elimination_arguments(rng: np.random.Generator):
    return normal(rng, BATCH, POINTS, POINTS), normal(rng, BATCH, POINTS, 2)


def build_elimination(constrain: Constrain):
    def linear_solve(a, b):
        x = constrain(jnp.linalg.solve(a, b), "data", None, None)
        return x, jnp.linalg.det(a)

    return linear_solve


def filter_arguments(rng: np.random.Generator):
    return normal(rng, BATCH, TIME), normal(rng, TIME // 2 + 1, 2)


def build_filter(constrain: Constrain):
    def filtered(x, response):
        spectrum = constrain(jnp.fft.rfft(x), "data", None)
        y = jnp.fft.irfft(spectrum * (response[:, 0] + 1j * response[:, 1]), TIME)
        return y, jnp.abs(spectrum) ** 2

    def fft_filter(x, response):
        y, power = filtered(x, response)
        gradient = jax.grad(lambda r: jnp.sum(filtered(x, r)[0] ** 2))(response)
        image = jnp.fft.ifft2(jnp.fft.fft2(x.reshape(BATCH, 4, 6)) * 2)
        return y, power, gradient, jnp.real(image), jnp.angle(image + (1 + 1j))

    return fft_filter


ROWS = P("data", None)
MATRICES = P("data", None, None)

PROGRAMS = [
    Program(
        name="cholesky_solve",
        mesh={"data": 8},
        build=build_cholesky,
        arguments=cholesky_arguments,
        in_specs=(MATRICES, MATRICES),
        out_specs=(P("data"), MATRICES),
    ),
    Program(
        name="linear_solve",
        mesh={"data": 8},
        build=build_elimination,
        arguments=elimination_arguments,
        in_specs=(MATRICES, MATRICES),
        out_specs=(MATRICES, P("data")),
    ),
    Program(
        name="fft_filter",
        mesh={"data": 8},
        build=build_filter,
        arguments=filter_arguments,
        in_specs=(ROWS, P(None, None)),
        out_specs=(ROWS, ROWS, P(None, None), MATRICES, MATRICES),
    ),
]
