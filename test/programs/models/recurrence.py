# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recurrences over time: a gated unit by `lax.scan` (training step), and a linear recurrence by
`lax.associative_scan`, with prefix sums beside it."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import PartitionSpec as P

from programs.program import Constrain, Program, normal, sgd

TIME, BATCH, FEATURES, HIDDEN = 6, 8, 5, 8

GATED_SPECS = {"bias": P(None, "model"), "input": P(None, None, "model"),
               "recurrent": P(None, None, "model")}


def gated_arguments(rng: np.random.Generator):
    params = {
        "bias": normal(rng, 3, HIDDEN, scale=0.1),
        "input": normal(rng, 3, FEATURES, HIDDEN, scale=FEATURES**-0.5),
        "recurrent": normal(rng, 3, HIDDEN, HIDDEN, scale=HIDDEN**-0.5),
    }
    lengths = rng.integers(1, TIME + 1, BATCH, dtype=np.int32)
    return params, normal(rng, TIME, BATCH, FEATURES), lengths


def build_gated(constrain: Constrain):
    def loss(params, xs, lengths):
        def step(state, scanned):
            time, x = scanned
            into = jnp.einsum("bf,gfh->gbh", x, params["input"]) + params["bias"][:, None]
            back = jnp.einsum("bh,ghk->gbk", state, params["recurrent"])
            reset, update = jax.nn.sigmoid(into[:2] + back[:2])
            new = (1 - update) * jnp.tanh(into[2] + reset * back[2]) + update * state
            new = constrain(new, "data", "model")
            return jnp.where((time < lengths)[:, None], new, state), None

        start = jnp.zeros((BATCH, HIDDEN))
        final, _ = lax.scan(step, start, (jnp.arange(TIME), xs))
        return jnp.mean(final**2)

    def rnn_gated(params, xs, lengths):
        value, gradients = jax.value_and_grad(loss)(params, xs, lengths)
        return sgd(params, gradients, 0.1), value

    return rnn_gated


def linear_arguments(rng: np.random.Generator):
    decay = rng.uniform(0.5, 1.0, (BATCH, TIME, HIDDEN)).astype(np.float32)
    return decay, normal(rng, BATCH, TIME, HIDDEN)


def build_linear(constrain: Constrain):
    def combine(left, right):
        return left[0] * right[0], right[0] * left[1] + right[1]

    def rnn_linear(decay, x):
        _, states = lax.associative_scan(combine, (decay, x), axis=1)
        states = constrain(states, "data", None, "model")
        highest = lax.cummax(x, axis=1, reverse=True)
        return states, jnp.cumsum(x, axis=1), jnp.cumprod(decay, axis=1), highest

    return rnn_linear


SEQUENCE = P("data", None, "model")

PROGRAMS = [
    Program(
        name="rnn_gated",
        mesh={"data": 4, "model": 2},
        build=build_gated,
        arguments=gated_arguments,
        in_specs=(GATED_SPECS, P(None, "data", None), P("data")),
        out_specs=(GATED_SPECS, P()),
    ),
    Program(
        name="rnn_linear",
        mesh={"data": 4, "model": 2},
        build=build_linear,
        arguments=linear_arguments,
        in_specs=(SEQUENCE, SEQUENCE),
        out_specs=(SEQUENCE, SEQUENCE, SEQUENCE, SEQUENCE),
    ),
]
