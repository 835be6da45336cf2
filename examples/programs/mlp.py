# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A two-layer perceptron, its batch split over `data` and its hidden layer over `model`.

The first weight is split on its output dimension and the second on its input dimension, so the
forward pass needs one sum over `model`, and the gradients and the loss need sums over `data`.
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import PartitionSpec as P

from programs.program import Constrain, Program, normal, sgd

BATCH, FEATURES, HIDDEN, TARGETS = 16, 32, 64, 16
RATE = 0.1

PARAM_SPECS = {"b1": P("model"), "b2": P(None), "w1": P(None, "model"), "w2": P("model", None)}


def arguments(rng: np.random.Generator) -> tuple[Any, ...]:
    params = {
        "b1": normal(rng, HIDDEN, scale=0.1),
        "b2": normal(rng, TARGETS, scale=0.1),
        "w1": normal(rng, FEATURES, HIDDEN, scale=FEATURES**-0.5),
        "w2": normal(rng, HIDDEN, TARGETS, scale=HIDDEN**-0.5),
    }
    return params, normal(rng, BATCH, FEATURES), normal(rng, BATCH, TARGETS)


def build_train(constrain: Constrain):
    def loss(params, x, target):
        hidden = jax.nn.gelu(x @ params["w1"] + params["b1"])
        hidden = constrain(hidden, "data", "model")
        y = constrain(hidden @ params["w2"], "data", None) + params["b2"]
        return jnp.mean((y - target) ** 2)

    def mlp_train(params, x, target):
        value, gradients = jax.value_and_grad(loss)(params, x, target)
        return sgd(params, gradients, RATE), value

    return mlp_train


PROGRAMS = [
    Program(
        name="mlp_train",
        mesh={"data": 4, "model": 2},
        build=build_train,
        arguments=arguments,
        in_specs=(PARAM_SPECS, P("data", None), P("data", None)),
        out_specs=(PARAM_SPECS, P()),
    )
]
