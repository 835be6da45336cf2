# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of JAX on Shardwise's own executor."""

import numpy
import pytest
from devices import MESH, jax, shardwise

from jax.sharding import AbstractMesh, PartitionSpec as P
from training_step import SPECS, WEIGHTS, X, train


def test_a_training_step():
    step = shardwise.jax.jit(train, mesh=MESH, in_shardings=(SPECS, P("data")), out_shardings=(SPECS, None),
                             donate_argnums=0, engine="local")
    expected, weights = WEIGHTS, WEIGHTS
    for _ in range(3):
        expected, expected_loss = jax.jit(train)(expected, X)
        given = weights
        weights, loss = step(weights, X)
        assert numpy.isclose(loss, expected_loss, rtol=1e-5)
    assert numpy.allclose(weights["in"], expected["in"], atol=1e-5)
    assert weights["in"].sharding.spec == P(None, "model") and given["in"].is_deleted()
    assert step.engine_used == "local"


@pytest.mark.parametrize("engine", ["local", "mpi"])
def test_padding_is_not_needed(engine):
    x = numpy.arange(20, dtype="float32").reshape(10, 2)
    step = shardwise.jax.jit(lambda x: (x * 2, x.sum(0)), mesh=MESH, in_shardings=P("data"), out_shardings=(P("data"), None),
                             uneven="pad", engine=engine)
    rows, total = step(x)
    assert step.out_valid_shapes == ((10, 2), (2,))
    assert (shardwise.jax.unpad(rows, step.out_valid_shapes[0]) == x * 2).all() and (total == x.sum(0)).all()


def test_without_mpirun_the_engine_mpi_is_the_local_one():
    results = []
    for engine in ("local", "mpi"):
        step = shardwise.jax.jit(train, mesh=MESH, in_shardings=(SPECS, P("data")), out_shardings=(SPECS, None), engine=engine)
        results.append(jax.tree.leaves(step(WEIGHTS, X)))
        assert step.engine_used == engine
    assert all((one == other).all() and one.sharding == other.sharding for one, other in zip(*results))
    assert shardwise.jax.mpi_processes() == (0, 1)


def test_more_devices_than_there_are():
    mesh = AbstractMesh((8, 4), ("data", "model"))
    step = shardwise.jax.jit(train, mesh=mesh, in_shardings=(SPECS, P("data")), engine="local")
    assert numpy.isclose(step(WEIGHTS, X)[1], train(WEIGHTS, X)[1], rtol=1e-5)


def test_keys_and_static_arguments():
    def draw(key, count, scale):
        return jax.random.split(key)[0], scale * jax.random.normal(key, (count,))

    step = shardwise.jax.jit(draw, mesh=MESH, out_shardings=(None, P("data")), static_argnums=1, engine="local")
    for count in (8, 16):
        key, values = step(jax.random.key(3), count, 2.0)
        expected = draw(jax.random.key(3), count, 2.0)
        assert (jax.random.key_data(key) == jax.random.key_data(expected[0])).all()
        assert numpy.allclose(values, expected[1], atol=1e-5) and values.sharding.spec == P("data")


def test_inside_an_outer_jit_xla_runs_it():
    step = shardwise.jax.jit(lambda x: x * 2, mesh=MESH, engine="local")
    assert (jax.jit(lambda x: step(x) + 1)(X) == X * 2 + 1).all()
