# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Batches cut over devices: data parallel, weights and optimizer state cut over the same devices."""

from rows.models import block_arguments, blocks_gradients, perceptron_loss
from table import DATA_MODEL, X8, all_sum, f32, gather, jax, jnp, lax, row, scatter_sum

MANY = [f32(2048, 64, on="x"), f32(64, 128, on="x"), f32(128, 64, on="x")]
FEW = [f32(64, 128, on="x"), f32(128, 512, on="x"), f32(512, 128, on="x")]


@row(X8, MANY, ["x", "x"], expert=2 * gather(64, 128, over=8) + 2 * scatter_sum(64, 128, over=8),
     why="both weights gathered once and kept, both gradients summed into shards")
def fsdp_step(x, w1, w2):
    return jax.grad(perceptron_loss, (1, 2))(x, w1, w2)


# The form of the papers, where weights are gathered again in the backward pass or kept: with so few tokens
# it is fewer bytes to move activations.
@row(X8, FEW, ["x", "x"], expert=2 * gather(128, 512, over=8) + 2 * scatter_sum(128, 512, over=8),
     why="as fsdp_step; moving the activations of these few tokens is cheaper still")
def fsdp_step_of_few_tokens(x, w1, w2):
    return jax.grad(perceptron_loss, (1, 2))(x, w1, w2)


@row(X8, [f32(2048, 64, on="x"), f32(64, 128), f32(128, 64)], ["", ""], expert=2 * all_sum(64, 128, over=8),
     why="data parallel: two gradients summed up")
def data_parallel_step(x, w1, w2):
    return jax.grad(perceptron_loss, (1, 2))(x, w1, w2)


@row(X8, FEW, ["x", "x"], expert=2 * gather(128, 512, over=8, size=2) + 2 * scatter_sum(128, 512, over=8, size=2),
     why="the same in bf16: converted before they are gathered, summed before they are widened")
def fsdp_step_in_bf16(x, w1, w2):
    def loss(w1, w2):
        narrow = jnp.bfloat16
        hidden = jnp.maximum(x.astype(narrow) @ w1.astype(narrow), 0)
        return jnp.mean((hidden @ w2.astype(narrow)).astype(jnp.float32) ** 2)

    return jax.grad(loss, (0, 1))(w1, w2)


@row(DATA_MODEL, [f32(64, 128, on="data"), f32(128, 512, on="data model"), f32(512, 128, on="model data")],
     ["data model", "model data"],
     expert=2 * gather(128, 128, over=2) + all_sum(32, 128, over=4) + 2 * scatter_sum(128, 128, over=2),
     why="weights gathered over data, the activation summed over model, gradients into shards of data")
def fsdp_and_tensor_parallel_step(x, w1, w2):
    return jax.grad(perceptron_loss, (1, 2))(x, w1, w2)


@row(X8, [f32(64, 32, 64, on="x"), *block_arguments("-", "-", first="x") * 2],
     [argument.on for argument in block_arguments("-", "-", first="x")] * 2,
     expert=691_712,
     why="12 weights gathered once, 12 gradients into shards, 8 of norms summed up")
def fsdp_transformer_step(x, *weights):
    return blocks_gradients(x, weights, ("x", None, None))


@row(X8, [f32(64, 128, on="x"), f32(128, 64), f32(128, 64, on="x"), f32(128, 64, on="x")], ["", "x", "x"],
     expert=scatter_sum(128, 64, over=8) + gather(128, 64, over=8),
     why="ZeRO-1: the gradient is summed into the shards of the moments, the new weight gathered")
def adam_with_cut_moments(x, w, first, second):
    g = jax.grad(lambda w: jnp.mean((x @ w) ** 2))(w)
    first, second = 0.9 * first + 0.1 * g, 0.99 * second + 0.01 * g * g
    return w - 1e-3 * first / (jnp.sqrt(second) + 1e-8), first, second


@row(X8, [f32(2048, 64, on="x"), f32(64, 64), f32(64, 64, on="x"), f32(64, 64, on="x")], ["", "x", "x"],
     expert=scatter_sum(64, 64, over=8) + gather(64, 64, over=8),
     why="the same with as many tokens that moving them costs more: ZeRO-1, and ZeRO-2 as to gradients")
def adam_with_cut_moments_of_many_tokens(x, w, first, second):
    return adam_with_cut_moments(x, w, first, second)


@row(X8, [f32(256, 32, on="x"), f32(256, on="x"), f32(32)], [""], expert=all_sum(32, over=8),
     why="one gradient summed up")
def linear_regression_step(x, y, w):
    return jax.grad(lambda w: jnp.mean((x @ w - y) ** 2))(w)


@row(X8, [f32(64, 16, on="x"), *[f32(16, 16), f32(16)] * 6], [""] * 12, expert=all_sum(6 * (16 * 16 + 16), over=8),
     why="twelve small gradients, best in one collective")
def many_small_gradients(x, *weights):
    def loss(weights):
        h = x
        for w, b in zip(weights[::2], weights[1::2]):
            h = jnp.tanh(h @ w + b)
        return jnp.mean(h**2)

    return jax.grad(loss)(list(weights))


@row(X8, [f32(16, 8, 8, 16, on="x"), f32(16), f32(16)], ["x"], expert=2 * all_sum(16, over=8),
     why="mean and variance of 16 channels summed up")
def batch_norm_of_a_cut_batch(x, scale, shift):
    mean = x.mean((0, 1, 2))
    variance = ((x - mean) ** 2).mean((0, 1, 2))
    return (x - mean) * lax.rsqrt(variance + 1e-5) * scale + shift
