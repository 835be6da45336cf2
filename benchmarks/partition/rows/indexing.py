# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elements chosen by indices, which only their owners have."""

from table import DATA_MODEL, X8, all_sum, exchange, f32, i32, jax, jnp, lax, row

CACHE = f32(8, 256, 64, on="data model")


@row(DATA_MODEL, [CACHE, f32(8, 1, 64, on="data"), i32()], ["data model"], expert=0,
     why="the owner of the place writes")
def write_into_a_cut_cache(cache, update, place):
    return lax.dynamic_update_slice_in_dim(cache, update, place, 1)


@row(DATA_MODEL, [CACHE, i32()], ["data"], expert=all_sum(4, 1, 64, over=4), why="the owner of the place reads")
def read_from_a_cut_cache(cache, place):
    return lax.dynamic_slice_in_dim(cache, place, 1, 1)


@row(DATA_MODEL, [CACHE, CACHE, f32(8, 64, on="data"), i32()], ["data", "data model"],
     expert=all_sum(4, 64, over=4) + 2 * all_sum(4, over=4),
     why="maximum and sum of the weights, and the weighted values, summed up")
def decoding_over_a_cut_cache(keys, values, query, place):
    keys = lax.dynamic_update_slice_in_dim(keys, query[:, None, :], place, 1)
    scores = jnp.einsum("bd,btd->bt", query, keys)
    scores = jnp.where(jnp.arange(256)[None] <= place, scores, -1e9)
    return jnp.einsum("bt,btd->bd", jax.nn.softmax(scores, -1), values), keys


HEADS_CACHE = f32(8, 256, 8, 16, on="data - model")


@row(DATA_MODEL, [HEADS_CACHE, HEADS_CACHE, f32(8, 8, 16, on="data model"), f32(8, 16, 128, on="model"), i32()],
     ["data", "data - model"], expert=all_sum(4, 128, over=4), why="heads are independent; one sum behind the last product")
def decoding_over_cut_heads(keys, values, query, wo, place):
    keys = lax.dynamic_update_slice_in_dim(keys, query[:, None], place, 1)
    scores = jnp.einsum("bhd,bthd->bht", query, keys)
    scores = jnp.where(jnp.arange(256) <= place, scores, -1e9)
    attended = jnp.einsum("bht,bthd->bhd", jax.nn.softmax(scores, -1), values)
    return jnp.einsum("bhd,hdm->bm", attended, wo), keys


@row(DATA_MODEL, [CACHE, i32(8, on="data"), f32(8, 64, on="data")], ["data model"], expert=0,
     why="with the batch as batch, the owner of each place writes")
def write_at_a_place_of_each(cache, places, updates):
    return cache.at[jnp.arange(8), places].set(updates, mode="drop")


@row(DATA_MODEL, [i32(256, on="data"), f32(256, 64, on="data")], ["model"], expert=all_sum(128, 64, over=2),
     why="each half of the updates adds into its part; the halves are added")
def scatter_of_sums(places, updates):
    return jnp.zeros((512, 64), jnp.float32).at[places].add(updates, mode="drop")


@row(DATA_MODEL, [f32(512, 64, on="model"), i32(32), f32(32, 64)], ["model"], expert=0, why="the owner writes")
def scatter_into_cut_rows(table, places, updates):
    return table.at[places].set(updates, mode="drop")


@row(DATA_MODEL, [f32(32, 512, on="data model"), i32(32, 16, on="data")], ["data"], expert=all_sum(16, 16, over=4),
     why="the owner reads, the others add zeros")
def take_along_a_cut_axis(x, places):
    return jnp.take_along_axis(x, places, 1, mode="clip")


# Rows of 1,024 by indices that every owner has as many of, on the same eight devices. Also sent are, to
# each, how many indices come and where they begin.
TABLE, TOKENS = f32(1024, 64, on="x"), i32(512, on="x")
COUNTS = exchange(8, 2, over=8)
ROWS_ONCE = exchange(64, 64, over=8) + exchange(64, over=8) + COUNTS


def spread(tokens):
    return (tokens + 751 * jnp.arange(512)) % 1024


@row(X8, [TABLE, TOKENS], ["x"], expert=ROWS_ONCE, why="each owner is sent its indices, and sends each row once")
def lookup_in_rows_of_the_same_devices(table, tokens):
    return jnp.take(table, spread(tokens), axis=0, mode="clip")


@row(X8, [f32(512, 64, on="x"), TOKENS], ["x"], expert=ROWS_ONCE, why="each update goes to the owner of its row")
def gradient_of_rows_of_the_same_devices(updates, tokens):
    return jnp.zeros((1024, 64), jnp.float32).at[spread(tokens)].add(updates, mode="drop")


@row(X8, [TABLE, f32(64, 64), TOKENS, f32(512, 64, on="x")], ["x"],
     expert=2 * ROWS_ONCE, why="rows for the lookup, their gradients for the update")
def step_of_an_embedding_of_cut_rows(table, weight, tokens, wanted):
    def loss(table):
        return jnp.sum((jnp.take(table, spread(tokens), axis=0, mode="clip") @ weight - wanted) ** 2)

    return table - 0.1 * jax.grad(loss)(table)
