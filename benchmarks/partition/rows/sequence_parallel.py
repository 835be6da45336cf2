# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sequences cut over devices, and tokens that go to experts on other devices."""

from rows.models import block_arguments, blocks_gradients, layer_norm
from table import DATA_MODEL, X8, all_sum, constrain, exchange, f32, fetch, gather, jax, jnp, lax, row, scatter_sum, written

LAYER = [f32(8, 64, 128, on="data model"), f32(128), f32(128), f32(128, 512, on="- model"), f32(512, 128, on="model")]
BLOCK = block_arguments("model", "model")


def cut_perceptron(x, scale, shift, w1, w2):
    hidden = constrain(jax.nn.gelu(layer_norm(x, scale, shift) @ w1), "data", None, "model")
    return x + constrain(hidden @ w2, "data", "model", None)


@row(DATA_MODEL, LAYER, ["data model"], expert=gather(4, 64, 128, over=4) + scatter_sum(4, 64, 128, over=4),
     why="gathered before the first product, summed into shards behind the second")
def sequence_parallel_forward(x, scale, shift, w1, w2):
    return cut_perceptron(x, scale, shift, w1, w2)


# Forward and backward each gather and sum one activation; the weights' gradients are summed over data,
# those of the norm over all devices.
@row(DATA_MODEL, LAYER, [argument.on for argument in LAYER],
     expert=2 * (gather(4, 64, 128, over=4) + scatter_sum(4, 64, 128, over=4)) + 2 * all_sum(128, 128, over=2)
     + 2 * all_sum(128, over=8),
     why="as forward, in both directions; the gradients of the weights")
def sequence_parallel_step(x, scale, shift, w1, w2):
    def loss(*arguments):
        return jnp.sum(cut_perceptron(*arguments) ** 2)

    return jax.grad(loss, (0, 1, 2, 3, 4))(x, scale, shift, w1, w2)


@row(DATA_MODEL, [f32(8, 32, 64, on="data model"), *BLOCK * 2], [argument.on for argument in BLOCK] * 2,
     expert=495_104, why="four gathers and four sums into shards a block")
def sequence_parallel_transformer_step(x, *weights):
    return blocks_gradients(x, weights, ("data", "model", None))


@row(X8, [f32(2, 64, 8, 16, on="- x")] * 3, ["- x"], expert=4 * exchange(2, 8, 8, 16, over=8),
     why="Ulysses: q, k, v go from sequence to heads, the result back")
def ulysses_attention(q, k, v):
    q, k, v = (constrain(t, None, None, "x", None) for t in (q, k, v))
    weights = jax.nn.softmax(jnp.einsum("bshd,bthd->bhst", q, k), -1)
    return jnp.einsum("bhst,bthd->bshd", weights, v)


# One head of keys and values for eight of queries: to gather these two is cheaper than to move queries.
@row(X8, [f32(2, 64, 8, 16, on="- x"), f32(2, 64, 16, on="- x"), f32(2, 64, 16, on="- x")], ["- x"],
     expert=2 * gather(2, 64, 16, over=8), why="keys and values are gathered over the sequence, queries stay")
def context_parallel_attention(q, k, v):
    scores = jnp.einsum("bshd,btd->bhst", q, k) / 4.0
    later = jnp.arange(64)[None, :] > jnp.arange(64)[:, None]
    weights = jax.nn.softmax(jnp.where(later, -1e9, scores), -1)
    return jnp.einsum("bhst,btd->bshd", weights, v)


@row(X8, [f32(4, 64, 32, on="- x"), f32(4, 1, 32)], ["- x"], expert=fetch(4, 3, 32),
     why="the last three positions of the device before")
def causal_depthwise_convolution(x, kernel):
    return lax.conv_general_dilated(x, kernel, (1,), [(3, 0)], dimension_numbers=("NWC", "WIO", "NWC"),
                                    feature_group_count=32)


# The recurrence h = decay * h + x. A shard gives the product of its decays and its last state.
@row(X8, [f32(4, 64, 32, on="- x"), f32(4, 64, 32, on="- x")], ["- x"], expert=2 * gather(4, 8, 32, over=8),
     why="the last decay and state of each shard")
def associative_scan_along_a_sequence(decay, x):
    def join(one, two):
        return one[0] * two[0], two[0] * one[1] + two[1]

    return lax.associative_scan(join, (decay, x), axis=1)[1]


@row(DATA_MODEL, [f32(8, 64, 32, on="data model")], ["data model"], expert=0, why="each position has its own angle")
def rotary_positions(x):
    a, b = x[..., :16], x[..., 16:]
    angle = jnp.arange(64)[None, :, None] * 0.01
    return jnp.concatenate([a * jnp.cos(angle) - b * jnp.sin(angle), a * jnp.sin(angle) + b * jnp.cos(angle)], -1)


# Per group 8 experts x 8 places x 64 features go out and come back.
@row(X8, [f32(8, 32, 64, on="x"), f32(64, 8), f32(8, 64, 128, on="x"), f32(8, 128, 64, on="x")], ["x"],
     expert=2 * exchange(8, 8, 64, over=8), why="tokens to their experts and back; routing stays at home")
def dense_mixture_of_experts(x, gate, w1, w2):
    scores = jax.nn.softmax(jnp.einsum("gsd,de->gse", x, gate), -1)
    chosen = jax.nn.one_hot(jnp.argmax(scores, -1), 8)
    place = jnp.cumsum(chosen, axis=1) * chosen - 1
    dispatch = chosen[..., None] * jax.nn.one_hot(place, 8)
    combine = dispatch * jnp.max(scores, -1)[..., None, None]
    tokens = constrain(jnp.einsum("gsec,gsd->egcd", dispatch, x), "x", None, None, None)
    hidden = jnp.maximum(jnp.einsum("egcd,edf->egcf", tokens, w1), 0)
    out = constrain(jnp.einsum("egcf,efd->egcd", hidden, w2), "x", None, None, None)
    return jnp.einsum("gsec,egcd->gsd", combine, out)


# How many tokens go to an expert depends on the data: a program of fixed shapes gives every device all of
# them, and each computes the rows of its experts, which are zero elsewhere. JAX writes for other platforms
# than the CPU:
#     order = jnp.argsort(chosen)
#     hidden = jnp.maximum(lax.ragged_dot(x[order], w1, sizes), 0)
#     jnp.zeros_like(x).at[order].set(lax.ragged_dot(hidden, w2, sizes)) * weight
written("sequence_parallel", "ragged_mixture_of_experts",
        gather(256, over=8) + gather(256, 64, over=8) + scatter_sum(256, 64, over=8),
        "choices and tokens are gathered, results summed into shards")
