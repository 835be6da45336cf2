# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Perceptrons in other number formats than f32: bf16 with f32 sums, and i8 with i32 sums."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import PartitionSpec as P

from programs.program import Constrain, Program, normal, sgd

BATCH, FEATURES, HIDDEN, CLASSES = 16, 24, 32, 8
PARAM_SPECS = {"w1": P(None, "model"), "w2": P("model", None)}


def make_params(rng: np.random.Generator) -> dict[str, np.ndarray]:
    return {
        "w1": normal(rng, FEATURES, HIDDEN, scale=FEATURES**-0.5),
        "w2": normal(rng, HIDDEN, CLASSES, scale=HIDDEN**-0.5),
    }


def mixed_arguments(rng: np.random.Generator):
    labels = rng.integers(0, CLASSES, BATCH, dtype=np.int32)
    return make_params(rng), normal(rng, BATCH, FEATURES), labels


def build_mixed(constrain: Constrain):
    def loss(params, x, labels):
        half = jax.tree.map(lambda p: p.astype(jnp.bfloat16), params)
        hidden = jax.nn.silu(x.astype(jnp.bfloat16) @ half["w1"])
        hidden = constrain(hidden, "data", "model")
        logits = jnp.dot(hidden, half["w2"], preferred_element_type=jnp.float32)
        chosen = jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], axis=1)
        return -jnp.mean(chosen)

    def mlp_bf16(params, x, labels):
        value, gradients = jax.value_and_grad(loss)(params, x, labels)
        return sgd(params, gradients, 0.1), value

    return mlp_bf16


def quantized_arguments(rng: np.random.Generator):
    return make_params(rng), normal(rng, BATCH, FEATURES)


def quantize(x):
    """Returns x in i8 steps, and the step."""
    step = jnp.max(jnp.abs(x)) / 127
    return jnp.clip(jnp.round(x / step), -127, 127).astype(jnp.int8), step


def build_quantized(constrain: Constrain):
    def quantized_dot(x, w):
        (x8, x_step), (w8, w_step) = quantize(x), quantize(w)
        sums = jax.lax.dot(x8, w8, preferred_element_type=jnp.int32)
        return sums.astype(jnp.float32) * (x_step * w_step)

    def mlp_int8(params, x):
        hidden = jax.nn.relu(constrain(quantized_dot(x, params["w1"]), "data", "model"))
        return quantized_dot(hidden, params["w2"])

    return mlp_int8


MESH = {"data": 4, "model": 2}

PROGRAMS = [
    Program(
        name="mlp_bf16",
        mesh=MESH,
        build=build_mixed,
        arguments=mixed_arguments,
        in_specs=(PARAM_SPECS, P("data", None), P("data")),
        out_specs=(PARAM_SPECS, P()),
        # A gradient is a bf16 sum over `data`, of partial sums that are rounded.
        tolerance=1e-2,
    ),
    Program(
        name="mlp_int8",
        mesh=MESH,
        build=build_quantized,
        arguments=quantized_arguments,
        in_specs=(PARAM_SPECS, P("data", None)),
        out_specs=P("data", None),
    ),
]
