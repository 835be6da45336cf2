# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values that are wanted cut in another way."""

from table import DATA_MODEL, X8, bf16, exchange, f32, fetch, gather, jnp, lax, row


# A device holds 6 x 4 of 12 x 12 and wants 4 x 6. It has none of it or a part; the busiest receives all.
@row({"a": 2, "b": 3}, [f32(12, 12, on="a b")], ["b a"], expert=fetch(6, 4), why="one exchange")
def swap_of_uneven_axes(x):
    return jnp.tanh(x)


@row(DATA_MODEL, [f32(64, 64, on="data model")], ["model data"], expert=fetch(32, 16), why="one exchange")
def swap_of_axes(x):
    return jnp.tanh(x)


@row(DATA_MODEL, [f32(64, 64, on="data model")], ["data model"], expert=fetch(32, 16), why="one exchange")
def transpose_of_blocks(x):
    return x.T


@row(DATA_MODEL, [bf16(64, 64, on="data model")], ["model data"], expert=fetch(32, 16, size=2), why="one exchange")
def swap_of_axes_in_bf16(x):
    return x + x


# A device has 4 x 8 x 16 of 16 x 16 x 16 and wants 16 x 4 x 8; some have nothing of it.
@row({"a": 2, "b": 2, "c": 2}, [f32(16, 16, 16, on="a,b c -")], ["- a,b c"], expert=fetch(16, 4, 8),
     why="one exchange")
def rotation_of_three_axes(x):
    return jnp.tanh(x)


@row(DATA_MODEL, [f32(64, 64, on="data model")], ["data model"], expert=4 * fetch(32, 16),
     why="one exchange in each of four iterations")
def transposes_in_a_loop(x):
    return lax.fori_loop(0, 4, lambda _, y: jnp.tanh(y.T) - x, x)


@row(DATA_MODEL, [f32(16, 64, on="data model")], ["data,model"], expert=exchange(8, 16, over=4),
     why="columns become rows within data")
def merge_of_cut_columns(x):
    return x.reshape(1024)


@row(X8, [f32(1024, on="x")], ["- x"], expert=exchange(128, over=8), why="rows become columns")
def split_into_columns(x):
    return x.reshape(16, 64)


@row(X8, [f32(8, 16, 16, 3, on="x")], ["x"], expert=0, why="patches stay in their image")
def image_patches(x):
    return x.reshape(8, 4, 4, 4, 4, 3).transpose(0, 1, 3, 2, 4, 5).reshape(8, 16, 48)


@row(X8, [f32(256, 64, on="x"), f32(256, 64, on="- x")], ["", "- x"], expert=gather(256, 64, over=8),
     why="what is gathered for one result is sliced for the other")
def gathered_for_two(v, u):
    return v[::-1] * 1.0, v + u
