# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops: layers, time steps, micro-batches, and loops that end by their data."""

from table import (DATA_MODEL, X4, X8, all_sum, f32, gather, jax, jnp, lax, row, scatter_sum, written)


def through_layers(x, w):
    return lax.scan(lambda h, layer: (jnp.tanh(h @ layer), None), x, w)[0]


# The form of the paper: 6 layers gathered in the forward, again in the backward pass, gradients into shards.
@row(X8, [f32(64, 128, on="x"), f32(6, 128, 128, on="- x")], ["- x"],
     expert=6 * (2 * gather(128, 128, over=8) + scatter_sum(128, 128, over=8)),
     why="each layer gathered when it is used; moving the activations is cheaper still")
def fsdp_layers_in_a_loop(x, w):
    return jax.grad(lambda w: jnp.sum(through_layers(x, w) ** 2))(w)


@row(X4, [f32(64, 128), f32(8, 128, 128, on="x")], [""], expert=gather(8, 128, 128, over=4),
     why="each layer is needed everywhere, once")
def layers_cut_over_devices(x, w):
    return through_layers(x, w)


@row(DATA_MODEL, [f32(64, 128, on="data"), f32(6, 128, 256, on="- - model"), f32(6, 256, 128, on="- model")], ["data"],
     expert=6 * all_sum(32, 128, over=4), why="one sum a layer")
def megatron_layers_in_a_loop(x, w, v):
    return lax.scan(lambda h, layer: (h + jnp.maximum(h @ layer[0], 0) @ layer[1], None), x, (w, v))[0]


@row(X8, [f32(4, 64, 128, on="- x"), f32(128, 64, on="x")], ["x"],
     expert=gather(128, 64, over=8) + scatter_sum(128, 64, over=8),
     why="the weight is gathered before the loop, the gradient summed up behind it (--memory-limit 256KiB)",
     options=["--memory-limit", "256KiB"])
def accumulation_of_gradients(batches, w):
    def step(gradient, x):
        return gradient + jax.grad(lambda w: jnp.sum((x @ w) ** 2))(w), None

    return lax.scan(step, jnp.zeros_like(w), batches)[0]


@row(X8, [f32(12, 64, 128, on="- x"), f32(128, 128, on="x")], ["x"], expert=gather(128, 128, over=8),
     why="the weight of all steps is gathered once")
def recurrence_with_a_cut_weight(inputs, w):
    return lax.scan(lambda h, x: (jnp.tanh(h @ w + x), None), jnp.zeros((64, 128), jnp.float32), inputs)[0]


# Five steps: a @ v over model (128 rows), its transpose over data (64 columns), the square of the norm over model.
@row(DATA_MODEL, [f32(256, 256, on="data model"), f32(256, on="model")], ["model"],
     expert=5 * (all_sum(128, over=4) + all_sum(64, over=2) + all_sum(over=4)),
     why="two products and a norm a step")
def power_iteration(a, v):
    def step(carry):
        i, v = carry
        u = a.T @ (a @ v)
        return i + 1, u / jnp.linalg.norm(u)

    return lax.while_loop(lambda carry: carry[0] < 5, step, (0, v))[1]


# Random inputs make it five conditions; XLA knows no count, measure.py tells it.
@row(X8, [f32(64, 32, on="x")], ["x"], expert=5 * all_sum(over=8), why="the norm of each step")
def loop_until_small(v):
    return lax.while_loop(lambda v: jnp.sum(v * v) > 1.0, lambda v: v * 0.5, v)


written("loops", "captured_weight_in_a_loop", gather(16, 16, over=4), "gathered before the loop, not in it")
written("loops", "carried_weight_in_a_loop", gather(16, 16, over=4),
        "the same where the loop carries what it does not change")
