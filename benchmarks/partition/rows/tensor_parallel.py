# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hidden features, heads and vocabularies cut over devices."""

from rows.models import attention, block_arguments, blocks_gradients, layer_norm, perceptron_loss
from table import DATA_MODEL, all_sum, f32, fetch, gather, i32, jax, jnp, lax, row

WEIGHTS = [f32(64, 128, on="data"), f32(128, 512, on="- model"), f32(512, 128, on="model")]
BLOCK = block_arguments("model", "model")


@row(DATA_MODEL, WEIGHTS, ["data"], expert=all_sum(32, 128, over=4), why="Megatron: one sum behind the second product")
def megatron_forward(x, w1, w2):
    return jax.nn.gelu(x @ w1) @ w2


@row(DATA_MODEL, [f32(512, 128, on="data"), *WEIGHTS[1:]], ["data", "- model", "model"],
     expert=2 * all_sum(256, 128, over=4) + 2 * all_sum(128, 128, over=2),
     why="a sum over model in each direction, the gradients over data")
def megatron_step(x, w1, w2):
    return jax.grad(perceptron_loss, (0, 1, 2))(x, w1, w2)


@row(DATA_MODEL, WEIGHTS, ["data", "- model", "model"],
     expert=2 * all_sum(32, 128, over=4) + 2 * gather(64, 128, over=2),
     why="as megatron_step; to gather these few tokens is cheaper than to sum up gradients")
def megatron_step_of_few_tokens(x, w1, w2):
    return megatron_step(x, w1, w2)


@row(DATA_MODEL, [f32(8, 32, 64, on="data"), *BLOCK * 2], [argument.on for argument in BLOCK] * 2, expert=493_568,
     why="per block two sums over model in each direction; the gradients over data")
def megatron_transformer_step(x, *weights):
    return blocks_gradients(x, weights, ("data", None, None))


@row(DATA_MODEL, [f32(8, 32, 128, on="data"), *[f32(128, 8, 16, on="- model")] * 3, f32(8, 16, 128, on="model")],
     ["data"], expert=all_sum(4, 32, 128, over=4), why="heads are independent; one sum behind the last product")
def attention_over_heads(x, wq, wk, wv, wo):
    return attention(x, wq, wk, wv, wo)


# The local product is 64 rows of 48 columns; a device wants 16 columns each of q, k and v, and has 16 of
# these 48 whichever it is. Fetching columns of the weight, which has 64 rows too, costs as much.
@row(DATA_MODEL, [f32(8, 16, 64, on="data"), f32(64, 192, on="- model")], ["data - model"], expert=fetch(64, 32),
     why="two of three blocks of columns move, of the weight or of the product")
def split_of_fused_projections(x, w):
    q, k, v = jnp.split(x @ w, 3, -1)
    return q * k + v


@row(DATA_MODEL, [f32(64, 256, on="data"), f32(256, 64, on="model")], ["data"], expert=all_sum(32, 64, over=4),
     why="the operand is sliced for nothing, the product summed up")
def product_with_cut_rows(x, w):
    return jax.nn.relu(x @ w)


@row(DATA_MODEL, [f32(1024, 64, on="model"), i32(8, 32, on="data")], ["data"], expert=all_sum(4, 32, 64, over=4),
     why="the owner of a row looks it up, the others add zeros")
def embedding_of_a_cut_vocabulary(table, tokens):
    return jnp.take(table, tokens, axis=0, mode="clip")


@row(DATA_MODEL, [f32(8, 16, 64, on="data"), f32(64, 1024, on="- model"), i32(8, 16, on="data")], [""],
     expert=3 * all_sum(4, 16, over=4) + all_sum(over=2), why="maximum, sum and target logit of each token; the loss")
def loss_over_a_cut_vocabulary(x, w, labels):
    scores = jax.nn.log_softmax(x @ w, -1)
    return -jnp.mean(jnp.take_along_axis(scores, labels[..., None], -1, mode="clip"))


# Four candidates of 4 tokens from each of 4 devices, value and index.
@row(DATA_MODEL, [f32(8, 64, on="data"), f32(64, 1024, on="- model")], ["data"], expert=gather(4, 16, over=4, size=8),
     why="each device finds its best four; only these are gathered")
def best_tokens_of_a_cut_vocabulary(h, w):
    return lax.top_k(h @ w, 4)[1]


@row(DATA_MODEL, [f32(64, 256, on="data model"), f32(256, on="model"), f32(256, on="model")], ["data model"],
     expert=2 * all_sum(32, over=4), why="mean and variance of each row")
def layer_norm_of_cut_features(x, scale, shift):
    return layer_norm(x, scale, shift)


@row(DATA_MODEL, [f32(64, 256, on="data model")], ["data model"], expert=2 * all_sum(32, over=4),
     why="maximum and sum of each row")
def softmax_of_cut_scores(x):
    return jax.nn.softmax(x, -1)


@row(DATA_MODEL, [f32(64, 128, on="data"), f32(128, 256, on="- model"), i32()], ["data model"], expert=0,
     why="neither branch moves anything")
def product_in_a_branch(x, w, choice):
    return lax.cond(choice > 0, lambda: x @ w, lambda: jnp.zeros((64, 256), jnp.float32))
