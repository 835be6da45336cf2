# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where partial sums are summed up, and what is done with them before."""

from table import DATA_MODEL, X8, all_sum, f32, gather, jnp, row, scatter_sum

SUMMED = [f32(64, 256, on="- x"), f32(256, 64, on="x")]


@row(X8, SUMMED, ["x"], expert=scatter_sum(64, 64, over=8), why="the sum is wanted in parts")
def product_wanted_in_parts(a, b):
    return a @ b


@row(DATA_MODEL, [f32(64, 128, on="data model"), *[f32(128, 64, on="model")] * 2], ["data"],
     expert=all_sum(32, 64, over=4), why="scaled and added before they are summed up")
def weighted_sum_of_products(a, b, c):
    return 0.5 * (a @ b) + 0.25 * (a @ c)


@row(X8, SUMMED * 2, [""], expert=all_sum(64, 64, over=8), why="scaled and added before they are summed up")
def sum_of_independent_products(a, b, c, d):
    return (a @ b) * 0.5 + (c @ d) * 2.0


@row(X8, SUMMED, [""], expert=all_sum(64, over=8), why="rows are added up before devices are")
def row_sums_of_a_product(a, b):
    return jnp.sum(a @ b, axis=1)


@row(DATA_MODEL, [f32(64, 256, on="data model"), f32(256, 256, on="model")], ["data", "data model"],
     expert=scatter_sum(32, 256, over=4) + all_sum(32, over=4), why="the product in parts serves both results")
def product_used_twice(x, w):
    y = x @ w
    return jnp.sum(y, 1, keepdims=True) * jnp.ones((1, 4)), jnp.tanh(y)


@row(X8, [f32(512, 8, on="- x"), f32(8, 512, on="x")], [""], expert=2 * gather(512, 8, over=8),
     why="the operands are a 64th of the product: gather them")
def outer_product(a, b):
    return a @ b


# x @ a is 64 x 8, of which a device has a column; with b, 8 x 256, it is summed or gathered.
@row(X8, [f32(64, 256), f32(256, 8, on="- x"), f32(8, 256, on="x")], [""],
     expert=gather(64, 8, over=8) + gather(8, 256, over=8), why="the adaptors are smaller than their product")
def low_rank_adaptor(x, a, b):
    return (x @ a) @ b


@row({"a": 2, "b": 2, "c": 2}, [f32(4, 32, 16, on="a b"), f32(4, 32, 16, on="a c")], ["a b c"], expert=0,
     why="each device has what its block of scores needs")
def scores_on_three_axes(q, k):
    return jnp.einsum("bqd,bkd->bqk", q, k)


@row(DATA_MODEL, [f32(64, 64, on="data model")] * 2, ["data model"],
     expert=gather(32, 64, over=4) + gather(64, 16, over=2), why="rows of one and columns of the other are gathered")
def product_of_blocks(a, b):
    return a @ b
