# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutional networks: batch norm with maximum and average pooling (training step), and an
encoder and decoder with strided, dilated, depthwise and transposed convolutions."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import PartitionSpec as P

from programs.program import Constrain, Program, normal, sgd

BATCH, SIZE, CHANNELS, WIDTH, CLASSES = 8, 10, 3, 6, 5
LAYOUT = ("NHWC", "HWIO", "NHWC")

NORM_SPECS = {"bias": P(None), "dense": P(None, None), "kernel": P(None, None, None, None),
              "offset": P(None), "scale": P(None)}
STATISTICS_SPECS = {"mean": P(None), "variance": P(None)}
IMAGES = P("data", None, None, None)


def norm_arguments(rng: np.random.Generator):
    params = {
        "bias": normal(rng, CLASSES, scale=0.1),
        "dense": normal(rng, WIDTH, CLASSES, scale=WIDTH**-0.5),
        "kernel": normal(rng, 3, 3, CHANNELS, WIDTH, scale=(9 * CHANNELS) ** -0.5),
        "offset": normal(rng, WIDTH, scale=0.1),
        "scale": 1 + normal(rng, WIDTH, scale=0.1),
    }
    statistics = {"mean": normal(rng, WIDTH, scale=0.1), "variance": np.ones(WIDTH, np.float32)}
    labels = rng.integers(0, CLASSES, BATCH, dtype=np.int32)
    return params, statistics, normal(rng, BATCH, SIZE, SIZE, CHANNELS), labels


def batch_norm(x, params, statistics):
    """Returns x normalised over all but the features, and the moving statistics."""
    mean = jnp.mean(x, axis=(0, 1, 2))
    variance = jnp.var(x, axis=(0, 1, 2))
    moved = {
        "mean": 0.9 * statistics["mean"] + 0.1 * mean,
        "variance": 0.9 * statistics["variance"] + 0.1 * variance,
    }
    y = (x - mean) * lax.rsqrt(variance + 1e-5) * params["scale"] + params["offset"]
    return y, jax.tree.map(lax.stop_gradient, moved)


def max_pool(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")


def mean_pool(x):
    return lax.reduce_window(x, 0.0, lax.add, (1, 2, 2, 1), (1, 2, 2, 1), "VALID") / 4


def build_norm(constrain: Constrain):
    def loss(params, statistics, images, labels):
        x = lax.conv_general_dilated(images, params["kernel"], (1, 1), "SAME",
                                     dimension_numbers=LAYOUT)
        x, moved = batch_norm(x, params, statistics)
        x = mean_pool(max_pool(jax.nn.relu(x)))
        x = constrain(jnp.mean(x, axis=(1, 2)), "data", None)
        logits = x @ params["dense"] + params["bias"]
        expected = jax.nn.one_hot(labels, CLASSES)
        return -jnp.mean(jnp.sum(expected * jax.nn.log_softmax(logits), axis=-1)), moved

    def convnet_batch_norm(params, statistics, images, labels):
        grad = jax.value_and_grad(loss, has_aux=True)
        (value, moved), gradients = grad(params, statistics, images, labels)
        return sgd(params, gradients, 0.1), moved, value

    return convnet_batch_norm


CODER_SPECS = {"deep": P(None, None, None, None), "dilated": P(None, None, None, None),
               "strided": P(None, None, None, None), "up": P(None, None, None, None)}


def coder_arguments(rng: np.random.Generator):
    params = {
        "deep": normal(rng, 3, 3, 1, WIDTH, scale=0.3),
        "dilated": normal(rng, 3, 3, WIDTH, WIDTH, scale=(9 * WIDTH) ** -0.5),
        "strided": normal(rng, 3, 3, CHANNELS, WIDTH, scale=(9 * CHANNELS) ** -0.5),
        "up": normal(rng, 2, 2, WIDTH, CHANNELS, scale=(4 * WIDTH) ** -0.5),
    }
    return params, normal(rng, BATCH, SIZE, SIZE, CHANNELS)


def build_coder(constrain: Constrain):
    def reconstruct(params, images):
        x = lax.conv_general_dilated(images, params["strided"], (2, 2), "SAME",
                                     dimension_numbers=LAYOUT)
        x = constrain(jax.nn.elu(x), "data", None, None, None)
        x = lax.conv_general_dilated(x, params["dilated"], (1, 1), "SAME", rhs_dilation=(2, 2),
                                     dimension_numbers=LAYOUT)
        x = lax.conv_general_dilated(jax.nn.softplus(x), params["deep"], (1, 1), "SAME",
                                     feature_group_count=WIDTH, dimension_numbers=LAYOUT)
        return lax.conv_transpose(x, params["up"], (2, 2), "SAME", dimension_numbers=LAYOUT)

    def loss(params, images):
        return jnp.mean((reconstruct(params, images) - images) ** 2)

    def convnet_coder(params, images):
        value, gradients = jax.value_and_grad(loss)(params, images)
        return reconstruct(params, images), sgd(params, gradients, 0.1), value

    return convnet_coder


PROGRAMS = [
    Program(
        name="convnet_batch_norm",
        mesh={"data": 8},
        build=build_norm,
        arguments=norm_arguments,
        in_specs=(NORM_SPECS, STATISTICS_SPECS, IMAGES, P("data")),
        out_specs=(NORM_SPECS, STATISTICS_SPECS, P()),
    ),
    Program(
        name="convnet_coder",
        mesh={"data": 8},
        build=build_coder,
        arguments=coder_arguments,
        in_specs=(CODER_SPECS, IMAGES),
        out_specs=(IMAGES, CODER_SPECS, P()),
    ),
]
