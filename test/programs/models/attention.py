# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention with fewer key heads than query heads, rotary positions, and a causal mask that also
cuts each sequence at its length; heads over `model`, five-dimensional products."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import PartitionSpec as P

from programs.program import Constrain, Program, normal

BATCH, TIME, FEATURES, HEADS, KEY_HEADS, SIZE = 8, 12, 32, 8, 2, 8


def arguments(rng: np.random.Generator):
    scale = FEATURES**-0.5
    weights = {
        "q": normal(rng, FEATURES, HEADS * SIZE, scale=scale),
        "k": normal(rng, FEATURES, KEY_HEADS * SIZE, scale=scale),
        "v": normal(rng, FEATURES, KEY_HEADS * SIZE, scale=scale),
        "o": normal(rng, HEADS * SIZE, FEATURES, scale=scale),
    }
    lengths = rng.integers(1, TIME + 1, BATCH).astype(np.int32)
    return weights, normal(rng, BATCH, TIME, FEATURES), lengths


def rotated(x):
    """Turns pairs of features by an angle that grows with the position."""
    rates = 1.0 / 10000 ** (jnp.arange(SIZE // 2) / (SIZE // 2))
    angles = (jnp.arange(TIME)[:, None] * rates)[None, :, None]
    first, second = jnp.split(x, 2, axis=-1)
    return jnp.concatenate([first * jnp.cos(angles) - second * jnp.sin(angles),
                            first * jnp.sin(angles) + second * jnp.cos(angles)], axis=-1)


def build(constrain: Constrain):
    def attention_grouped(weights, x, lengths):
        q = rotated((x @ weights["q"]).reshape(BATCH, TIME, HEADS, SIZE))
        k = rotated((x @ weights["k"]).reshape(BATCH, TIME, KEY_HEADS, SIZE))
        v = (x @ weights["v"]).reshape(BATCH, TIME, KEY_HEADS, SIZE)
        q = q.reshape(BATCH, TIME, KEY_HEADS, HEADS // KEY_HEADS, SIZE)
        q = constrain(q, "data", None, "model", None, None)
        scores = jnp.einsum("btkgd,bskd->bkgts", q, k) * SIZE**-0.5
        seen = jnp.tril(jnp.ones((TIME, TIME), bool))[None]
        seen = seen & (jnp.arange(TIME)[None, None] < lengths[:, None, None])
        weight = jax.nn.softmax(jnp.where(seen[:, None, None], scores, -1e9))
        y = jnp.einsum("bkgts,bskd->btkgd", weight, v).reshape(BATCH, TIME, HEADS * SIZE)
        return y @ weights["o"]

    return attention_grouped


PROGRAMS = [
    Program(
        name="attention_grouped",
        mesh={"data": 4, "model": 2},
        build=build,
        arguments=arguments,
        in_specs=({"q": P(None, "model"), "k": P(None, "model"), "v": P(None, "model"),
                   "o": P("model")}, P("data"), P("data")),
        out_specs=None,
    )
]
