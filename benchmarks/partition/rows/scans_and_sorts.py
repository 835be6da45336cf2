# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops that look at a whole dimension, which is cut."""

from table import DATA_MODEL, X8, c64, exchange, f32, gather, jnp, lax, row


# Each device scans its part; the totals before it are added: the 7 others' totals are gathered.
@row(X8, [f32(16, 1024, on="- x")], ["- x"], expert=gather(16, 8, over=8), why="totals of the shards")
def prefix_sums(x):
    return jnp.cumsum(x, 1)


@row(X8, [f32(4096, on="x")], ["x"], expert=gather(8, over=8), why="totals of the shards")
def prefix_sums_of_a_vector(x):
    return jnp.cumsum(x)


@row(X8, [f32(8, 64, 16, on="- x")], ["- x"], expert=gather(8, 16, 8, over=8), why="totals of the shards")
def prefix_sums_along_a_sequence(x):
    return jnp.cumsum(x, 1)


@row(X8, [f32(32, 1024, on="- x")], ["- x"], expert=2 * exchange(32, 128, over=8),
     why="the free batch takes the axis while it is sorted")
def sort_with_a_free_batch(x):
    return jnp.sort(x, 1)


@row(X8, [f32(4096, on="x")], ["x"], expert=gather(4096, over=8),
     why="nothing else is free; a sample sort would be less")
def sort_of_a_vector(x):
    return jnp.sort(x)


# 64 x 16: the columns take the axis, 2 each; their medians are gathered.
@row(X8, [f32(64, 16, on="x")], [""], expert=exchange(8, 16, over=8) + gather(16, over=8),
     why="columns are independent")
def median_of_cut_rows(x):
    return jnp.median(x, 0)


@row(DATA_MODEL, [f32(8, 4096, on="data model")], ["data", "data"], expert=gather(4, 32, over=4, size=8),
     why="each device finds its best eight")
def best_eight(x):
    return tuple(lax.top_k(x, 8))


@row(DATA_MODEL, [f32(8, 4096, on="data model")], ["data"], expert=gather(4, 4, over=4, size=8),
     why="value and index of each device's best")
def index_of_the_largest(x):
    return jnp.argmax(x, -1)


@row(X8, [c64(16, 256, on="- x")], ["- x"], expert=2 * exchange(16, 32, over=8, size=8),
     why="the free batch takes the axis while it is transformed")
def fourier_transform_with_a_free_batch(x):
    return jnp.fft.fft(x, axis=1)


@row(X8, [c64(64, 64, on="x")], ["x"], expert=2 * exchange(8, 64, over=8, size=8), why="rows, then columns, and back")
def fourier_transform_of_a_matrix(x):
    return jnp.fft.fft2(x)


@row(X8, [c64(16, 16, 16, on="x")], ["x"], expert=2 * exchange(2, 16, 16, over=8, size=8),
     why="pencils: two directions at home, one exchange each way")
def fourier_transform_of_a_cube(x):
    return jnp.fft.fft(jnp.fft.fft(jnp.fft.fft(x, axis=2), axis=1), axis=0)
