# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A mixture of experts: top-2 routing with a capacity for each expert, training step."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import PartitionSpec as P

from programs.program import Constrain, Program, normal, sgd

TOKENS, FEATURES, HIDDEN, EXPERTS, CHOSEN, CAPACITY = 16, 8, 12, 4, 2, 6
PARAM_SPECS = {"router": P(None, None), "w1": P("expert", None, None),
               "w2": P("expert", None, None)}


def arguments(rng: np.random.Generator):
    params = {
        "router": normal(rng, FEATURES, EXPERTS),
        "w1": normal(rng, EXPERTS, FEATURES, HIDDEN, scale=FEATURES**-0.5),
        "w2": normal(rng, EXPERTS, HIDDEN, FEATURES, scale=HIDDEN**-0.5),
    }
    return params, normal(rng, TOKENS, FEATURES), normal(rng, TOKENS, FEATURES)


def build(constrain: Constrain):
    def mixture(params, x):
        chances = jax.nn.softmax(x @ params["router"])
        weights, numbers = jax.lax.top_k(chances, CHOSEN)
        weights = weights / jnp.sum(weights, axis=-1, keepdims=True)
        # First choices come before second ones; a token past the capacity is dropped.
        wanted = jax.nn.one_hot(numbers.T.reshape(-1), EXPERTS, dtype=jnp.int32)
        place = jnp.sum((jnp.cumsum(wanted, axis=0) - 1) * wanted, axis=-1)
        place = place.reshape(CHOSEN, TOKENS).T
        slots = jax.nn.one_hot(numbers, EXPERTS)[..., None] * jax.nn.one_hot(
            place, CAPACITY
        )[:, :, None, :]
        given = jnp.einsum("tkec,tf->ecf", slots, x)
        hidden = jax.nn.relu(jnp.einsum("ecf,efh->ech", given, params["w1"]))
        y = constrain(jnp.einsum("ech,ehf->ecf", hidden, params["w2"]), "expert", None, None)
        balance = EXPERTS * jnp.sum(jnp.mean(chances, axis=0) * jnp.mean(wanted, axis=0))
        return jnp.einsum("tkec,tk,ecf->tf", slots, weights, y), balance

    def loss(params, x, target):
        y, balance = mixture(params, x)
        return jnp.mean((x + y - target) ** 2) + 0.01 * balance

    def experts(params, x, target):
        value, gradients = jax.value_and_grad(loss)(params, x, target)
        return sgd(params, gradients, 0.1), value

    return experts


PROGRAMS = [
    Program(
        name="experts",
        mesh={"data": 2, "expert": 4},
        build=build,
        arguments=arguments,
        in_specs=(PARAM_SPECS, P("data", None), P("data", None)),
        out_specs=(PARAM_SPECS, P()),
    )
]
