# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A training step, its arguments and their shardings, for one process and for two."""

import jax
import jax.numpy as jnp
import numpy
from jax.sharding import PartitionSpec as P

_GENERATOR = numpy.random.default_rng(0)
WEIGHTS = {"in": _GENERATOR.normal(size=(16, 32)).astype("float32"),
           "out": _GENERATOR.normal(size=(32, 8)).astype("float32")}
X = _GENERATOR.normal(size=(64, 16)).astype("float32")
SPECS = {"in": P(None, "model"), "out": P("model", None)}


def train(weights, x):
    def loss(weights):
        return jnp.mean((jnp.tanh(x @ weights["in"]) @ weights["out"]) ** 2)

    value, gradients = jax.value_and_grad(loss)(weights)
    return jax.tree.map(lambda w, g: w - 0.1 * g, weights, gradients), value
