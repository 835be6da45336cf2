# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions and pooling, with images cut along a side, by batch or by features."""

from table import DATA_MODEL, X8, all_sum, f32, fetch, jax, jnp, lax, row

IMAGE, KERNEL = f32(2, 64, 32, 8, on="- x"), f32(3, 3, 8, 16)


def convolve(x, w, stride=1):
    return lax.conv_general_dilated(x, w, (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


@row(X8, [IMAGE, KERNEL], ["- x"], expert=2 * fetch(2, 32, 8), why="a line of each neighbour")
def convolution_of_cut_images(x, w):
    return convolve(x, w)


@row(X8, [IMAGE, KERNEL], ["- x"], expert=fetch(2, 32, 8), why="with stride 2 the line of one neighbour")
def strided_convolution_of_cut_images(x, w):
    return convolve(x, w, 2)


@row(X8, [IMAGE, KERNEL], [""], expert=2 * fetch(2, 32, 8) + all_sum(3, 3, 8, 16, over=8),
     why="the lines of the neighbours serve both directions; the gradient is summed up")
def gradient_of_a_kernel(x, w):
    return jax.grad(lambda w: jnp.sum(convolve(x, w) ** 2))(w)


@row(X8, [IMAGE], ["- x"], expert=fetch(2, 32, 8), why="windows of 3 with stride 2 reach one line further")
def overlapping_max_pooling(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")


@row(X8, [IMAGE], ["- x"], expert=0, why="windows end where shards end")
def pooling_of_two_by_two(x):
    return lax.reduce_window(x, 0.0, lax.add, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")


@row(DATA_MODEL, [f32(4, 16, 16, 8, on="data"), f32(3, 3, 8, 32, on="- - - model"), f32(3, 3, 32, 8, on="- - model")],
     ["data"], expert=all_sum(2, 16, 16, 8, over=4), why="as Megatron, with channels")
def convolutions_over_features(x, w, v):
    return convolve(jnp.maximum(convolve(x, w), 0), v)
