# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A stack of transformer layers by `lax.scan`, with dropout and rematerialisation: training step."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import PartitionSpec as P

from programs.program import Constrain, Program, normal, sgd

LAYERS, BATCH, SEQUENCE, FEATURES, HEADS, HIDDEN, KEEP = 2, 4, 8, 16, 2, 32, 0.9

PARAM_SPECS = {
    "out": P(None, "model", None, None),
    "qkv": P(None, None, None, "model", None),
    "scale": P(None, None, None),
    "w1": P(None, None, "model"),
    "w2": P(None, "model", None),
}


def arguments(rng: np.random.Generator):
    size = FEATURES // HEADS
    params = {
        "out": normal(rng, LAYERS, HEADS, size, FEATURES, scale=FEATURES**-0.5),
        "qkv": normal(rng, LAYERS, FEATURES, 3, HEADS, size, scale=FEATURES**-0.5),
        "scale": 1 + normal(rng, LAYERS, 2, FEATURES, scale=0.1),
        "w1": normal(rng, LAYERS, FEATURES, HIDDEN, scale=FEATURES**-0.5),
        "w2": normal(rng, LAYERS, HIDDEN, FEATURES, scale=HIDDEN**-0.5),
    }
    x, target = normal(rng, BATCH, SEQUENCE, FEATURES), normal(rng, BATCH, SEQUENCE, FEATURES)
    return params, x, target, np.array([0, 2024], np.uint32)


def rms_norm(x, scale):
    return x * lax.rsqrt(jnp.mean(x * x, axis=-1, keepdims=True) + 1e-6) * scale


def dropout(key, x):
    return jnp.where(jax.random.bernoulli(key, KEEP, x.shape), x / KEEP, 0)


def layer(x, params, key, constrain: Constrain):
    attention_key, mlp_key = jax.random.split(key)
    q, k, v = jnp.einsum("bsf,fthd->tbshd", rms_norm(x, params["scale"][0]), params["qkv"])
    scores = jnp.einsum("bshd,bthd->bhst", q, k) * (FEATURES // HEADS) ** -0.5
    visible = jnp.tril(jnp.ones((SEQUENCE, SEQUENCE), bool))
    weights = jax.nn.softmax(jnp.where(visible, scores, -jnp.inf))
    weights = constrain(dropout(attention_key, weights), "data", "model", None, None)
    x = x + jnp.einsum("bhst,bthd,hdf->bsf", weights, v, params["out"])
    hidden = jax.nn.gelu(rms_norm(x, params["scale"][1]) @ params["w1"])
    return x + dropout(mlp_key, constrain(hidden, "data", None, "model") @ params["w2"])


def build(constrain: Constrain):
    @jax.checkpoint
    def step(x, scanned):
        return layer(x, *scanned, constrain), None

    def loss(params, x, target, key_data):
        keys = jax.random.split(jax.random.wrap_key_data(key_data), LAYERS)
        y, _ = lax.scan(step, x, (params, keys))
        return jnp.mean((y - target) ** 2)

    def transformer_dropout(params, x, target, key_data):
        value, gradients = jax.value_and_grad(loss)(params, x, target, key_data)
        return sgd(params, gradients, 0.1), value

    return transformer_dropout


PROGRAMS = [
    Program(
        name="transformer_dropout",
        mesh={"data": 4, "model": 2},
        build=build,
        arguments=arguments,
        in_specs=(PARAM_SPECS, P("data", None, None), P("data", None, None), P(None)),
        out_specs=(PARAM_SPECS, P()),
    )
]
