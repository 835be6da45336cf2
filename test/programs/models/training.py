# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ways to train: gradients summed over parts of a batch by `lax.scan`; fully sharded parameters and
moments that are gathered layer by layer; an update made orthogonal by Newton-Schulz iterations on a
matrix that is cut both ways."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import PartitionSpec as P

from programs.program import Constrain, Program, normal, sgd

PARTS, BATCH, FEATURES, HIDDEN, LAYERS = 4, 16, 16, 32, 3
PARAM_SPECS = {"w1": P(None, "model"), "w2": P("model", None)}
LAYER_SPECS = [{"w": P("x", None), "b": P("x")}] * LAYERS


def parts(rng: np.random.Generator):
    params = {"w1": normal(rng, FEATURES, HIDDEN, scale=FEATURES**-0.5),
              "w2": normal(rng, HIDDEN, 8, scale=HIDDEN**-0.5)}
    return params, normal(rng, PARTS, BATCH, FEATURES), normal(rng, PARTS, BATCH, 8)


def build_accumulation(constrain: Constrain):
    def loss(params, x, target):
        return jnp.mean((jnp.tanh(x @ params["w1"]) @ params["w2"] - target) ** 2)

    def gradient_accumulation(params, xs, targets):
        def add(total, part):
            value, gradients = jax.value_and_grad(loss)(params, *part)
            return jax.tree.map(jnp.add, total, gradients), value

        zeros = jax.tree.map(jnp.zeros_like, params)
        total, losses = jax.lax.scan(add, zeros, (xs, targets))
        return sgd(params, total, 0.1 / PARTS), losses

    return gradient_accumulation


def layers(rng: np.random.Generator):
    params = [{"w": normal(rng, HIDDEN, HIDDEN, scale=HIDDEN**-0.5), "b": normal(rng, HIDDEN, scale=0.1)}
              for _ in range(LAYERS)]
    moments = jax.tree.map(lambda p: normal(rng, *p.shape, scale=0.1), params)
    return params, moments, normal(rng, BATCH, HIDDEN), normal(rng, BATCH, HIDDEN)


def build_fully_sharded(constrain: Constrain):
    def loss(params, x, target):
        for layer in params:
            x = jax.nn.gelu(x @ constrain(layer["w"], None, None) + layer["b"])
        return jnp.mean((x - target) ** 2)

    def fully_sharded(params, moments, x, target):
        value, gradients = jax.value_and_grad(loss)(params, x, target)
        moments = jax.tree.map(lambda m, g: 0.9 * m + g, moments, gradients)
        return sgd(params, moments, 0.1), moments, value

    return fully_sharded


def build_orthogonal(constrain: Constrain):
    def orthogonal_update(params, gradients):
        x = gradients / (jnp.linalg.norm(gradients) + 1e-7)
        for _ in range(5):
            a = x @ x.T
            x = 3.4445 * x + (-4.7750 * a + 2.0315 * a @ a) @ x
        return params - 0.1 * x

    return orthogonal_update


PROGRAMS = [
    Program(
        name="gradient_accumulation",
        mesh={"data": 4, "model": 2},
        build=build_accumulation,
        arguments=parts,
        in_specs=(PARAM_SPECS, P(None, "data"), P(None, "data")),
        out_specs=None,
    ),
    Program(
        name="fully_sharded",
        mesh={"x": 8},
        build=build_fully_sharded,
        arguments=layers,
        in_specs=(LAYER_SPECS, LAYER_SPECS, P("x"), P("x")),
        out_specs=(LAYER_SPECS, LAYER_SPECS, P()),
    ),
    Program(
        name="orthogonal_update",
        mesh={"data": 4, "model": 2},
        build=build_orthogonal,
        arguments=lambda rng: (normal(rng, 16, 32), normal(rng, 16, 32)),
        in_specs=(P("data", "model"), P("data", "model")),
        out_specs=P("data", "model"),
    ),
]
