# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that are timed: large enough that a step takes longer than its start.

`is_gathered` says that XLA's partitioner gathers a whole value, or makes a whole value of one that is cut and cuts it anew
("rematerialises"), though parts would do. Of the others it moves parts, as many as we do or more.
"""

import dataclasses
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy
from jax.sharding import PartitionSpec as P

DATA_MODEL = {"data": 2, "model": 4}
DATA = {"data": 8}


@dataclasses.dataclass(frozen=True)
class Timed:
    """A function, shapes and specs of its arguments, and specs of its results."""

    name: str
    mesh: dict[str, int]
    function: Callable
    shapes: tuple
    specs: tuple
    results: object
    is_gathered: bool = False


TIMED: list[Timed] = []


def timed(mesh, shapes, specs, results, is_gathered=False):
    def add(function):
        TIMED.append(Timed(function.__name__, mesh, function, tuple(shapes), tuple(specs), results, is_gathered))
        return function

    return add


def attention(x, w, heads=4):
    q, k, v = (jnp.einsum("bsd,dhe->bhse", x, w[name]) for name in "qkv")
    scores = jax.nn.softmax(jnp.einsum("bhse,bhte->bhst", q, k) / numpy.sqrt(q.shape[-1]).astype("float32"))
    return jnp.einsum("bhst,bhte,hed->bsd", scores, v, w["o"])


LAYER = {"q": (256, 4, 64), "k": (256, 4, 64), "v": (256, 4, 64), "o": (4, 64, 256), "up": (256, 1024),
         "down": (1024, 256)}
MEGATRON = {"q": P(None, "model"), "k": P(None, "model"), "v": P(None, "model"), "o": P("model"),
            "up": P(None, "model"), "down": P("model")}
SHARDED = {"q": P("data"), "k": P("data"), "v": P("data"), "o": P(None, "data"), "up": P("data"), "down": P("data")}


def blocks_loss(layers, x):
    for w in layers:
        x = x + attention(x, w)
        x = x + jax.nn.gelu(x @ w["up"]) @ w["down"]
    return jnp.mean(x**2)


def step(layers, x):
    value, gradients = jax.value_and_grad(blocks_loss)(layers, x)
    return jax.tree.map(lambda w, g: w - 0.01 * g, layers, gradients), value


@timed(DATA_MODEL, ([LAYER] * 2, (16, 64, 256)), ([MEGATRON] * 2, P("data")), ([MEGATRON] * 2, P()))
def megatron_step(layers, x):
    return step(layers, x)


@timed(DATA, ([LAYER] * 2, (16, 64, 256)), ([SHARDED] * 2, P("data")), ([SHARDED] * 2, P()))
def fully_sharded_step(layers, x):
    return step(layers, x)


@timed(DATA, ({"in": (256, 1024), "out": (1024, 256)}, (2048, 256)), ({"in": P(), "out": P()}, P("data")),
       ({"in": P(), "out": P()}, P()))
def data_parallel_step(weights, x):
    def loss(weights):
        return jnp.mean((jnp.tanh(x @ weights["in"]) @ weights["out"]) ** 2)

    value, gradients = jax.value_and_grad(loss)(weights)
    return jax.tree.map(lambda w, g: w - 0.1 * g, weights, gradients), value


@timed(DATA_MODEL, ([(512, 2048), (2048, 512)], (512, 512)), ([P(None, "model"), P("model")], P("data")),
       ([P(None, "model"), P("model")], P()))
def megatron_perceptron_step(weights, x):
    def loss(weights):
        return jnp.mean((jax.nn.relu(x @ weights[0]) @ weights[1]) ** 2)

    value, gradients = jax.value_and_grad(loss)(weights)
    return jax.tree.map(lambda w, g: w - 0.1 * g, weights, gradients), value


@timed(DATA, ((8, 4096, 8, 64), (8, 1, 8, 64), (8, 8, 64)), (P(None, "data"), P(), P()), (P(None, "data"), P()))
def decode_from_a_cache_cut_along_the_sequence(cache, new, query):
    cache = jax.lax.dynamic_update_slice(cache, new, (0, 1234, 0, 0))
    weights = jax.nn.softmax(jnp.einsum("bhe,bshe->bhs", query, cache))
    return cache, jnp.einsum("bhs,bshe->bhe", weights, cache)


@timed(DATA, ((1024, 64),), (P("data"),), P("data"), True)
def prefix_sums_along_a_cut_dimension(x):
    return jnp.cumsum(x, axis=0)


@timed(DATA_MODEL, ((2048, 2048),), (P("data", "model"),), P("model", "data"))
def swap_of_axes(x):
    return x * 2


@timed(DATA, ((64, 131072),), (P(None, "data"),), (P(), P()), True)
def largest_of_a_cut_vocabulary(logits):
    return tuple(jax.lax.top_k(logits, 8))


@timed(DATA, ((65536, 128), (2048,)), (P("data"), P("data")), P("data"), True)
def lookup_in_a_table_cut_by_rows(table, indices):
    return table[(jnp.abs(indices) * 1000).astype(jnp.int32) % 65536] * 2


@timed(DATA, ((8, 2048, 256),), (P(None, "data"),), P(None, "data"))
def shift_along_a_cut_sequence(x):
    return x + jnp.pad(x, ((0, 0), (1, 0), (0, 0)))[:, :-1] * 0.5 + jnp.roll(x, 3, axis=1)
