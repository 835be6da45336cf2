# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`shardwise.jax` with `engine="mpi"`: every process runs the same Python program and has some of the devices."""

import importlib.util
import os
import socket
import subprocess
import sys

import numpy
import pytest

from conftest import BUILD, ROOT, skip_without_package

if importlib.util.find_spec("jax") is None:
    pytest.skip("JAX is not installed; `make setup-optional` does it", allow_module_level=True)

skip_without_package()

EXAMPLE = ROOT / "examples/jax/train_mpi.py"
PACKAGE = {"PYTHONPATH": str(BUILD / "python"), "JAX_PLATFORMS": "cpu", "JAX_NUM_CPU_DEVICES": "8"}

#: A mesh of JAX's devices; keys, bf16, truth values and small integers; shapes that come and go; sizes that do not divide.
MORE = """
import sys
import jax, jax.numpy as jnp, numpy
from jax.sharding import Mesh, PartitionSpec as P
import shardwise.jax
engine = sys.argv[2]
mesh = Mesh(numpy.array(jax.devices()).reshape(4, 2), ("data", "model"))
def f(key, x, count):
    noise = jax.random.normal(key, (count, 6))
    y = (x.astype(jnp.bfloat16) @ noise.astype(jnp.bfloat16).T).astype(jnp.float32)
    return jax.random.split(key)[0], y, jnp.cumsum(y, 0) > 0, (y * 9).astype(jnp.int8), y.sum()
step = shardwise.jax.jit(f, mesh=mesh, in_shardings=(None, P("data", "model")), static_argnums=2, engine=engine,
                         out_shardings=(None, P("data", "model"), P("model"), P(("data", "model")), None))
key, out = jax.random.key(7), []
for count in (8, 16, 8):
    key, *rest = step(key, numpy.arange(48.0, dtype="float32").reshape(8, 6) / 7, count)
    assert rest[0].sharding.spec == P("data", "model") and rest[0].is_fully_addressable
    out += [jax.random.key_data(key), *rest]
rows = shardwise.jax.jit(lambda x: (x @ x.T, x.sum(0)), mesh=mesh, in_shardings=P("data"), uneven="replicate", engine=engine)
out += rows(numpy.arange(30.0, dtype="float32").reshape(10, 3))
assert step.engine_used == rows.engine_used == engine
if shardwise.jax.mpi_processes()[0] == 0:
    numpy.savez(sys.argv[1], *out)
"""

#: Processes that are not at one, each in its own way.
PARTED = """
import sys
import jax, numpy
from jax.sharding import AbstractMesh, PartitionSpec as P
import shardwise.jax
index, count = shardwise.jax.mpi_processes()
how, x, power = sys.argv[1], numpy.arange(16.0, dtype="float32"), 2
step = lambda verify="first": shardwise.jax.jit(lambda x, p: (x ** p).sum(), mesh=AbstractMesh((4,), ("data",)),
                                               in_shardings=(P("data"),), static_argnums=1, engine="mpi", verify=verify)
assert step()(x, power) == (x ** power).sum()
if how == "arguments" or how == "unchecked":
    x = x + index
if how == "program":
    power += index
if how == "size":
    x = numpy.resize(x, 16 * (index + 1))
if how == "end" and index == 1:
    sys.exit(0)
if how == "raise" and index == 1:
    raise RuntimeError("out of luck")
result = step("never" if how == "unchecked" else "first")(x, power)
print("returned " + str(result))
"""


#: Devices that hold the same part are in both processes.
REPLICAS = """
import numpy
from jax.sharding import AbstractMesh, PartitionSpec as P
import shardwise.jax
x = numpy.arange(16.0, dtype="float32") + shardwise.jax.mpi_processes()[0]
step = shardwise.jax.jit(lambda x: x * 2, mesh=AbstractMesh((2, 2), ("data", "model")), in_shardings=P("model"),
                         out_shardings=P("model"), engine="mpi", verify="never")
result = step(x)
print("returned " + str(result))
"""


#: Results that are passed on are neither cut nor compared by their bytes again; one of the processes may pass an older one.
STATE = """
import sys
import numpy
from jax.sharding import AbstractMesh, PartitionSpec as P
import shardwise.jax
import shardwise.jax._local as local
placed, original = [], local._core.place
local._core.place = lambda *given: placed.append(given) or original(*given)
step = shardwise.jax.jit(lambda x, y: x * 2 + y, mesh=AbstractMesh((4,), ("data",)), in_shardings=(P("data"), P("data")),
                         out_shardings=P("data"), engine="mpi")
x, y = numpy.ones(8, "float32"), numpy.ones(8, "float32")
states = [x]
for _ in range(5):
    states.append(step(states[-1], y))
assert (states[-1] == 63).all()
if len(sys.argv) > 1:
    step(states[3 + shardwise.jax.mpi_processes()[0]], y)
print("placed " + str(len(placed)))
"""


#: Each process has devices of one mesh, as jax.distributed gives them: arguments and results are shards.
SPREAD = """
import sys
import jax, jax.numpy as jnp, numpy
import shardwise.jax
how, port, where = sys.argv[1:]
index, count = shardwise.jax.mpi_processes()
if count > 1:
    jax.config.update("jax_num_cpu_devices", 8 // count)
    jax.distributed.initialize("127.0.0.1:" + port, count, 1 - index if how == "swapped" else index, initialization_timeout=60)
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
devices = numpy.array(jax.devices())
mesh = Mesh((devices.reshape(2, 4).T if how == "mixed" else devices).reshape(4, 2), ("data", "model"))
def train(weights, x):
    def loss(weights):
        return jnp.mean((jnp.tanh(x @ weights["in"]) @ weights["out"]) ** 2)
    value, gradients = jax.value_and_grad(loss)(weights)
    return jax.tree.map(lambda w, g: w - 0.5 * g, weights, gradients), value, x.sum(0)
specs = {"in": P(None, "model"), "out": P("model", None)}
step = shardwise.jax.jit(train, mesh=mesh, in_shardings=(specs, P("data")), out_shardings=(specs, None, P()), donate_argnums=0,
                         engine="local" if how == "local" else "mpi", verify="always")
def spread(array, spec):
    return jax.make_array_from_callback(array.shape, NamedSharding(mesh, spec), lambda index: array[index])
random = numpy.random.default_rng(0)
# One argument is an array over all processes, one the same in each.
weights = {"in": spread(random.normal(size=(16, 32)).astype("float32"), P("data") if how == "otherwise" else specs["in"]),
           "out": random.normal(size=(32, 8)).astype("float32")}
x = spread(random.normal(size=(64, 16)).astype("float32"), P("data"))
for _ in range(3):
    weights, loss, sums = step(weights, x)
assert weights["in"].is_fully_addressable == (count == 1) and sums.is_fully_replicated
held = {(str(shard.index), name): numpy.asarray(shard.data) for name, value in {**weights, "loss": loss, "sums": sums}.items()
        for shard in value.addressable_shards}
assert count == 1 or len(weights["in"].addressable_shards) == 8 // count
numpy.savez(where + str(index), **{name + where: part for (where, name), part in held.items()})
print("returned " + str(float(loss)))
"""


def alone(*command, **environment):
    return subprocess.run([sys.executable, *map(str, command)], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env={**os.environ, **PACKAGE, **environment}, timeout=180)


def have_the_same_bits(one, other):
    with numpy.load(one) as left, numpy.load(other) as right:
        assert left.files == right.files and left.files
        for name in left.files:
            assert left[name].dtype == right[name].dtype and left[name].tobytes() == right[name].tobytes(), name
    return True


def test_pages_have_the_command():
    """That of the next test."""
    command = f"    PYTHONPATH=build/python mpirun -n 4 .venv/bin/python {EXAMPLE.relative_to(ROOT)}\n"
    assert all(command in (ROOT / page).read_text() for page in ["docs/jax.md", "docs/mpi.md"])


@pytest.mark.parametrize("processes", [2, 4])
def test_a_training_has_the_bits_of_one_process(mpirun, tmp_path, processes):
    done = alone(EXAMPLE, tmp_path / "one.npz")
    assert done.returncode == 0, done.stdout
    done = mpirun(processes, sys.executable, EXAMPLE, tmp_path / "several.npz", **PACKAGE)
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("loss") == 1 and f"8 devices in {processes} processes" in done.stdout
    assert have_the_same_bits(tmp_path / "one.npz", tmp_path / "several.npz")


def test_a_mesh_of_jax_gets_arrays_on_it(mpirun, tmp_path):
    program = tmp_path / "more.py"
    program.write_text(MORE)
    done = alone(program, tmp_path / "one.npz", "local")
    assert done.returncode == 0, done.stdout
    done = mpirun(3, sys.executable, program, tmp_path / "three.npz", "mpi", **PACKAGE)
    assert done.returncode == 0, done.stdout
    assert have_the_same_bits(tmp_path / "one.npz", tmp_path / "three.npz")


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def test_results_stay_where_they_are(mpirun, tmp_path):
    program = tmp_path / "spread.py"
    program.write_text(SPREAD)
    done = alone(program, "apart", 0, tmp_path / "one")
    assert done.returncode == 0 and "returned " in done.stdout, done.stdout
    done = mpirun(4, sys.executable, program, "apart", free_port(), tmp_path / "several", **PACKAGE)
    assert done.returncode == 0 and done.stdout.count("returned ") == 4, done.stdout
    with numpy.load(tmp_path / "one0.npz") as expected:
        seen = set()
        for index in range(4):
            with numpy.load(tmp_path / f"several{index}.npz") as parts:
                for name in parts.files:
                    assert parts[name].tobytes() == expected[name].tobytes(), (index, name)
                seen.update(parts.files)
        assert seen == set(expected.files)


@pytest.mark.parametrize("how, message", [
    ("swapped", "process 0 of mpirun is process 1 of jax.distributed; initialize jax.distributed with the process_id"),
    ("mixed", "the devices of the mesh are in processes [0, 1, 0, 1, 0, 1, 0, 1] of jax.distributed"),
    ("local", 'engine="local" has all devices in this process, and the mesh has devices of others'),
    ("otherwise", "weights['in'] is an array over several processes that lies as")])
def test_meshes_and_arrays_that_are_dealt_out_otherwise(mpirun, tmp_path, how, message):
    program = tmp_path / "spread.py"
    program.write_text(SPREAD)
    done = mpirun(2, sys.executable, program, how, free_port(), tmp_path / "out", timeout=90, **PACKAGE)
    assert done.returncode != 0 and message in done.stdout and "returned " not in done.stdout, done.stdout


@pytest.mark.parametrize("how, message", [
    ("arguments", "x is not the same in all processes; each must pass the whole of every argument"),
    ("program", "must run the same Python program on the same data"),
    ("size", "must run the same Python program on the same data"),
    ("raise", "out of luck"), ("end", "process 1 has left")])
def test_processes_that_part_are_told(mpirun, tmp_path, how, message):
    program = tmp_path / "parted.py"
    program.write_text(PARTED)
    done = mpirun(2, sys.executable, program, how, timeout=60, **PACKAGE)
    assert done.returncode != 0 and message in done.stdout and "returned " not in done.stdout, done.stdout


def test_arguments_are_not_compared_if_nothing_is(mpirun, tmp_path):
    program = tmp_path / "parted.py"
    program.write_text(PARTED)
    done = mpirun(2, sys.executable, program, "unchecked", **PACKAGE)
    assert done.returncode == 0 and done.stdout.count("returned ") == 2, done.stdout


def test_devices_of_two_processes_that_disagree_are_found(mpirun, tmp_path):
    program = tmp_path / "replicas.py"
    program.write_text(REPLICAS)
    done = mpirun(2, sys.executable, program, timeout=60, **PACKAGE)
    assert done.returncode != 0 and "returned " not in done.stdout, done.stdout
    assert "devices 0 and 2 hold the same elements of a value" in done.stdout and "but disagree" in done.stdout


def test_wrong_results_are_told_in_all_processes(mpirun, tmp_path):
    program = tmp_path / "wrong.py"
    program.write_text(REPLICAS.replace('verify="never"', 'verify="first"').replace(
        "+ shardwise.jax.mpi_processes()[0]", "").replace("x = numpy", """
import shardwise.jax._local as local
local._core.run_on_devices = lambda program, inputs, alone: (inputs, [], 0.0)
x = numpy"""))
    done = mpirun(2, sys.executable, program, timeout=60, **PACKAGE)
    assert done.returncode != 0 and "returned " not in done.stdout, done.stdout
    assert done.stdout.count("shardwise.errors.VerificationError: jit(<lambda>): results differ from those of") == 2
    # The first process, which has compared them, has the numbers.
    assert done.stdout.count("output 0 differs from the unpartitioned program in 15 of 16 elements") == 1
    assert done.stdout.count("as the first process says") == 1


def test_state_stays_in_the_processes(mpirun, tmp_path):
    program = tmp_path / "state.py"
    program.write_text(STATE)
    done = mpirun(2, sys.executable, program, **PACKAGE)
    assert done.returncode == 0 and done.stdout.count("placed 6") == 2, done.stdout
    done = mpirun(2, sys.executable, program, "another", timeout=60, **PACKAGE)
    assert done.returncode != 0 and "placed" not in done.stdout, done.stdout
    assert "x is not the same in all processes" in done.stdout


def test_more_processes_than_devices(mpirun, tmp_path):
    program = tmp_path / "parted.py"
    program.write_text(PARTED)
    done = mpirun(5, sys.executable, program, "no way", **PACKAGE)
    assert done.returncode != 0, done.stdout
    assert "is a program of 4 devices, and there are 5 processes; start at most one process for each device" in done.stdout


def test_without_the_plug_in(tmp_path):
    program = tmp_path / "more.py"
    program.write_text(MORE)
    done = alone(program, tmp_path / "out.npz", "mpi", OMPI_COMM_WORLD_SIZE="2", SHARDWISE_PLUGINS=str(tmp_path))
    assert done.returncode != 0 and "shardwise.errors.UnsupportedError" in done.stdout, done.stdout
    assert "this is one of several processes" in done.stdout and "libopenmpi-dev" in done.stdout
