# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sizes of published models that do not divide, in small: a vocabulary of 50257 (here 57), 25 heads
(here 5), and 257 tokens of an image (here 17). Training steps, but for the heads."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import PartitionSpec as P

from programs.program import Constrain, Program, normal, sgd

BATCH, SEQUENCE, WORDS, FEATURES = 4, 6, 57, 8
HEADS, HEAD_FEATURES = 5, 4
TOKENS, CLASSES = 17, 10


def vocabulary_arguments(rng: np.random.Generator):
    params = {"hidden": normal(rng, FEATURES, FEATURES, scale=0.3),
              "words": normal(rng, WORDS, FEATURES)}
    return params, rng.integers(0, WORDS, (BATCH, SEQUENCE + 1), dtype=np.int32)


def build_vocabulary(constrain: Constrain):
    def loss(params, tokens):
        x = jnp.tanh(jnp.take(params["words"], tokens[:, :-1], axis=0) @ params["hidden"])
        logits = jax.nn.log_softmax(x @ params["words"].T)
        return -jnp.mean(jnp.take_along_axis(logits, tokens[:, 1:, None], axis=-1))

    def uneven_vocabulary(params, tokens):
        value, gradients = jax.value_and_grad(loss)(params, tokens)
        return sgd(params, gradients, 0.1), value

    return uneven_vocabulary


def heads_arguments(rng: np.random.Generator):
    shape = (FEATURES, HEADS, HEAD_FEATURES)
    weights = {name: normal(rng, *shape, scale=0.4) for name in ("key", "query", "value")}
    weights["out"] = normal(rng, HEADS, HEAD_FEATURES, FEATURES, scale=0.4)
    return weights, normal(rng, BATCH, SEQUENCE, FEATURES)


def build_heads(constrain: Constrain):
    def uneven_heads(weights, x):
        query, key, value = (jnp.einsum("bsf,fhd->bhsd", x, weights[name])
                             for name in ("query", "key", "value"))
        scores = jnp.einsum("bhsd,bhtd->bhst", query, key) / jnp.sqrt(1.0 * HEAD_FEATURES)
        earlier = jnp.tril(jnp.ones((SEQUENCE, SEQUENCE), bool))
        scores = jax.nn.softmax(jnp.where(earlier, scores, -jnp.inf))
        mixed = jnp.einsum("bhst,bhtd->bhsd", scores, value)
        return jnp.einsum("bhsd,hdf->bsf", mixed, weights["out"]), jnp.max(scores, axis=1)

    return uneven_heads


def tokens_arguments(rng: np.random.Generator):
    params = {"places": normal(rng, TOKENS, FEATURES),
              "up": normal(rng, FEATURES, 2 * FEATURES, scale=0.3),
              "down": normal(rng, 2 * FEATURES, FEATURES, scale=0.3),
              "classes": normal(rng, FEATURES, CLASSES, scale=0.3)}
    return params, normal(rng, BATCH, TOKENS, FEATURES), rng.integers(
        0, CLASSES, BATCH, dtype=np.int32)


def normalized(x):
    centred = x - jnp.mean(x, axis=-1, keepdims=True)
    return centred * jax.lax.rsqrt(jnp.mean(centred * centred, axis=-1, keepdims=True) + 1e-5)


def build_tokens(constrain: Constrain):
    def loss(params, patches, labels):
        x = patches + params["places"]
        scores = jax.nn.softmax(jnp.einsum("bsf,btf->bst", normalized(x), x) / FEATURES)
        x = x + jnp.einsum("bst,btf->bsf", scores, x)
        x = x + jax.nn.gelu(normalized(x) @ params["up"]) @ params["down"]
        logits = jax.nn.log_softmax(jnp.mean(x, axis=1) @ params["classes"])
        return -jnp.mean(jnp.take_along_axis(logits, labels[:, None], axis=-1))

    def uneven_tokens(params, patches, labels):
        value, gradients = jax.value_and_grad(loss)(params, patches, labels)
        return sgd(params, gradients, 0.1), value

    return uneven_tokens


VOCABULARY_SPECS = {"hidden": P(), "words": P("model", None)}
HEADS_SPECS = {"key": P(None, "model", None), "query": P(None, "model", None),
               "value": P(None, "model", None), "out": P("model", None, None)}
TOKENS_SPECS = {"places": P("model", None), "up": P(), "down": P(), "classes": P()}

PROGRAMS = [
    Program(
        name="uneven_vocabulary",
        mesh={"data": 2, "model": 4},
        build=build_vocabulary,
        arguments=vocabulary_arguments,
        in_specs=(VOCABULARY_SPECS, P("data", None)),
        out_specs=(VOCABULARY_SPECS, P()),
    ),
    Program(
        name="uneven_heads",
        mesh={"data": 2, "model": 4},
        build=build_heads,
        arguments=heads_arguments,
        in_specs=(HEADS_SPECS, P("data", None, None)),
        out_specs=(P("data", None, None), P("data", None, None)),
    ),
    Program(
        name="uneven_tokens",
        mesh={"data": 2, "model": 4},
        build=build_tokens,
        arguments=tokens_arguments,
        in_specs=(TOKENS_SPECS, P("data", "model", None), P("data")),
        out_specs=(TOKENS_SPECS, P()),
    ),
]
