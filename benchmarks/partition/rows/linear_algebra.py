# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Factorizations and solves: matrices are whole, batches and right-hand sides are free."""

from table import X8, exchange, f32, gather, jax, jnp, row, written


@row(X8, [f32(8, 64, 64, on="- x")], ["- x"], expert=2 * exchange(8, 8, 64, over=8),
     why="the batch takes the axis, and gives it back")
def cholesky_of_cut_matrices(a):
    return jnp.linalg.cholesky(a @ jnp.swapaxes(a, 1, 2) + 64 * jnp.eye(64))


@row(X8, [f32(64, 64), f32(64, 128, on="- x")], ["- x"], expert=0, why="right-hand sides are independent")
def triangular_solve_of_cut_columns(a, b):
    return jax.scipy.linalg.solve_triangular(jnp.tril(a) + 64 * jnp.eye(64), b, lower=True)


# The product as annotated gathers one operand; the batch takes the axis for the factor. Taking it for the
# product too would be two exchanges, 3,072 bytes.
written("linear_algebra", "cholesky_op_of_cut_rows", gather(8, 16, 16, over=4) + 2 * exchange(8, 4, 16, over=4),
        "the batch takes the axis, and gives it back")
written("linear_algebra", "triangular_solve_op_of_cut_columns", 0, "right-hand sides are independent")
