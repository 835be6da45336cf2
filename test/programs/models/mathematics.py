# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plain mathematics: branches and loops with an end that depends on the data, special functions,
and arithmetic on bits."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import PartitionSpec as P

from programs.program import Constrain, Program, normal

ROWS, COLUMNS = 8, 6


def control_arguments(rng: np.random.Generator):
    return np.abs(normal(rng, ROWS, COLUMNS)) + 0.1, rng.integers(-1, 4, ROWS, dtype=np.int32)


def build_control(constrain: Constrain):
    def square_root(x):
        """Newton's method, until no element changes any more."""

        def moves(state):
            y, previous = state
            return jnp.max(jnp.abs(y - previous)) > 1e-6

        def step(state):
            y, _ = state
            return 0.5 * (y + x / y), y

        return lax.while_loop(moves, step, (x, 2 * x + 1))[0]

    def branch(x, number):
        functions = [jnp.sin, lambda v: v * 2, lambda v: lax.cond(v[0] > 1, jnp.exp, jnp.log, v)]
        return lax.switch(number, functions, x)

    def control_flow(x, numbers):
        roots = square_root(constrain(x, "data", None))
        branched = lax.map(lambda pair: branch(*pair), (x, numbers))
        total = lax.fori_loop(0, COLUMNS, lambda i, sum: sum + x[:, i] * i, jnp.zeros(ROWS))
        return roots, branched, total

    return control_flow


def special_arguments(rng: np.random.Generator):
    return (rng.uniform(0.05, 0.95, (ROWS, COLUMNS)).astype(np.float32),)


def build_special(constrain: Constrain):
    def special_functions(x):
        x = constrain(x, "data", None)
        return (
            jax.scipy.special.gammaln(4 * x),
            jax.scipy.special.digamma(4 * x),
            jax.scipy.special.erf(x) + jax.scipy.special.erfc(2 * x),
            jax.scipy.special.erfinv(x),
            jax.scipy.special.zeta(x + 2, x),
            jax.scipy.special.i1e(x),
            jnp.arcsin(x) + jnp.arccos(x / 2) + jnp.arctan(3 * x) + jnp.arctan2(x, x - 0.5),
            jnp.sinh(x) + jnp.cosh(x) + jnp.tan(x) + jnp.cbrt(x),
            jnp.arcsinh(x) + jnp.arccosh(1 + x) + jnp.arctanh(x),
            jnp.expm1(x) + jnp.log1p(x) + jnp.exp2(x) + x**2.5 + x**3,
            jnp.nextafter(x, 1.0),
        )

    return special_functions


def bit_arguments(rng: np.random.Generator):
    words = rng.integers(0, 2**32, (ROWS, COLUMNS), dtype=np.uint32)
    return words, rng.integers(-128, 128, (ROWS, COLUMNS), dtype=np.int8), normal(rng, ROWS, 4)


def build_bits(constrain: Constrain):
    def bits(words, bytes_, x):
        words = constrain(words, "data", None)
        hashed = (words ^ (words >> 16)) * jnp.uint32(0x45D9F3B)
        return (
            hashed,
            lax.population_count(words) + lax.clz(words),
            lax.bitcast_convert_type(words, jnp.uint8),
            jnp.left_shift(bytes_, 3) | jnp.right_shift(bytes_, 2),
            bytes_ // jnp.int8(3) + bytes_ % jnp.int8(5),
            lax.bitcast_convert_type(x, jnp.int32) & 0x7F800000,
            lax.reduce_precision(x, exponent_bits=5, mantissa_bits=4),
            lax.rem(x, jnp.float32(0.3)),
            jnp.sign(x) * jnp.round(x, 1) + jnp.trunc(x) + jnp.ceil(x) + jnp.floor(x),
            jnp.isnan(x / jnp.maximum(x, 0)) | jnp.signbit(x),
            jnp.unwrap(x, axis=1),
            jnp.packbits(words % 2 == 1, axis=1),
            lax.pad(x, jnp.float32(7), ((1, 0, 0), (-1, 2, 1))),
            jnp.flip(jnp.roll(x, 2, axis=1), axis=0),
        )

    return bits


PROGRAMS = [
    Program(
        name="control_flow",
        mesh={"data": 8},
        build=build_control,
        arguments=control_arguments,
        in_specs=(P("data", None), P("data")),
        out_specs=(P("data", None), P("data", None), P("data")),
    ),
    Program(
        name="special_functions",
        mesh={"data": 8},
        build=build_special,
        arguments=special_arguments,
        in_specs=(P("data", None),),
        out_specs=None,
    ),
    Program(
        name="bits",
        mesh={"data": 8},
        build=build_bits,
        arguments=bit_arguments,
        in_specs=(P("data", None), P("data", None), P("data", None)),
        out_specs=None,
    ),
]
