# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Training steps that are timed: a function, its arguments, and how a mesh cuts them.

All of them are what users write in JAX: a loss, its gradient, an update. Weights and states of the optimizer are
arguments and results, so that a step can follow a step.
"""

import dataclasses
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy
from jax.sharding import PartitionSpec as P


@dataclasses.dataclass(frozen=True)
class Step:
    """A training step on a mesh.

    Attributes:
        name: What the table calls it.
        mesh: Axis names with sizes; empty for one device.
        function: The step: arguments to results.
        arguments: Makes the arguments, any pytrees, from a seeded generator.
        specs: A `PartitionSpec` for each argument leaf, a pytree like the arguments.
        results: The same of the results.
    """

    name: str
    mesh: dict[str, int]
    function: Callable[..., Any]
    arguments: Callable[[numpy.random.Generator], tuple[Any, ...]]
    specs: tuple[Any, ...]
    results: Any


def normal(generator, *shape, scale=1.0):
    return (scale * generator.standard_normal(shape)).astype(numpy.float32)


def weights_of(generator, shapes):
    """Weights of the given shapes, scaled by the number of terms of each sum."""
    return {name: normal(generator, *shape, scale=numpy.prod(shape[:-1]) ** -0.5) for name, shape in shapes.items()}


def adam(weights, gradients, first, second, rate=1e-3):
    """Weights and moments after a step of Adam, without the correction of the first steps."""
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, gradients)
    second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, second, gradients)
    weights = jax.tree.map(lambda w, m, v: w - rate * m / (jnp.sqrt(v) + 1e-8), weights, first, second)
    return weights, first, second


def adam_step(loss):
    def step(weights, first, second, *batch):
        value, gradients = jax.value_and_grad(loss)(weights, *batch)
        return *adam(weights, gradients, first, second), value

    return step


def adam_arguments(make_weights, make_batch):
    def make(generator):
        weights = make_weights(generator)
        moments = jax.tree.map(lambda w: numpy.zeros_like(w) + 1e-4, weights)
        return weights, moments, moments, *make_batch(generator)

    return make


# A transformer, as in GPT: 4 layers, 512 wide, 8 heads, 4 times as wide inside.
LAYERS, WIDTH, HEADS, HIDDEN, SEQUENCE, BATCH = 4, 512, 8, 2048, 128, 16
HEAD = WIDTH // HEADS
LAYER = {"q": (WIDTH, HEADS, HEAD), "k": (WIDTH, HEADS, HEAD), "v": (WIDTH, HEADS, HEAD), "o": (HEADS, HEAD, WIDTH),
         "up": (WIDTH, HIDDEN), "down": (HIDDEN, WIDTH), "scale1": (WIDTH,), "scale2": (WIDTH,)}
BY_HEADS = {"q": P(None, "model"), "k": P(None, "model"), "v": P(None, "model"), "o": P("model"),
            "up": P(None, "model"), "down": P("model"), "scale1": P(), "scale2": P()}


def norm(x, scale):
    mean = jnp.mean(x, axis=-1, keepdims=True)
    variance = jnp.mean((x - mean) ** 2, axis=-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(variance + 1e-5) * (1 + scale)


def attention(w, x):
    q, k, v = (jnp.einsum("bsd,dhk->bshk", x, w[name]) for name in "qkv")
    scores = jnp.einsum("bqhk,bshk->bhqs", q, k) * HEAD**-0.5
    causal = jnp.tril(jnp.ones((SEQUENCE, SEQUENCE), dtype=bool))
    scores = jax.nn.softmax(jnp.where(causal, scores, -1e9), axis=-1)
    return jnp.einsum("bqhk,hkd->bqd", jnp.einsum("bhqs,bshk->bqhk", scores, v), w["o"])


def transformer_loss(layers, x, target):
    for w in layers:
        x = x + attention(w, norm(x, w["scale1"]))
        x = x + jax.nn.gelu(norm(x, w["scale2"]) @ w["up"]) @ w["down"]
    return jnp.mean((x - target) ** 2)


transformer_arguments = adam_arguments(
    lambda generator: [weights_of(generator, LAYER) for _ in range(LAYERS)],
    lambda generator: (normal(generator, BATCH, SEQUENCE, WIDTH), normal(generator, BATCH, SEQUENCE, WIDTH)))


# A network of convolutions for images of 32 x 32.
CHANNELS = (3, 32, 64, 128)
IMAGES = 128


def convnet_weights(generator):
    weights = {f"c{i}": normal(generator, 3, 3, ins, outs, scale=(9 * ins) ** -0.5)
               for i, (ins, outs) in enumerate(zip(CHANNELS, CHANNELS[1:]))}
    weights["dense"] = normal(generator, CHANNELS[-1] * 16, 10, scale=0.02)
    return weights


def convnet_loss(weights, images, labels):
    x = images
    for i in range(len(CHANNELS) - 1):
        x = jax.lax.conv_general_dilated(x, weights[f"c{i}"], (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
        x = jax.nn.relu(x)
        x = jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    logits = x.reshape(x.shape[0], -1) @ weights["dense"]
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], axis=1))


convnet_arguments = adam_arguments(
    convnet_weights, lambda generator: (normal(generator, IMAGES, 32, 32, 3),
                                        generator.integers(0, 10, IMAGES).astype(numpy.int32)))


# A mixture of experts as in Mixtral, with a fixed place for each token of an expert: gates, top 2, products of experts.
EXPERTS, TOKENS, CAPACITY = 8, 2048, 640
MOE = {"gate": (WIDTH, EXPERTS), "up": (EXPERTS, WIDTH, 1024), "down": (EXPERTS, 1024, WIDTH)}
BY_EXPERT = {"gate": P(), "up": P("data"), "down": P("data")}


def moe_loss(w, x, target):
    gates, chosen = jax.lax.top_k(jax.nn.softmax(x @ w["gate"]), 2)
    one_hot = jax.nn.one_hot(chosen, EXPERTS)  # TOKENS x 2 x EXPERTS
    place = jnp.cumsum(one_hot.reshape(-1, EXPERTS), axis=0).reshape(one_hot.shape) * one_hot - 1
    # Which place of which expert each token has; a token without place is left out.
    place = jnp.max(place, axis=-1).astype(jnp.int32)
    fits = (place < CAPACITY).astype(x.dtype)
    slot = chosen * CAPACITY + jnp.minimum(place, CAPACITY - 1)
    rows = jnp.zeros((EXPERTS * CAPACITY, WIDTH), x.dtype)
    rows = rows.at[slot.reshape(-1)].add((x[:, None, :] * fits[..., None]).reshape(-1, WIDTH))
    rows = rows.reshape(EXPERTS, CAPACITY, WIDTH)
    hidden = jax.nn.silu(jnp.einsum("ecd,edf->ecf", rows, w["up"]))
    rows = jnp.einsum("ecf,efd->ecd", hidden, w["down"]).reshape(-1, WIDTH)
    y = jnp.sum(rows[slot] * (gates * fits)[..., None], axis=1)
    return jnp.mean((x + y - target) ** 2)


def moe_weights(generator):
    weights = weights_of(generator, MOE)
    # One expert is as large as a layer.
    return {"gate": weights["gate"], "up": weights["up"] * EXPERTS**0.5, "down": weights["down"] * EXPERTS**0.5}


moe_arguments = adam_arguments(
    moe_weights, lambda generator: (normal(generator, TOKENS, WIDTH), normal(generator, TOKENS, WIDTH)))


# A plain network.
MLP = {"w1": (1024, 2048), "w2": (2048, 2048), "w3": (2048, 1024)}
MLP_BY_MODEL = {"w1": P(None, "model"), "w2": P("model", None), "w3": P(None, "model")}


def mlp_loss(w, x, target):
    return jnp.mean((jnp.tanh(jnp.tanh(x @ w["w1"]) @ w["w2"]) @ w["w3"] - target) ** 2)


mlp_arguments = adam_arguments(
    lambda generator: weights_of(generator, MLP),
    lambda generator: (normal(generator, 1024, 1024), normal(generator, 1024, 1024)))


def steps_of(name, loss, arguments, weights, by_data, by_model=None):
    """The step on one device, on 8 by data, and with `by_model` on 4 x 2 by data and model."""
    batch = (P("data"), P("data"))
    replicated = jax.tree.map(lambda _: P(), weights)

    def step(mesh, of_weights, of_batch):
        label = f"{name} {' '.join(f'{axis}={size}' for axis, size in mesh.items()) or 'one device'}"
        return Step(label, mesh, adam_step(loss), arguments, (of_weights, of_weights, of_weights, *of_batch),
                    (of_weights, of_weights, of_weights, P()))

    yield step({}, replicated, (P(), P()))
    yield step({"data": 8}, by_data or replicated, batch)
    if by_model:
        yield step({"data": 4, "model": 2}, by_model, batch)


STEPS = [
    *steps_of("transformer", transformer_loss, transformer_arguments, [dict.fromkeys(LAYER, 0)] * LAYERS, None, [BY_HEADS] * LAYERS),
    *steps_of("convnet", convnet_loss, convnet_arguments, dict.fromkeys(("c0", "c1", "c2", "dense"), 0), None),
    *steps_of("moe", moe_loss, moe_arguments, dict.fromkeys(MOE, 0), BY_EXPERT),
    *steps_of("mlp", mlp_loss, mlp_arguments, dict.fromkeys(MLP, 0), None, MLP_BY_MODEL),
]
