# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sizes that the devices do not divide. JAX refuses them at the border of a program."""

from table import X4, X8, all_sum, constrain, exchange, f32, fetch, gather, jax, jnp, row, written

written("uneven", "uneven_argument", 0, "3, 3, 3 and 1 rows: nothing moves")
written("uneven", "uneven_reduction", all_sum(32, over=4), "padding is neutral; one sum")


# The 10 columns are 3, 3, 3 and 1: from 4 rows a device to 3 columns, and back; an even exchange pads to 12.
@row(X4, [f32(16, 32, on="x"), f32(32, 10)], ["x"], expert=2 * exchange(4, 12, over=4),
     why="the product goes from rows to columns and back")
def uneven_constraint(a, w):
    h = constrain(a @ w, None, "x")
    return jnp.tanh(h) @ w.T


# 6 heads are 2, 2, 2 and none; the last device receives all of 16 x 24.
@row(X4, [f32(16, 32), f32(32, 24)], [""], expert=gather(16, 32, over=4), why="the result is gathered")
def uneven_heads(a, w):
    h = constrain((a @ w).reshape(16, 6, 4), None, "x", None)
    return jnp.tanh(h).reshape(16, 24)


# 12 rows are 2 on six devices and none on two: from columns to rows and back, padded to 16.
@row(X8, [f32(16, 64, on="x"), f32(64, 12)], ["x"], expert=2 * exchange(2, 16, over=8),
     why="rows for a moment, back for the softmax")
def uneven_sequence(x, w):
    scores = constrain((x @ w).T, "x", None)
    return jax.nn.softmax(scores, 0).T @ w.T


# 24 columns over 4 devices are 6 each, one head and a half of 4: a device fetches at most 6 columns of 16 rows.
written("uneven", "heads_that_propagation_cuts", 16 * 6 * 4, "half a head from the neighbour")

written("uneven", "convolution_of_uneven_images", 2 * fetch(2, 16, 8) + fetch(2, 16, 16),
        "a line of each neighbour, then one of one neighbour")
written("uneven", "stencil_of_uneven_rows", 2 * fetch(64), "a row of each neighbour")
