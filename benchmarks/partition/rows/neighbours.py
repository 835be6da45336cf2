# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elements that move along the dimension that is cut."""

from table import DATA_MODEL, X8, f32, fetch, jnp, row

ROWS = [f32(64, 32, on="x")]


# 16 rows a device of 128, of one operand: none of them is in place but for the first and the last device.
@row(X8, ROWS * 2, ["x"], expert=fetch(16, 32), why="blocks of 8 rows become blocks of 16")
def concatenation(a, b):
    return jnp.concatenate([a, b], 0)


# A device of four wants 32 columns of k or v, and has 16 of them or none; 4 x 16 rows.
@row(DATA_MODEL, [f32(8, 16, 64, on="data - model")] * 2, ["data - model"], expert=fetch(4 * 16, 32),
     why="blocks of 16 columns become blocks of 32")
def concatenation_of_heads(k, v):
    return jnp.concatenate([k, v], 2)


# Rows 8 to 56 over 8 devices are 6 each: device c wants 8 + 6c to 14 + 6c of 8c to 8c + 8, at most 6 rows.
@row(X8, ROWS, ["x"], expert=fetch(6, 32), why="shards of 8 rows become shards of 6")
def slice_of_rows(a):
    return a[8:56] * 2


# Rows -4 to 68 over 8 devices are 9 each; the outer devices want 5 of their own and 4 zeros.
@row(X8, ROWS, ["x"], expert=fetch(3, 32), why="at most three rows of a neighbour")
def padding_of_rows(a):
    return jnp.pad(a, ((4, 4), (0, 0)))


@row(X8, ROWS, ["x"], expert=fetch(8, 32), why="one permute: each shard is another's, turned around")
def reverse_of_rows(a):
    return a[::-1]


@row(X8, ROWS, ["x"], expert=fetch(1, 32), why="one row of the neighbour, around the end")
def roll_by_one(a):
    return jnp.roll(a, 1, 0)


@row(X8, ROWS, ["x"], expert=fetch(1, 32), why="one row of the neighbour")
def difference_to_the_row_before(a):
    return a - jnp.pad(a[:-1], ((1, 0), (0, 0)))


@row(X8, ROWS, ["x"], expert=0, why="every second row of a shard of 8")
def every_second_row(a):
    return a[::2]


@row(X8, ROWS, ["x"], expert=2 * fetch(1, 32), why="a row of each neighbour")
def stencil_of_five_points(u):
    p = jnp.pad(u, ((1, 1), (1, 1)))
    return u + 0.1 * (p[2:, 1:-1] + p[:-2, 1:-1] + p[1:-1, 2:] + p[1:-1, :-2] - 4 * u)
