# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One step of Adam with a warm-up schedule, gradient clipping by norm and decoupled weight decay,
on a perceptron; the state is the moments and the step number."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import PartitionSpec as P

from programs.program import Constrain, Program, normal

BATCH, FEATURES, HIDDEN = 8, 12, 16
RATE, WARMUP, CLIP, DECAY, BETA1, BETA2 = 1e-2, 10, 0.5, 1e-2, 0.9, 0.999
PARAM_SPECS = {"w1": P(None, "model"), "w2": P("model", None)}
STATE_SPECS = {"count": P(), "first": PARAM_SPECS, "second": PARAM_SPECS}


def arguments(rng: np.random.Generator):
    params = {
        "w1": normal(rng, FEATURES, HIDDEN, scale=FEATURES**-0.5),
        "w2": normal(rng, HIDDEN, FEATURES, scale=HIDDEN**-0.5),
    }
    state = {
        "count": np.int32(3),
        "first": jax.tree.map(lambda p: normal(rng, *p.shape, scale=0.1), params),
        "second": jax.tree.map(lambda p: normal(rng, *p.shape, scale=0.1) ** 2, params),
    }
    return params, state, normal(rng, BATCH, FEATURES)


def build(constrain: Constrain):
    def loss(params, x):
        hidden = constrain(jnp.tanh(x @ params["w1"]), "data", "model")
        return jnp.mean((hidden @ params["w2"] - x) ** 2)

    def adam(params, state, x):
        value, gradients = jax.value_and_grad(loss)(params, x)
        norm = jnp.sqrt(sum(jnp.sum(g * g) for g in jax.tree.leaves(gradients)))
        gradients = jax.tree.map(lambda g: g * jnp.minimum(1.0, CLIP / norm), gradients)
        count = state["count"] + 1
        first = jax.tree.map(lambda m, g: BETA1 * m + (1 - BETA1) * g, state["first"], gradients)
        second = jax.tree.map(
            lambda v, g: BETA2 * v + (1 - BETA2) * g * g, state["second"], gradients
        )
        rate = RATE * jnp.minimum(1.0, count / WARMUP)

        def update(p, m, v):
            m, v = m / (1 - BETA1**count), v / (1 - BETA2**count)
            return p - rate * (m / (jnp.sqrt(v) + 1e-8) + DECAY * p)

        params = jax.tree.map(update, params, first, second)
        return params, {"count": count, "first": first, "second": second}, value, norm

    return adam


PROGRAMS = [
    Program(
        name="adam",
        mesh={"data": 4, "model": 2},
        build=build,
        arguments=arguments,
        in_specs=(PARAM_SPECS, STATE_SPECS, P("data", None)),
        out_specs=(PARAM_SPECS, STATE_SPECS, P(), P()),
    )
]
