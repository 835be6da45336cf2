# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Text generation: nucleus sampling by sorting, and a decode loop that reads and writes a cache of
keys and values by dynamic slices and stops at an end token."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import PartitionSpec as P

from programs.program import Constrain, Program, normal

BATCH, WORDS, FEATURES, HEADS, SIZE, LENGTH, PROMPT, END = 8, 16, 8, 2, 4, 10, 3, 5


def sampling_arguments(rng: np.random.Generator):
    return normal(rng, BATCH, WORDS, scale=2), np.array([3, 7], np.uint32)


def nucleus(key, logits):
    """Samples from the likeliest words that together have a chance of 0.8."""
    order = jnp.argsort(logits, axis=-1, descending=True)
    chances = jax.nn.softmax(jnp.take_along_axis(logits, order, axis=-1))
    inside = jnp.cumsum(chances, axis=-1) - chances < 0.8
    ordered = jnp.where(inside, jnp.log(chances), -jnp.inf)
    place = jax.random.categorical(key, ordered)
    return jnp.take_along_axis(order, place[:, None], axis=-1)[:, 0], chances


def build_sampling(constrain: Constrain):
    def sampling(logits, key_data):
        key = jax.random.wrap_key_data(key_data)
        words, chances = nucleus(key, constrain(logits, "data", None))
        ranked, numbers = lax.sort_key_val(-logits, lax.broadcasted_iota(jnp.int32, (BATCH, WORDS), 1))
        return words, chances, ranked, numbers, jnp.argmax(logits, axis=1), jnp.median(logits, axis=1)

    return sampling


def decode_arguments(rng: np.random.Generator):
    into = FEATURES**-0.5
    params = {
        "out": normal(rng, HEADS, SIZE, FEATURES, scale=into),
        "qkv": normal(rng, 3, FEATURES, HEADS, SIZE, scale=into),
        "words": normal(rng, WORDS, FEATURES),
    }
    return params, rng.integers(0, WORDS, (BATCH, PROMPT), dtype=np.int32)


def build_decode(constrain: Constrain):
    def attend(params, word, cache, time):
        q, k, v = jnp.einsum("bf,tfhd->tbhd", params["words"][word], params["qkv"])
        cache = lax.dynamic_update_slice(cache, jnp.stack([k, v])[:, :, None], (0, 0, time, 0, 0))
        cache = constrain(cache, None, "data", None, "model", None)
        scores = jnp.einsum("bhd,bthd->bht", q, cache[0])
        weights = jax.nn.softmax(jnp.where(jnp.arange(LENGTH) <= time, scores, -jnp.inf))
        y = jnp.einsum("bht,bthd,hdf->bf", weights, cache[1], params["out"])
        return jnp.argmax(y @ params["words"].T, axis=-1).astype(jnp.int32), cache

    def decode_loop(params, prompt):
        def unfinished(state):
            time, _, _, done = state
            return (time + 1 < LENGTH) & ~jnp.all(done)

        def step(state):
            time, tokens, cache, done = state
            word = lax.dynamic_slice_in_dim(tokens, time, 1, axis=1)[:, 0]
            chosen, cache = attend(params, word, cache, time)
            given = lax.dynamic_slice_in_dim(tokens, time + 1, 1, axis=1)[:, 0]
            chosen = jnp.where(time + 1 < PROMPT, given, jnp.where(done, END, chosen))
            tokens = lax.dynamic_update_slice_in_dim(tokens, chosen[:, None], time + 1, axis=1)
            return time + 1, tokens, cache, done | (chosen == END)

        tokens = jnp.pad(prompt, ((0, 0), (0, LENGTH - PROMPT)), constant_values=END)
        cache = jnp.zeros((2, BATCH, LENGTH, HEADS, SIZE))
        start = jnp.int32(0), tokens, cache, jnp.zeros(BATCH, bool)
        return lax.while_loop(unfinished, step, start)

    return decode_loop


PARAM_SPECS = {"out": P("model", None, None), "qkv": P(None, None, "model", None),
               "words": P(None, None)}

PROGRAMS = [
    Program(
        name="sampling",
        mesh={"data": 8},
        build=build_sampling,
        arguments=sampling_arguments,
        in_specs=(P("data", None), P(None)),
        out_specs=None,
    ),
    Program(
        name="decode_loop",
        mesh={"data": 4, "model": 2},
        build=build_decode,
        arguments=decode_arguments,
        in_specs=(PARAM_SPECS, P("data", None)),
        out_specs=(P(), P("data", None), P(None, "data", None, "model", None), P("data")),
    ),
]
