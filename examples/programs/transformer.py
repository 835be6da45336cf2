# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One pre-norm transformer block: the batch over `data`, heads and MLP hidden over `model`.

Attention and the MLP each end in a contraction over a dimension split over `model`, so the forward
pass needs one sum over `model` for each of the two.
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import PartitionSpec as P

from programs.program import Constrain, Program, normal, sgd

BATCH, SEQUENCE, FEATURES = 8, 16, 32
HEADS, HEAD_SIZE, HIDDEN = 4, 8, 64
RATE = 0.1

PARAM_SPECS = {
    "b1": P("model"),
    "b2": P(None),
    "norm1_bias": P(None),
    "norm1_scale": P(None),
    "norm2_bias": P(None),
    "norm2_scale": P(None),
    "w1": P(None, "model"),
    "w2": P("model", None),
    "wk": P(None, "model", None),
    "wo": P("model", None, None),
    "wq": P(None, "model", None),
    "wv": P(None, "model", None),
}
ACTIVATION_SPEC = P("data", None, None)


def make_params(rng: np.random.Generator) -> dict[str, np.ndarray]:
    into = FEATURES**-0.5
    return {
        "b1": normal(rng, HIDDEN, scale=0.1),
        "b2": normal(rng, FEATURES, scale=0.1),
        "norm1_bias": normal(rng, FEATURES, scale=0.1),
        "norm1_scale": 1 + normal(rng, FEATURES, scale=0.1),
        "norm2_bias": normal(rng, FEATURES, scale=0.1),
        "norm2_scale": 1 + normal(rng, FEATURES, scale=0.1),
        "w1": normal(rng, FEATURES, HIDDEN, scale=into),
        "w2": normal(rng, HIDDEN, FEATURES, scale=HIDDEN**-0.5),
        "wk": normal(rng, FEATURES, HEADS, HEAD_SIZE, scale=into),
        "wo": normal(rng, HEADS, HEAD_SIZE, FEATURES, scale=into),
        "wq": normal(rng, FEATURES, HEADS, HEAD_SIZE, scale=into),
        "wv": normal(rng, FEATURES, HEADS, HEAD_SIZE, scale=into),
    }


def forward_arguments(rng: np.random.Generator) -> tuple[Any, ...]:
    return make_params(rng), normal(rng, BATCH, SEQUENCE, FEATURES)


def train_arguments(rng: np.random.Generator) -> tuple[Any, ...]:
    params, x = forward_arguments(rng)
    return params, x, normal(rng, BATCH, SEQUENCE, FEATURES)


def layer_norm(x, scale, bias):
    mean = jnp.mean(x, axis=-1, keepdims=True)
    variance = jnp.mean((x - mean) ** 2, axis=-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(variance + 1e-5) * scale + bias


def attention(params, x, constrain: Constrain):
    query = jnp.einsum("bsd,dhk->bshk", x, params["wq"])
    key = jnp.einsum("bsd,dhk->bshk", x, params["wk"])
    value = jnp.einsum("bsd,dhk->bshk", x, params["wv"])
    scores = jnp.einsum("bqhk,bshk->bhqs", query, key) * HEAD_SIZE**-0.5
    causal = jnp.tril(jnp.ones((SEQUENCE, SEQUENCE), dtype=bool))
    weights = jax.nn.softmax(jnp.where(causal, scores, -1e9), axis=-1)
    weights = constrain(weights, "data", "model", None, None)
    mixed = jnp.einsum("bhqs,bshk->bqhk", weights, value)
    return jnp.einsum("bqhk,hkd->bqd", mixed, params["wo"])


def block(params, x, constrain: Constrain):
    normed = layer_norm(x, params["norm1_scale"], params["norm1_bias"])
    x = constrain(x + attention(params, normed, constrain), "data", None, None)
    normed = layer_norm(x, params["norm2_scale"], params["norm2_bias"])
    hidden = jax.nn.gelu(normed @ params["w1"] + params["b1"], approximate=False)
    return constrain(x + hidden @ params["w2"] + params["b2"], "data", None, None)


def build_forward(constrain: Constrain):
    def transformer_forward(params, x):
        return block(params, x, constrain)

    return transformer_forward


def build_train(constrain: Constrain):
    def loss(params, x, target):
        return jnp.mean((block(params, x, constrain) - target) ** 2)

    def transformer_train(params, x, target):
        value, gradients = jax.value_and_grad(loss)(params, x, target)
        return sgd(params, gradients, RATE), value

    return transformer_train


PROGRAMS = [
    Program(
        name="transformer_forward",
        mesh={"data": 4, "model": 2},
        build=build_forward,
        arguments=forward_arguments,
        in_specs=(PARAM_SPECS, ACTIVATION_SPEC),
        out_specs=ACTIVATION_SPEC,
    ),
    Program(
        name="transformer_train",
        mesh={"data": 4, "model": 2},
        build=build_train,
        arguments=train_arguments,
        in_specs=(PARAM_SPECS, ACTIVATION_SPEC, ACTIVATION_SPEC),
        out_specs=(PARAM_SPECS, P()),
    ),
]
