# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A small convolutional classifier, its batch of images split over `data`, weights replicated."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import PartitionSpec as P

from programs.program import Constrain, Program, normal, sgd

BATCH, SIZE, CHANNELS = 16, 12, 3
FIRST, SECOND, CLASSES = 8, 16, 10
RATE = 0.1

PARAM_SPECS = {
    "bias": P(None),
    "dense": P(None, None),
    "kernel1": P(None, None, None, None),
    "kernel2": P(None, None, None, None),
}
IMAGE_SPEC = P("data", None, None, None)


def forward_arguments(rng: np.random.Generator) -> tuple[Any, ...]:
    params = {
        "bias": normal(rng, CLASSES, scale=0.1),
        "dense": normal(rng, SECOND, CLASSES, scale=SECOND**-0.5),
        "kernel1": normal(rng, 3, 3, CHANNELS, FIRST, scale=(9 * CHANNELS) ** -0.5),
        "kernel2": normal(rng, 3, 3, FIRST, SECOND, scale=(9 * FIRST) ** -0.5),
    }
    return params, normal(rng, BATCH, SIZE, SIZE, CHANNELS)


def train_arguments(rng: np.random.Generator) -> tuple[Any, ...]:
    params, images = forward_arguments(rng)
    return params, images, rng.integers(0, CLASSES, BATCH, dtype=np.int32)


def convolve(x, kernel):
    return lax.conv_general_dilated(
        x, kernel, window_strides=(1, 1), padding="SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
    )


def log_probabilities(params, images, constrain: Constrain):
    x = jax.nn.relu(convolve(images, params["kernel1"]))
    x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    x = jax.nn.relu(convolve(x, params["kernel2"]))
    x = constrain(jnp.mean(x, axis=(1, 2)), "data", None)
    return jax.nn.log_softmax(x @ params["dense"] + params["bias"])


def build_forward(constrain: Constrain):
    def convnet(params, images):
        return log_probabilities(params, images, constrain)

    return convnet


def build_train(constrain: Constrain):
    def loss(params, images, labels):
        expected = jax.nn.one_hot(labels, CLASSES)
        return -jnp.mean(jnp.sum(expected * log_probabilities(params, images, constrain), axis=-1))

    def convnet_train(params, images, labels):
        value, gradients = jax.value_and_grad(loss)(params, images, labels)
        return sgd(params, gradients, RATE), value

    return convnet_train


PROGRAMS = [
    Program(
        name="convnet",
        mesh={"data": 8},
        build=build_forward,
        arguments=forward_arguments,
        in_specs=(PARAM_SPECS, IMAGE_SPEC),
        out_specs=P("data", None),
    ),
    Program(
        name="convnet_train",
        mesh={"data": 8},
        build=build_train,
        arguments=train_arguments,
        in_specs=(PARAM_SPECS, IMAGE_SPEC, P("data")),
        out_specs=(PARAM_SPECS, P()),
    ),
]
