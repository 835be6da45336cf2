# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A recurrent network over time (`lax.scan`): the batch over `data`, the hidden state over `model`.

The recurrent weight is split on its output dimension, so each step gathers the state over `model`
inside the loop.
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import PartitionSpec as P

from programs.program import Constrain, Program, normal, sgd

TIME, BATCH, FEATURES, HIDDEN, TARGETS = 16, 8, 16, 32, 8
RATE = 0.1

PARAM_SPECS = {
    "bias": P("model"),
    "input": P(None, "model"),
    "readout": P("model", None),
    "recurrent": P(None, "model"),
}


def arguments(rng: np.random.Generator) -> tuple[Any, ...]:
    params = {
        "bias": normal(rng, HIDDEN, scale=0.1),
        "input": normal(rng, FEATURES, HIDDEN, scale=FEATURES**-0.5),
        "readout": normal(rng, HIDDEN, TARGETS, scale=HIDDEN**-0.5),
        "recurrent": normal(rng, HIDDEN, HIDDEN, scale=HIDDEN**-0.5),
    }
    return params, normal(rng, TIME, BATCH, FEATURES), normal(rng, TIME, BATCH, TARGETS)


def predict(params, xs, constrain: Constrain):
    def step(state, x):
        state = jnp.tanh(x @ params["input"] + state @ params["recurrent"] + params["bias"])
        state = constrain(state, "data", "model")
        return state, state

    _, states = lax.scan(step, jnp.zeros((BATCH, HIDDEN), xs.dtype), xs)
    return states @ params["readout"]


def build_forward(constrain: Constrain):
    def rnn_scan(params, xs, targets):
        ys = predict(params, xs, constrain)
        return ys, jnp.mean((ys - targets) ** 2)

    return rnn_scan


def build_train(constrain: Constrain):
    def loss(params, xs, targets):
        return jnp.mean((predict(params, xs, constrain) - targets) ** 2)

    def rnn_train(params, xs, targets):
        value, gradients = jax.value_and_grad(loss)(params, xs, targets)
        return sgd(params, gradients, RATE), value

    return rnn_train


SEQUENCE_SPEC = P(None, "data", None)

PROGRAMS = [
    Program(
        name="rnn_scan",
        mesh={"data": 4, "model": 2},
        build=build_forward,
        arguments=arguments,
        in_specs=(PARAM_SPECS, SEQUENCE_SPEC, SEQUENCE_SPEC),
        out_specs=(SEQUENCE_SPEC, P()),
    ),
    Program(
        name="rnn_train",
        mesh={"data": 4, "model": 2},
        build=build_train,
        arguments=arguments,
        in_specs=(PARAM_SPECS, SEQUENCE_SPEC, SEQUENCE_SPEC),
        out_specs=(PARAM_SPECS, P()),
    ),
]
