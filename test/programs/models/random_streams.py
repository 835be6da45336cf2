# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Streams of `jax.random`: threefry keys that are split and folded, and the generator op."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import PartitionSpec as P

from programs.program import Constrain, Program

ROWS, COLUMNS = 8, 5


def build_threefry(constrain: Constrain):
    def random_streams(key_data):
        keys = jax.random.split(jax.random.fold_in(jax.random.wrap_key_data(key_data), 7), 8)
        shape = (ROWS, COLUMNS)
        return (
            constrain(jax.random.uniform(keys[0], shape), "data", None),
            jax.random.normal(keys[1], shape),
            jax.random.randint(keys[2], shape, -10, 100),
            jax.random.permutation(keys[3], ROWS),
            jax.random.categorical(keys[4], jnp.arange(COLUMNS, dtype=jnp.float32), shape=(ROWS,)),
            jax.random.truncated_normal(keys[5], -1.0, 2.0, shape),
            jax.random.bits(keys[7], shape, "uint8"),
            jax.random.normal(keys[7], shape, "bfloat16").astype(jnp.float32),
            jax.random.poisson(keys[0], 3.0, shape),
        )

    return random_streams


def build_generator(constrain: Constrain):
    def random_generator(key_data):
        key, other = jax.random.split(jax.random.wrap_key_data(key_data, impl="rbg"))
        return (
            constrain(jax.random.uniform(key, (ROWS, COLUMNS)), "data", None),
            jax.random.bits(other, (ROWS,), "uint32"),
        )

    return random_generator


PROGRAMS = [
    Program(
        name="random_streams",
        mesh={"data": 8},
        build=build_threefry,
        arguments=lambda rng: (np.array([1, 2], np.uint32),),
        in_specs=(P(None),),
        out_specs=None,
    ),
    Program(
        name="random_generator",
        mesh={"data": 8},
        build=build_generator,
        arguments=lambda rng: (np.array([1, 2, 3, 4], np.uint32),),
        in_specs=(P(None),),
        out_specs=None,
    ),
]
