# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Look-ups: token embeddings (gather) with the gradient of the table (scatter), and sums, maxima
and counts by segment number."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import PartitionSpec as P

from programs.program import Constrain, Program, normal, sgd

BATCH, SEQUENCE, WORDS, FEATURES = 8, 6, 32, 8


def lookup_arguments(rng: np.random.Generator):
    params = {"positions": normal(rng, SEQUENCE, FEATURES), "words": normal(rng, WORDS, FEATURES)}
    return params, rng.integers(0, WORDS, (BATCH, SEQUENCE + 1), dtype=np.int32)


def build_lookup(constrain: Constrain):
    def loss(params, tokens):
        x = jnp.take(params["words"], tokens[:, :-1], axis=0) + params["positions"]
        logits = constrain(x, "data", None, None) @ params["words"].T
        logits = jax.nn.log_softmax(logits)
        return -jnp.mean(jnp.take_along_axis(logits, tokens[:, 1:, None], axis=-1))

    def embedding(params, tokens):
        value, gradients = jax.value_and_grad(loss)(params, tokens)
        return sgd(params, gradients, 0.1), value

    return embedding


def segment_arguments(rng: np.random.Generator):
    values = normal(rng, 24, FEATURES)
    # Number 6 is out of range: its rows are dropped.
    return values, rng.integers(0, 7, 24, dtype=np.int32)


def build_segments(constrain: Constrain):
    def segments(values, numbers):
        sums = jax.ops.segment_sum(values, numbers, num_segments=6)
        highest = jax.ops.segment_max(values, numbers, num_segments=6)
        counts = jnp.bincount(numbers, length=6)
        order = jnp.argsort(numbers, stable=True)
        marked = values.at[numbers, 0].set(-1.0, mode="drop").at[1:5, ::2].multiply(2.0)
        return constrain(sums, None, "data"), highest, counts, values[order], marked

    return segments


PARAM_SPECS = {"positions": P(None, None), "words": P("model", None)}

PROGRAMS = [
    Program(
        name="embedding",
        mesh={"data": 4, "model": 2},
        build=build_lookup,
        arguments=lookup_arguments,
        in_specs=(PARAM_SPECS, P("data", None)),
        out_specs=(PARAM_SPECS, P()),
    ),
    Program(
        name="segments",
        mesh={"data": 8},
        build=build_segments,
        arguments=segment_arguments,
        in_specs=(P(None, "data"), P(None)),
        out_specs=(P(None, "data"), P(None, "data"), P(None), P(None, "data"), P(None, "data")),
    ),
]
