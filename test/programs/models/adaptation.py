# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fine-tuning by low-rank adaptors (LoRA): the base weights are frozen, gradients go to the adaptors
alone; training step. JAX decides nothing about the results: propagation does."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import PartitionSpec as P

from programs.program import Constrain, Program, normal, sgd

BATCH, FEATURES, HIDDEN, LOW = 16, 32, 64, 4


def arguments(rng: np.random.Generator):
    base = normal(rng, FEATURES, HIDDEN, scale=FEATURES**-0.5)
    adaptors = {"a": normal(rng, FEATURES, LOW, scale=0.1), "b": normal(rng, LOW, HIDDEN, scale=0.1)}
    return base, adaptors, normal(rng, BATCH, FEATURES), normal(rng, BATCH, HIDDEN)


def build(constrain: Constrain):
    def loss(adaptors, base, x, target):
        y = jax.nn.silu(x @ base + 0.5 * (x @ adaptors["a"]) @ adaptors["b"])
        return jnp.mean((y - target) ** 2)

    def lora(base, adaptors, x, target):
        value, gradients = jax.value_and_grad(loss)(adaptors, base, x, target)
        return sgd(adaptors, gradients, 0.1), value

    return lora


PROGRAMS = [
    Program(
        name="lora",
        mesh={"data": 4, "model": 2},
        build=build,
        arguments=arguments,
        in_specs=(P(None, "model"), {"a": P(), "b": P(None, "model")}, P("data"), P("data", "model")),
        out_specs=None,
    )
]
