# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of JAX on Shardwise's own executor."""

import sys

import numpy
import pytest
from conftest import BUILD
from devices import MESH, jax, shardwise
from interrupts import errors_after_ctrl_c

from shardwise import InvalidError
from shardwise.jax import _jit, _local
from jax.sharding import AbstractMesh, NamedSharding, PartitionSpec as P
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


def test_state_of_the_host_and_of_devices_is_one_program(monkeypatch):
    programs = []

    def counted(*arguments):
        programs.append(partition(*arguments))
        return programs[-1]

    partition = _jit.partition
    monkeypatch.setattr(_jit, "partition", counted)
    step = shardwise.jax.jit(lambda weights, rate: jax.tree.map(lambda one: one * rate, weights), mesh=MESH,
                             in_shardings=(SPECS, None), out_shardings=SPECS, engine="local")
    twice = step(step(WEIGHTS, 2.0), 3.0)
    assert numpy.allclose(twice["in"], WEIGHTS["in"] * 6) and len(programs) == 1
    # Of the rate nothing is said: on a mesh it is where it is.
    step(twice, jax.device_put(numpy.float32(2), NamedSharding(MESH, P())))
    assert len(programs) == 2


def test_in_shardings_that_do_not_fit_the_arguments():
    step = shardwise.jax.jit(lambda x, y: x + y, mesh=MESH, in_shardings=(P("data"), P()), engine="local")
    for call in (step, step.lower):
        with pytest.raises(InvalidError, match=r"<lambda> has in_shardings.* and got y by name; pass them by position"):
            call(X, y=X)
        with pytest.raises(InvalidError, match="in_shardings of <lambda> do not fit its 1 arguments; .* of length 2, but .* of length 1"):
            call(X)


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


def counted(monkeypatch, name):
    """How often a function of the C++ half is called from now on."""
    calls, original = [], getattr(_local._core, name)
    monkeypatch.setattr(_local._core, name, lambda *given: calls.append(given) or original(*given))
    return calls


@pytest.mark.parametrize("verify, least, compared", [("first", 1 << 20, 1), ("always", 1 << 20, 3), ("never", 1 << 20, 0),
                                                     ("always", 8, 0)])
def test_when_results_are_compared(monkeypatch, verify, least, compared):
    calls = counted(monkeypatch, "compare")
    step = shardwise.jax.jit(train, mesh=MESH, in_shardings=(SPECS, P("data")), out_shardings=(SPECS, None), donate_argnums=0,
                             engine="local", verify=verify, verify_bytes=least)
    weights = WEIGHTS
    for _ in range(3):
        weights, _ = step(weights, X)
    assert len(calls) == compared


@pytest.mark.parametrize("mesh", [MESH, AbstractMesh((8, 4), ("data", "model"))], ids=["devices", "abstract"])
def test_wrong_results_are_found(monkeypatch, mesh):
    monkeypatch.setattr(_local._core, "run_on_devices", lambda program, inputs, alone: (inputs, [], 0.0))
    x = numpy.linspace(1, 2, 64, dtype="float32")
    step = shardwise.jax.jit(jax.numpy.tanh, mesh=mesh, in_shardings=P("data"), out_shardings=P("data"), engine="local")
    with pytest.raises(shardwise.VerificationError, match="tanh.*by more than roundings") as caught:
        step(x)
    assert "differs from the unpartitioned program in 64 of 64 elements" in str(caught.value)
    assert (shardwise.jax.jit(jax.numpy.tanh, mesh=mesh, in_shardings=P("data"), out_shardings=P("data"), engine="local",
                              verify="never")(x) == x).all()


def test_roundings_that_grow_are_no_mistake():
    def step(x, y):
        gradient = x.sum(0) - y.sum(0)
        return gradient / (abs(gradient) + 1e-12)

    x = numpy.random.default_rng(0).normal(size=(64, 8)).astype("float32")
    y = x[numpy.random.default_rng(1).permutation(64)]
    shardwise.jax.jit(step, mesh=MESH, in_shardings=(P("data"), P("data")), engine="local")(x, y)


def test_what_nobody_could_evaluate_in_time_is_told():
    """Only the reference evaluator knows manual computations on one device."""
    def products(x):
        def local(x):
            return jax.lax.fori_loop(0, 10_000_000, lambda _, x: jax.numpy.tanh(x @ x.T @ x), x)

        return jax.shard_map(local, mesh=MESH, in_specs=P("data"), out_specs=P("data"))(x)[:1, :1] * 0

    def never(x):
        return jax.lax.cond(x[0, 0] > 0, products, lambda x: x[:1, :1], x)

    step = shardwise.jax.jit(never, mesh=MESH, in_shardings=P("data"), engine="local")
    with pytest.warns(shardwise.ShardwiseWarning, match="results of jit.never. are not compared: its shard_map"):
        assert step(-numpy.ones((64, 8), "float32")) == -1


@pytest.mark.parametrize("mesh", [MESH, AbstractMesh((4, 2), ("data", "model"))], ids=["devices", "abstract"])
def test_state_stays_on_the_devices(monkeypatch, mesh):
    placed = counted(monkeypatch, "place")
    step = shardwise.jax.jit(train, mesh=mesh, in_shardings=(SPECS, P("data")), out_shardings=(SPECS, None),
                             donate_argnums=0, engine="local")
    weights, losses, expected = WEIGHTS, [], WEIGHTS
    for _ in range(4):
        given = weights
        weights, loss = step(weights, X)
        expected, expected_loss = jax.jit(train)(expected, X)
        assert numpy.isclose(loss, expected_loss, rtol=1e-5)
    # Both weights once, the batch each time.
    assert len(placed) == 2 + 4 and given["in"].is_deleted()
    # An array that is as good as one of the results is not one.
    again = jax.tree.map(lambda one: one + 0, weights)
    assert step(weights, X)[1] == step(again, X)[1] and len(placed) == 6 + 1 + 3
    with pytest.raises(RuntimeError, match="deleted"):
        step(again, X)


def test_results_that_lie_otherwise_than_an_argument():
    rows = shardwise.jax.jit(lambda x: x * 2, mesh=MESH, in_shardings=P("data"), out_shardings=P("data"), engine="local")
    columns = shardwise.jax.jit(lambda x: x + 1, mesh=MESH, in_shardings=P(None, "data"), engine="local")
    x = numpy.arange(64.0, dtype="float32").reshape(8, 8)
    assert (columns(rows(x)) == x * 2 + 1).all() and (rows(columns(x)) == (x + 1) * 2).all()


@pytest.mark.parametrize("spec", [P("data"), P()])
def test_what_is_donated_to_jax_is_not_written_to_here(spec):
    """Results share memory with the executor's devices."""
    double = shardwise.jax.jit(lambda x: x * 2, mesh=MESH, in_shardings=spec, out_shardings=spec, engine="local")
    plus = jax.jit(lambda x: x + 1, donate_argnums=0)
    x = numpy.arange(4096.0, dtype="float32")
    first = double(x)
    same, kept = double(first), double._executor._results.find(first).data
    assert (plus(first) == x * 2 + 1).all() and first.is_deleted()
    assert (same == x * 4).all() and (_local.from_core(kept.gather()) == x * 2).all()
    with pytest.raises(RuntimeError, match="deleted"):
        double(first)


def test_what_does_not_fit_in_memory_is_refused():
    step = shardwise.jax.jit(lambda x: jax.numpy.zeros((1 << 24, 1 << 24)).at[0, 0].set(x[0]).sum(), mesh=MESH, engine="local")
    with pytest.raises(shardwise.ProgramError, match="8 devices take .* TiB, this machine has"):
        step(X[0])


ENDLESS = """
import sys
sys.path[:0] = [sys.argv[1]]
import jax, numpy, shardwise.jax
from jax.sharding import AbstractMesh, PartitionSpec as P
def f(x):
    return jax.lax.while_loop(lambda x: x.sum() != 0, lambda x: -x, x)
step = shardwise.jax.jit(f, mesh=AbstractMesh((4,), ("data",)), in_shardings=P("data"), engine="local")
assert (step(numpy.zeros(8, "f")) == 0).all()
print("starts", flush=True)
step(numpy.ones(8, "f"))
"""


def test_ctrl_c_ends_a_run():
    assert "KeyboardInterrupt" in errors_after_ctrl_c([sys.executable, "-c", ENDLESS, BUILD / "python"])


def test_static_arguments_of_other_types_are_others():
    """1, 1.0 and True are equal, and make other programs."""
    fill = shardwise.jax.jit(lambda x, value: x * 0 + numpy.full(8, value), mesh=MESH, static_argnums=1, engine="local")
    types = [fill(numpy.zeros(8, "int32"), value).dtype for value in (1, 1.0, True)]
    assert types == ["int32", "float32", "int32"]
    named = shardwise.jax.jit(lambda *, value: numpy.full(8, value), mesh=MESH, static_argnames="value", engine="local")
    assert [named(value=value).dtype for value in (True, 1, 1.0)] == ["bool", "int32", "float32"]
