# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that are differentiated from outside."""

import numpy
import pytest
from devices import MESH, jax, shardwise

import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec as P
from training_step import SPECS, WEIGHTS, X


def loss(weights, x, rows, scale=1.0):
    hidden = jnp.tanh(x @ weights["in"])[rows]
    return scale * jnp.mean((hidden @ weights["out"]) ** 2)


ROWS = numpy.arange(0, 64, 2)
OPTIONS = {"mesh": MESH, "differentiable": True}


def close(actual, expected):
    return all(numpy.allclose(left, right, rtol=1e-4, atol=1e-5)
               for left, right in zip(jax.tree.leaves(actual), jax.tree.leaves(expected), strict=True))


@pytest.mark.parametrize("options", [{}, {"in_shardings": (SPECS, P("data"), None)}], ids=["as they are", "given"])
@pytest.mark.parametrize("outer", [lambda f: f, jax.jit], ids=["eager", "jit"])
def test_gradients(options, outer):
    step = shardwise.jax.jit(loss, **OPTIONS, **options)
    weights = jax.device_put(WEIGHTS, jax.tree.map(lambda spec: NamedSharding(MESH, spec), SPECS))
    x = jax.device_put(X, NamedSharding(MESH, P("data")))
    expected = jax.value_and_grad(loss)(WEIGHTS, X, ROWS)
    for _ in range(2):
        assert close(outer(jax.value_and_grad(step))(weights, x, ROWS), expected)
    assert close(step(weights, x, ROWS), expected[0])


def test_gradients_are_cut_as_the_arguments_are():
    step = shardwise.jax.jit(loss, in_shardings=(SPECS, P("data"), None), **OPTIONS)
    weights = jax.device_put(WEIGHTS, jax.tree.map(lambda spec: NamedSharding(MESH, spec), SPECS))
    gradients = jax.grad(step)(weights, X, ROWS)
    assert gradients["in"].sharding.is_equivalent_to(weights["in"].sharding, 2)


@pytest.mark.parametrize("options", [{}, {"in_shardings": (SPECS, P("data"), None)}], ids=["as they are", "given"])
def test_static_arguments_and_several_arguments(options):
    step = shardwise.jax.jit(loss, static_argnames="scale", **OPTIONS, **options)
    for scale in (1.0, 3.0):
        expected = jax.grad(loss, argnums=(0, 1))(WEIGHTS, X, ROWS, scale)
        assert close(jax.grad(step, argnums=(0, 1))(WEIGHTS, X, ROWS, scale=scale), expected)


@pytest.mark.parametrize("engine", ["xla", "local"])
def test_whatever_the_number_of_leaves(engine):
    """Arguments are trees, by name, or static: their leaves are more or fewer than the parameters of the function."""
    def power(weights, x, exponent):
        return ((x @ weights["in"]).mean() + weights["out"][0].sum()) ** exponent

    step = shardwise.jax.jit(power, static_argnums=2, engine=engine, **OPTIONS)
    weights = {"in": WEIGHTS["in"], "out": [WEIGHTS["out"] * 0 + 0.1, WEIGHTS["out"]]}
    for exponent in (2, 3):
        assert close(jax.grad(step)(weights, X, exponent), jax.grad(power)(weights, X, exponent))
    named = shardwise.jax.jit(lambda weights, x: (x @ weights["in"]).mean() ** 2, engine=engine, **OPTIONS)
    assert close(jax.grad(named)(weights, x=X), jax.grad(lambda weights: (X @ weights["in"]).mean() ** 2)(weights))


@pytest.mark.parametrize("engine", ["xla", "local"])
def test_a_program_that_comes_again(engine):
    """What the pull-back takes lies as the program of the same call left it, not as the last new one did."""
    def loss(weights, x):
        return (jnp.tanh(x @ weights) ** 2).sum()

    step = shardwise.jax.jit(loss, engine=engine, **OPTIONS)
    for rows, spec in ((64, P("data")), (32, P(None, "model")), (64, P("data")), (16, P()), (32, P(None, "model"))):
        x = jax.device_put(X[:rows], NamedSharding(MESH, spec))
        assert close(jax.grad(step)(WEIGHTS["in"], x), jax.grad(loss)(WEIGHTS["in"], X[:rows]))


def test_donation_is_refused():
    with pytest.raises(shardwise.UnsupportedError, match="cannot have them donated"):
        shardwise.jax.jit(loss, donate_argnums=0, **OPTIONS)


def test_it_can_be_looked_at():
    assert "stablehlo" in shardwise.jax.jit(loss, **OPTIONS).text(WEIGHTS, X, ROWS)
